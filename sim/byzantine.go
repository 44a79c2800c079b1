package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Byzantine is a node that does not keep to the protocol: it runs other code, or it is
// two nodes under one address, or it makes messages up. Properties do not see it and
// monitors do not hear it, unless Seen is set.
type Byzantine struct {
	Node Addr
	// New makes the node that runs in the place of the one that System.New makes. If
	// New is nil, the system's own code runs.
	New func(p Params, self Addr) Node
	// Twins are two nodes under the one address, each with timers, tasks and a store of
	// its own. Each message and each opening of the script reaches one of them, the other
	// or both, in one step; what they send comes from the one address.
	Twins bool
	// Lies is how many messages the node may make up in one run, or Unlimited. System.Forge
	// says which messages these can be. Random walks seldom choose a made-up message, and
	// none is made up after the faults of a run have ended.
	Lies int
	// Seen shows the node to properties and monitors. Twins and nodes that lie are never
	// seen.
	Seen bool
}

// Kind returns in words how the node deviates, as in "other code, twins, 2 lies".
func (b Byzantine) Kind() string { return strings.Join(b.kinds(), ", ") }

func (b Byzantine) kinds() (words []string) {
	if b.New != nil {
		words = append(words, "other code")
	}
	if b.Twins {
		words = append(words, "twins")
	}
	switch {
	case b.Lies == Unlimited:
		words = append(words, "any number of lies")
	case b.Lies == 1:
		words = append(words, "1 lie")
	case b.Lies > 1:
		words = append(words, strconv.Itoa(b.Lies)+" lies")
	}
	return words
}

// String names the node and says how it deviates.
func (b Byzantine) String() string {
	return fmt.Sprintf("%s (%s)", b.Node, b.Kind())
}

// check returns an error if a system with the parameters p has no such node, or if the node
// cannot deviate as b says.
func (b Byzantine) check(p Params) error {
	switch i := b.Node.Index(); {
	case i < 0 || i >= p.Nodes:
		return fmt.Errorf("%s is Byzantine, and there are %d nodes, counted from n0", b.Node, p.Nodes)
	case b.New == nil && !b.Twins && b.Lies == 0:
		return fmt.Errorf("%s is Byzantine without New, Twins or Lies; say what it does", b.Node)
	case b.Lies < Unlimited:
		return fmt.Errorf("%s may make up %d messages; that is 0 or more, or Unlimited", b.Node, b.Lies)
	case b.Seen && (b.Twins || b.Lies != 0):
		return fmt.Errorf("%s has Seen set, and Twins or Lies: a property can see neither twins nor a node that lies; leave Seen out", b.Node)
	}
	return nil
}

// Byzantines returns the nodes that do not keep to the protocol: those that the system
// declares, or instead those that text asks for, if it is not "". The text is none, or
// has the form twins@n1+n2,lies=3@n0. The addresses are in order.
func (sys *System) Byzantines(p Params, text string) (all []Byzantine, err error) {
	if p, err = sys.Resolve(p); err != nil {
		return nil, err
	}
	if text != "" {
		all, err = parseByzantines(text)
	} else if sys.Byzantine != nil {
		all = slices.Clone(sys.Byzantine(p))
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b Byzantine) int { return a.Node.Compare(b.Node) })
	for k, b := range all {
		if err := b.check(p); err != nil {
			return nil, err
		}
		if k > 0 && all[k-1].Node == b.Node {
			return nil, fmt.Errorf("%s is Byzantine twice; say in one entry what it does", b.Node)
		}
	}
	return all, nil
}

// parseByzantines parses a list of deviating nodes such as "twins@n1+n2,lies=3@n0".
func parseByzantines(text string) (all []Byzantine, err error) {
	if strings.TrimSpace(text) == "none" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		what, places, _ := strings.Cut(strings.TrimSpace(part), "@")
		name, value, has := strings.Cut(what, "=")
		var b Byzantine
		switch {
		case name == "twins" && !has:
			b.Twins = true
		case name == "lies" && has:
			if b.Lies, err = parseBudget("lies", value); err != nil {
				return nil, err
			}
			if b.Lies == 0 {
				return nil, errors.New("the budget of lies is 0; leave it out")
			}
		default:
			return nil, fmt.Errorf("there is no Byzantine behaviour %q; there are twins@n1 and lies=2@n1, or none", what)
		}
		for word := range strings.SplitSeq(places, "+") {
			i, is := nodeNumber(word)
			if !is {
				return nil, fmt.Errorf("%s is at %q; write %s@n1+n2 for nodes", name, word, what)
			}
			b.Node = addrOf(i)
			all = merged(all, b)
		}
	}
	return all, nil
}

// also adds to b the deviations that other declares for the same node.
func (b *Byzantine) also(other Byzantine) {
	b.Twins = b.Twins || other.Twins
	if other.Lies != 0 {
		b.Lies = other.Lies
	}
}

// merged returns the list all with b added. If all has an entry for b's node, b is added to that
// entry, and otherwise it is a new one.
func merged(all []Byzantine, b Byzantine) []Byzantine {
	for k := range all {
		if all[k].Node == b.Node {
			all[k].also(b)
			return all
		}
	}
	return append(all, b)
}

// made returns the node that runs at self. all has every Byzantine node of the system. made
// also reports whether properties see the node.
func (sys *System) made(p Params, self Addr, all []Byzantine) (n Node, seen bool) {
	for _, b := range all {
		if b.Node != self {
			continue
		}
		if b.New == nil {
			return sys.New(p, self), b.Seen
		}
		return b.New(p, self), b.Seen
	}
	return sys.New(p, self), true
}
