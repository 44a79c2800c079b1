package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/internal/kinds"
)

// Unlimited is a budget without limit.
const Unlimited = -1

// Faults are budgets: how often the environment may misbehave in one run. The budgets that
// are left are part of the state. The zero Faults allow no faults.
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
	Wipe      int // a node fails and loses its disk, and may start again as a new one

	// Only limits some faults to nodes or links, as in "crash@n1+n2,loss@n0-n1".
	Only string
}

// budgets lists the fields of Faults, in the order of kinds.Budgets.
var budgets = [...]func(*Faults) *int{
	func(f *Faults) *int { return &f.Crash },
	func(f *Faults) *int { return &f.Down },
	func(f *Faults) *int { return &f.Reset },
	func(f *Faults) *int { return &f.Loss },
	func(f *Faults) *int { return &f.Dup },
	func(f *Faults) *int { return &f.Reorder },
	func(f *Faults) *int { return &f.Partition },
	func(f *Faults) *int { return &f.OneWay },
	func(f *Faults) *int { return &f.Rare },
	func(f *Faults) *int { return &f.Pause },
	func(f *Faults) *int { return &f.Disk },
	func(f *Faults) *int { return &f.Wipe },
}

// IsZero reports whether all budgets are zero.
func (f Faults) IsZero() bool {
	f.Only = "" // a limit without a budget allows nothing
	return f == Faults{}
}

// String returns the form that ParseFaults reads.
func (f Faults) String() string {
	var parts []string
	for k, of := range budgets {
		name := kinds.Budgets[k]
		switch n := *of(&f); {
		case n == Unlimited:
			parts = append(parts, name+"=all"+f.limit(k))
		case n > 0:
			parts = append(parts, name+"="+strconv.Itoa(n)+f.limit(k))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ",")
}

// limit returns the limit of the k-th budget in the form "@places", as in "@n1+n2", or ""
// if the budget has no limit.
func (f Faults) limit(k int) string {
	for part := range strings.SplitSeq(f.Only, ",") {
		if name, places, _ := strings.Cut(part, "@"); name == kinds.Budgets[k] {
			return "@" + places
		}
	}
	return ""
}

// Budget returns a pointer to the k-th budget, in the order of the fields.
func (f *Faults) Budget(k int) *int { return budgets[k](f) }

// Budget returns which budget an event of the kind spends, in the order of the fields, or -1
// if the kind is not a fault.
func (k Kind) Budget() int { return budgetOf[k] }

// Of returns a pointer to the budget that an event of the kind spends, or nil if the kind
// is not a fault.
func (f *Faults) Of(kind Kind) *int {
	if k := budgetOf[kind]; k >= 0 {
		return budgets[k](f)
	}
	return nil
}

// budgetOf holds, for each kind of event, the index of the budget that it spends, or -1.
var budgetOf = func() (all [kindsMost]int) {
	for k := range all {
		all[k] = slices.Index(kinds.Budgets, kinds.Of(uint8(k), false).Budget)
	}
	return all
}()

// ParseFaults reads budgets such as "crash=2,loss=3,reorder=all", or "none". A budget can
// be limited: "crash=2@n1+n2" to some nodes, "loss=1@n0-n1" to a link. Blanks around a word
// are ignored.
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
		i := slices.Index(kinds.Budgets, name)
		switch {
		case name == "none":
			return f, fmt.Errorf("%q names none and other faults; none stands alone, so leave it or the others out", text)
		case strings.TrimSpace(part) == "":
			return f, fmt.Errorf("%q has a comma too many; write crash=1,loss=2", text)
		case i < 0:
			return f, fmt.Errorf("there is no fault %q; there are %s", name, strings.Join(kinds.Budgets, ", "))
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
		set[i], *budgets[i](&f) = true, n
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

// Network describes how the simulated links are built.
type Network struct {
	TCPBuffer   int      // the number of messages that a connection queues in each direction; 0 means 20
	UDPCapacity int      // the number of datagrams from one node to another that may be under way before more are lost; 0 means 4
	Slow        string   // links on which messages arrive last: "n0-n1+n2" is the link between n0 and n1, and all links of n2
	Flaws       []string // known bugs of the simulated TCP to switch on: package netsim describes them
}

// String returns the settings that are not 0 or "", in the form
// "tcp-buffer=20,udp-capacity=4,slow=n0-n1", or "" if nothing is set.
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
