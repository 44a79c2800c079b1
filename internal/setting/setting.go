package setting

import (
	"fmt"
	"slices"
	"strconv"

	"macemc/choose"
	"macemc/sim"
)

// A Setting is a system, its parameters, and the conditions of its runs. Two runs
// with equal settings and equal answers are equal.
type Setting struct {
	Sys    *sim.System
	Params sim.Params
	sim.Conditions
}

// Budgets returns the faults in force.
func (s *Setting) Budgets() sim.Faults { return s.Conditions.Budgets(s.Sys) }

// Stormy reports whether runs may have faults or other misbehaviour that healing ends.
func (s *Setting) Stormy() bool { return s.Conditions.Stormy(s.Sys, s.Params) }

// The keys of a header that record a setting.
const (
	keySystem    = "system"
	keyNodes     = "nodes"
	keyParam     = "param"
	keyBug       = "bug"
	keyProperty  = "property"
	keyFaults    = "faults"
	keyEarly     = "early"
	keyNet       = "net"
	keyTimers    = "timers"
	keyDisk      = "disk"
	keyByzantine = "byzantine"
	keyCrashes   = "crashes"
)

// KeyOpening is the key for a request that was made from outside while nodes ran live. The code that merges
// their records adds these requests to the system before it calls Parse.
const KeyOpening = "opening"

// Repeated lists the keys that a header may have several times.
var Repeated = []string{keyParam, keyBug, keyProperty, KeyOpening}

// Single lists the keys that a header has at most once.
var Single = []string{keySystem, keyNodes, keyFaults, keyEarly, keyNet, keyTimers, keyDisk, keyByzantine, keyCrashes}

// Describes reports whether a header field records a setting, and not a result of the run.
func Describes(key string) bool {
	return slices.Contains(Repeated, key) || slices.Contains(Single, key)
}

// The values of keys for conditions that are either on or off.
const (
	freeTimers  = "free"
	diskReorder = "reorder"
)

// Header returns the fields that record s in the header of a path. If faulty is
// false, no fault may happen in the run, and the header has no budgets.
func (s *Setting) Header(faulty bool) []choose.Field {
	h := []choose.Field{{Key: keySystem, Value: s.Sys.Name}, {Key: keyNodes, Value: strconv.Itoa(s.Params.Nodes)}}
	add := func(key, value string) { h = append(h, choose.Field{Key: key, Value: value}) }
	for _, value := range s.Params.Settings(s.Sys) {
		add(keyParam, value)
	}
	for _, b := range s.Params.Bugs() {
		add(keyBug, string(b))
	}
	for _, name := range s.Properties {
		add(keyProperty, name)
	}
	if faulty {
		add(keyFaults, s.Stated(s.Sys).String())
		if s.Early != nil {
			add(keyEarly, strconv.Itoa(*s.Early))
		}
	}
	if net := s.Network.String(); net != "" {
		add(keyNet, net)
	}
	if s.FreeTimers {
		add(keyTimers, freeTimers)
	}
	if s.DiskReorder {
		add(keyDisk, diskReorder)
	}
	if s.Byzantine != "" {
		add(keyByzantine, s.Byzantine)
	}
	if (s.CrashWithin || s.CrashImplicit) && faulty {
		add(keyCrashes, CrashModel(&s.Conditions))
	}
	return h
}

// Parse reads the setting of a run of sys from the header of its path. A header without
// budgets belongs to a run without faults.
func Parse(sys *sim.System, path *choose.Path) (s Setting, err error) {
	s.Sys = sys
	if name, _ := path.Get(keySystem); name != sys.Name {
		return s, fmt.Errorf("the path is of system %q, not of %q", name, sys.Name)
	}
	nodes, _, err := number(path, keyNodes)
	if err != nil {
		return s, err
	}
	var faults sim.Faults
	if text, ok := path.Get(keyFaults); ok {
		if faults, err = sim.ParseFaults(text); err != nil {
			return s, err
		}
	}
	s.Faults = &faults
	if early, ok, err := number(path, keyEarly); err != nil {
		return s, err
	} else if ok {
		if early < 0 {
			return s, fmt.Errorf("the path's header says early: %d; it must be 0 or more", early)
		}
		s.Early = &early
	}
	if text, ok := path.Get(keyNet); ok {
		if s.Network, err = ParseNetwork(text); err != nil {
			return s, err
		}
	}
	if s.FreeTimers, err = word(path, keyTimers, freeTimers); err != nil {
		return s, err
	}
	if s.DiskReorder, err = word(path, keyDisk, diskReorder); err != nil {
		return s, err
	}
	s.Properties = path.All(keyProperty)
	s.Byzantine, _ = path.Get(keyByzantine)
	if text, ok := path.Get(keyCrashes); ok {
		if s.CrashWithin, s.CrashImplicit, err = ParseCrashModel(text); err != nil {
			return s, err
		}
	}
	if s.Params, err = sys.Configure(nodes, path.All(keyParam), path.All(keyBug)); err == nil {
		_, err = sys.Byzantines(s.Params, s.Byzantine)
	}
	return s, err
}

// number returns the number that the header of path has under a key; ok is false if it has
// no such key.
func number(path *choose.Path, key string) (n int, ok bool, err error) {
	text, ok := path.Get(key)
	if n, err = strconv.Atoi(text); ok && err != nil {
		return 0, true, fmt.Errorf("the path's header says %s: %q, which is no number", key, text)
	}
	return n, ok, nil
}

// word reports whether the header of path has a key. It returns an error if the value of the key
// is not want.
func word(path *choose.Path, key, want string) (bool, error) {
	text, ok := path.Get(key)
	if ok && text != want {
		return false, fmt.Errorf("the path's header says %s: %q; it must be %s, or not be there", key, text, want)
	}
	return ok, nil
}
