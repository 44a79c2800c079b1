package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/netsim"
)

// Unlimited is a budget without end.
const Unlimited = -1

// Faults are budgets: how often the environment may misbehave in one run. What
// is left of them is part of the state. The zero Faults are none.
type Faults struct {
	Crash     int // a node fails, and may restart
	Down      int // a node fails for good
	Reset     int // an open connection breaks
	Loss      int // a datagram is lost
	Dup       int // a datagram is duplicated
	Reorder   int // a datagram overtakes those before it
	Partition int // two groups of nodes cannot reach each other
	OneWay    int // one group of nodes cannot reach the others
	Rare      int // a weighted coin falls on a side of weight 0
	Pause     int // a node takes no step for a while
	Disk      int // a sync or an append fails, or a crash damages what was synced

	// Only limits some of them to nodes or links: "crash@n1+n2,loss@n0-n1". "": none.
	Only string
}

// budgets are the fields of Faults, by the names of --faults.
var budgets = [...]struct {
	name string
	of   func(*Faults) *int
}{
	{"crash", func(f *Faults) *int { return &f.Crash }},
	{"down", func(f *Faults) *int { return &f.Down }},
	{"reset", func(f *Faults) *int { return &f.Reset }},
	{"loss", func(f *Faults) *int { return &f.Loss }},
	{"dup", func(f *Faults) *int { return &f.Dup }},
	{"reorder", func(f *Faults) *int { return &f.Reorder }},
	{"partition", func(f *Faults) *int { return &f.Partition }},
	{"oneway", func(f *Faults) *int { return &f.OneWay }},
	{"rare", func(f *Faults) *int { return &f.Rare }},
	{"pause", func(f *Faults) *int { return &f.Pause }},
	{"disk", func(f *Faults) *int { return &f.Disk }},
}

// IsZero reports whether there are no faults.
func (f Faults) IsZero() bool {
	f.Only = "" // limits of nothing
	return f == Faults{}
}

// String is the form that ParseFaults reads.
func (f Faults) String() string {
	var parts []string
	for k, b := range budgets {
		switch n := *b.of(&f); {
		case n == Unlimited:
			parts = append(parts, b.name+"=all"+f.limit(k))
		case n > 0:
			parts = append(parts, b.name+"="+strconv.Itoa(n)+f.limit(k))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ",")
}

// limit is what stands behind a budget: @ and where.
func (f Faults) limit(k int) string {
	for part := range strings.SplitSeq(f.Only, ",") {
		if name, places, _ := strings.Cut(part, "@"); name == budgets[k].name {
			return "@" + places
		}
	}
	return ""
}

// FaultNames are the names that ParseFaults knows, but for none.
func FaultNames() []string {
	names := make([]string, len(budgets))
	for i, b := range budgets {
		names[i] = b.name
	}
	return names
}

// Budget is one of the budgets, in the order of FaultNames.
func (f *Faults) Budget(k int) *int { return budgets[k].of(f) }

// Of is the budget that an event of the kind spends; nil: it is no fault.
func (f *Faults) Of(kind Kind) *int {
	if k := budgetOf[kind]; k >= 0 {
		return budgets[k].of(f)
	}
	return nil
}

// budgetOf is by kind the place of its budget, or -1.
var budgetOf = func() (all [kindsMost]int) {
	names := FaultNames()
	for k := range all {
		all[k] = slices.Index(names, Kind(k).Row().Budget)
	}
	return all
}()

// ParseFaults reads budgets as "crash=2,loss=3,reorder=all"; "none" are none.
// "crash=2@n1+n2" happens to these nodes only, "loss=1@n0-n1" to this link only.
// Blanks around a word do not count.
func ParseFaults(text string) (Faults, error) {
	var f Faults
	switch strings.TrimSpace(text) {
	case "none":
		return f, nil
	case "":
		return f, errors.New("no fault is named; write none, or crash=1")
	}
	var set [len(budgets)]bool
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		i := slices.Index(FaultNames(), name)
		switch {
		case name == "none":
			return f, fmt.Errorf("%q names none and other faults; none stands alone, so leave it or the others out", text)
		case strings.TrimSpace(part) == "":
			return f, fmt.Errorf("%q has a comma too many; write crash=1,loss=2", text)
		case i < 0:
			return f, fmt.Errorf("there is no fault %q; there are %s", name, strings.Join(FaultNames(), ", "))
		case set[i]:
			return f, fmt.Errorf("%s is set twice", name)
		}
		value, places, limited := strings.Cut(value, "@")
		n, err := parseBudget(name, value)
		if err != nil {
			return f, err
		}
		if limited {
			of, err := parsePlaces(name, places)
			if err != nil {
				return f, err
			}
			f.Only = strings.TrimPrefix(f.Only+","+name+"@"+join(of), ",")
		}
		set[i], *budgets[i].of(&f) = true, n
	}
	return f, nil
}

