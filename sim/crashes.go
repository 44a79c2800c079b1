package sim

import (
	"errors"
	"fmt"
	"slices"

	"macemc/internal/sight"
)

// setsMost is the largest number of sets that Failing returns: with Conditions.CrashImplicit, each state is
// judged once without the nodes of each set.
const setsMost = 1 << 12

// Failing returns the sets of nodes, by index, that may fail together if c.CrashImplicit is
// set, and nil otherwise. It returns an error if c.CrashWithin is set, too, or if the
// system or the other conditions let a node or a property notice that a node has failed.
func (c *Conditions) Failing(sys *System, p Params) ([][]int, error) {
	switch {
	case !c.CrashImplicit:
		return nil, nil
	case c.CrashWithin:
		return nil, errors.New("CrashWithin and CrashImplicit are both set, and nodes fail in one of these ways; set one of them")
	}
	if reason := c.seen(sys, p); reason != "" {
		return nil, fmt.Errorf("%s, so the crash model implicit differs from explicit; use explicit", reason)
	}
	f := c.Stated(sys)
	where, err := f.Where(p.Nodes)
	if err != nil {
		return nil, err
	}
	var nodes []int
	for i := range p.Nodes {
		if where == nil || where(Event{Kind: KindDown, Node: addrOf(i)}) {
			nodes = append(nodes, i)
		}
	}
	if f.Down == Unlimited || f.Down > len(nodes) {
		f.Down = len(nodes)
	}
	sets := subsets(nodes, f.Down, nil)
	if len(sets) > setsMost {
		return nil, fmt.Errorf("down=%d allows more than %d sets of failed nodes, too many for the crash model \"implicit\", which judges each state once for each set; choose a smaller number for down, or name the nodes, as in down=1@n0+n1", f.Down, setsMost)
	}
	return sets, nil
}

// subsets appends to out the sets of nodes that have from 1 to most members, in the order
// of their first members. It stops when out has more than setsMost sets.
func subsets(nodes []int, most int, out [][]int) [][]int {
	var grow func(set []int, rest []int)
	grow = func(set, rest []int) {
		if len(set) > 0 {
			out = append(out, slices.Clone(set))
		}
		for k := range rest {
			if len(set) < most && len(out) <= setsMost {
				grow(append(set, rest[k]), rest[k+1:])
			}
		}
	}
	grow(nil, nodes)
	return out
}

// seen returns a reason why Conditions.CrashImplicit cannot be used, such as that some node or property
// would notice that a node has failed for good, or "" if it finds none. It finds only reasons that are
// known before a run. Others are found during a run: connections, storage, and properties that look at
// messages.
func (c *Conditions) seen(sys *System, p Params) string {
	f := c.Stated(sys)
	clock, err := sys.Pace(p) // the error is reported when the system is run
	switch {
	case f.Down == 0:
		return "no fault down is allowed, as by down=1"
	case f.Crash != 0:
		return fmt.Sprintf("crash=%s lets failed nodes restart", budgetText(f.Crash))
	case f.Wipe != 0:
		return fmt.Sprintf("wipe=%s lets failed nodes restart", budgetText(f.Wipe))
	case c.Early != nil:
		return "a limit of early timers counts messages that no failed node takes"
	case err == nil && slow(sys, p, c.Network):
		return "on a slow link, a message that nobody takes holds back no other"
	case err == nil && clock != nil && !c.FreeTimers:
		return "timers fire in the order of clocks, where a slow node holds up time and a failed one does not"
	case !sys.Within.IsZero():
		return fmt.Sprintf("System.Within %q looks at the nodes that are up", sys.Within.Name)
	}
	if all, err := sys.Byzantines(p, c.Byzantine); err == nil && len(all) > 0 {
		return "some nodes are Byzantine"
	}
	for _, q := range sys.Properties {
		if len(c.Properties) > 0 && !slices.Contains(c.Properties, q.Name) {
			continue
		}
		switch q.rule.Kind {
		case sight.RuleEventually:
			return fmt.Sprintf("property %q asks what can still be reached, and a system that cannot recover without a failed node can recover if that node is only slow (check only the other properties, by their names)", q.Name)
		case sight.RuleCools:
			return fmt.Sprintf("property %q is about fair runs, in which every node acts again and again unless it has failed (check only the other properties, by their names)", q.Name)
		case sight.RuleSteps:
			return fmt.Sprintf("property %q looks at steps, and in the model explicit a failure is a step (check only the other properties, by their names)", q.Name)
		}
	}
	return ""
}

// slow reports whether any link between nodes is slow, by the system's Network or by over,
// which overrides it.
func slow(sys *System, p Params, over Network) bool {
	own, err := sys.Links(p)
	return over.Slow != "" || err == nil && own.Slow != ""
}

func budgetText(n int) string {
	if n == Unlimited {
		return "all"
	}
	return fmt.Sprint(n)
}
