package mdb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"macemc/choose"
	"macemc/eventgraph"
	"macemc/internal/account"
	"macemc/internal/setting"
	"macemc/sim"
)

// Opener opens a session for the path of a run. Its fields are the same for all sessions of a command.
type Opener struct {
	Find func(name string) (*sim.System, error)                             // returns the system with a name
	Told func(*sim.System, *choose.Path) (*sim.System, *choose.Path, error) // returns what to debug for a recorded path: another system and path if its header describes one, and else the same; may be nil
	Tool string                                                             // the name under which the command is called, for lines that the user can repeat
	Of   string                                                             // the package that stands before the arguments in such a line, followed by a blank, or ""
	Ran  Ran                                                                // returns the code that ran in each step; may be nil
	Busy *Busy                                                              // watches long work; nil if nothing does
}

// Ran finds out which code ran in each step of a path. It takes the path again, and returns a function that
// returns the code of one step, given its number and its event e; step 0 is the start. That function reports
// false if the code is not known.
type Ran func(*sim.System, sim.Params, *choose.Path) (func(step int, e sim.Event) (code []eventgraph.Code, known bool), error)

// Settings are the conditions under which a system is explored by hand.
type Settings struct {
	Nodes        int
	Params, Bugs []string // the parameters and the known bugs, in the form of a path's header
	sim.Conditions
}

// Open opens a path file, the folder of a finding, or a system. If the code has changed so
// that a path can no longer be followed to its end, it is opened up to the first step that
// is not possible, and SummaryPage says so.
func (o Opener) Open(name string, set Settings) (*Session, error) {
	if o.Busy == nil {
		o.Busy = &Busy{}
	}
	file, err := fileOf(name)
	if err != nil {
		return nil, err
	}
	var r *run
	if file == "" {
		r, err = o.explore(name, set)
	} else if r, err = o.load(file); err == nil && set.any() {
		err = fmt.Errorf("%s has the settings of its run; nodes, params, bugs, properties, faults and networks can be set for a system only", file)
	}
	if err != nil {
		return nil, err
	}
	live := ""
	if l := filepath.Join(filepath.Dir(file), "live.path"); file != "" && exists(l) && l != file {
		live = l
	}
	return &Session{
		Cursor: Cursor{run: r, here: r.trunk},
		opener: &o, others: map[string]*run{}, opened: file, live: live, against: "live",
	}, nil
}

// fileOf returns the path file that name means, which may be in the folder of a finding, or
// "" for the name of a system.
func fileOf(name string) (string, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		file := filepath.Join(name, "error.path")
		if !exists(file) {
			return "", fmt.Errorf("%s is a folder without an error.path; name a path file, the folder of a finding, or a system", name)
		}
		return file, nil
	case err == nil:
		return name, nil
	case filepath.Base(name) == name && filepath.Ext(name) == "":
		return "", nil
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no file %s", name)
	}
	return "", err
}

func (s Settings) any() bool {
	return s.Nodes != 0 || len(s.Params)+len(s.Bugs)+len(s.Properties) > 0 || s.Faults != nil || s.Network.String() != "" || s.FreeTimers || s.DiskReorder || s.Byzantine != "" || s.CrashWithin || s.CrashImplicit
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// load opens a path file.
func (o *Opener) load(name string) (*run, error) {
	path, err := choose.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s", name)
	}
	if err != nil {
		return nil, err
	}
	system, ok := path.Get("system")
	if !ok {
		return nil, fmt.Errorf("%s: the path's header names no system", name)
	}
	sys, err := o.Find(system)
	if err == nil && o.Told != nil {
		sys, path, err = o.Told(sys, path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r, err := newRun(filepath.Base(name), sys, path, o.Busy)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.parted {
		r.was = account.AsRecorded(name)
	}
	return r, nil
}

// explore opens a system at its start, under the conditions in set.
func (o *Opener) explore(name string, set Settings) (*run, error) {
	sys, err := o.Find(name)
	if err != nil {
		return nil, fmt.Errorf("there is no file %s, and it is no system either: %w", name, err)
	}
	params, err := sys.Configure(set.Nodes, set.Params, set.Bugs)
	if err != nil {
		return nil, err
	}
	if params.Nodes == 0 {
		params.Nodes = sys.NodeRange(params).Default
	}
	run := setting.Setting{Sys: sys, Params: params, Conditions: set.Conditions}
	path := &choose.Path{Header: run.Header(run.Stormy())}
	r, err := newRun(name, sys, path, o.Busy)
	if err == nil {
		r.recorded = nil
	}
	return r, err
}

// other returns the run of another file, for comparisons with the open one.
func (s *Session) other(name string) (*run, error) {
	if r := s.others[name]; r != nil {
		return r, nil
	}
	r, err := s.opener.load(name)
	if err != nil {
		return nil, err
	}
	if a, b := s.run.player.World().System().Name, r.player.World().System().Name; a != b {
		return nil, fmt.Errorf("%s is a run of %s, and this is one of %s: they have no states to compare", name, b, a)
	}
	s.others[name] = r
	return r, nil
}