func join(places []place) string {
	var words []string
	for _, p := range places {
		words = append(words, p.String())
	}
	return strings.Join(words, "+")
}

func parseBudget(name, value string) (int, error) {
	if value == "all" {
		return Unlimited, nil
	}
	n, err := strconv.Atoi(value)
	switch {
	case errors.Is(err, strconv.ErrRange) && n > 0:
		return 0, fmt.Errorf("the budget of %s is %s, which is too large; for no limit write %s=all", name, value, name)
	case n < 0:
		return 0, fmt.Errorf("the budget of %s is %s; it must be 0 or more, or all", name, value)
	case err != nil:
		return 0, fmt.Errorf("the budget of %s is %q; write %s=1, or %s=all", name, value, name, name)
	}
	return n, nil
}

// Network is how the simulated links are built.
type Network struct {
	TCPBuffer   int    // messages that a connection queues in each direction; 0: 20
	UDPCapacity int    // datagrams under way from one node to another; 0: 4; more are lost
	Slow        string // links on which a message comes last, "n0-n1+n2": between n0 and n1, and all of n2
	Flaws       []Flaw // known bugs of the simulated TCP itself that are switched on
}

// Flaw is a known bug of the simulated TCP: see netsim.
type Flaw = netsim.Flaw

// The flaws, each told where netsim has it.
const (
	FlawResetFallsThrough = netsim.FlawResetFallsThrough
	FlawWrongIndex        = netsim.FlawWrongIndex
	FlawRemoteStays       = netsim.FlawRemoteStays
)

// ParseNetwork reads settings as "tcp-buffer=20,udp-capacity=4,slow=n0-n1"; "" sets
// nothing.
func ParseNetwork(text string) (Network, error) {
	var net Network
	if text == "" {
		return net, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		var field *int
		switch name {
		case "tcp-buffer":
			field = &net.TCPBuffer
		case "udp-capacity":
			field = &net.UDPCapacity
		case "slow":
			if net.Slow != "" {
				return net, fmt.Errorf("network setting slow is set twice; write slow=n0-n1+n2")
			}
			if _, err := parsePlaces("slow", value); err != nil {
				return net, err
			}
			net.Slow = value
			continue
		default:
			return net, fmt.Errorf("there is no network setting %q; there are tcp-buffer, udp-capacity, slow", name)
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return net, fmt.Errorf("network setting %s is %q; it must be a number of 1 or more", name, value)
		}
		if *field > 0 {
			return net, fmt.Errorf("network setting %s is set twice", name)
		}
		*field = n
	}
	return net, nil
}

// String is the form that ParseNetwork reads; "" if all is as by default.
func (n Network) String() string {
	var parts []string
	if n.TCPBuffer > 0 {
		parts = append(parts, "tcp-buffer="+strconv.Itoa(n.TCPBuffer))
	}
	if n.UDPCapacity > 0 {
		parts = append(parts, "udp-capacity="+strconv.Itoa(n.UDPCapacity))
	}
	if n.Slow != "" {
		parts = append(parts, "slow="+n.Slow)
	}
	return strings.Join(parts, ",")
}
