package byzantine

import (
	"fmt"

	"macemc/internal/guard"
	"macemc/internal/handler"
	"macemc/sim"
)

// conduct describes how a Byzantine node deviates from the protocol. It is not part of the state of the node.
type conduct struct {
	sim.Byzantine
	sys    *sim.System // the system without Byzantine nodes
	params sim.Params
}

// HandlerTable says that a conduct is not a part of a node's state: see sight.Table.
func (c *conduct) HandlerTable() {}

// System returns a copy of sys in which some nodes are Byzantine. If there are to be none, the result has none;
// if New of sys makes them already, System returns sys itself. text names the nodes, in the form of
// sim.Conditions.Byzantine.
func System(sys *sim.System, p sim.Params, text string) (*sim.System, error) {
	all, err := sys.Byzantines(p, text)
	if err != nil {
		return nil, fmt.Errorf("system %s: %w", sys.Name, err)
	}
	if p, err = sys.Resolve(p); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return without(sys), nil
	}
	if done, err := applied(sys, p, all); done || err != nil {
		return sys, err
	}
	for _, b := range all {
		if err := single(&conduct{b, sys, p}); err != nil {
			return nil, err
		}
	}
	return with(sys, all), nil
}

// single returns an error if the code of a Byzantine node declares quorums (several messages taken in one
// event), since a Byzantine node passes messages on one by one.
func single(c *conduct) error {
	var g handler.Guards
	err := guard.Call("New", func() { g = handler.GuardsOf(c.make(c.Node)) })
	if err == nil && !c.Seen && g.Quorate() {
		err = fmt.Errorf("the Byzantine node %s of %s takes several messages at once (sim.OnQuorum), and a Byzantine node gets messages one by one unless Seen is set; use sim.OnMessage", c.Node, c.sys.Name)
	}
	return err
}

// without returns a copy of sys in which no node is Byzantine.
func without(sys *sim.System) *sim.System {
	if sys.Byzantine == nil {
		return sys
	}
	honest := *sys
	honest.Byzantine = nil
	return &honest
}

// applied reports whether New of sys already makes the Byzantine nodes that all describes.
func applied(sys *sim.System, p sim.Params, all []sim.Byzantine) (is bool, err error) {
	for _, b := range all {
		err := guard.Call("New", func() { _, is = sys.New(p, b.Node).(*node) })
		if is || err != nil {
			return is, err
		}
	}
	return false, nil
}

// with returns a copy of sys in which the nodes that all describes are Byzantine.
func with(sys *sim.System, all []sim.Byzantine) *sim.System {
	bad := *sys
	bad.Byzantine = func(sim.Params) []sim.Byzantine { return all }
	bad.New = func(p sim.Params, self sim.Addr) sim.Node {
		if b := find(all, self); b != nil {
			return born(&conduct{*b, sys, p}, self)
		}
		return sys.New(p, self)
	}
	bad.Crash = func(p sim.Params, self sim.Addr, dead sim.Node) sim.Node {
		if n, is := dead.(*node); is {
			return n.reborn(&conduct{n.by.Byzantine, sys, p}, self)
		}
		if b := find(all, self); b != nil { // properties see such a node, so it is not wrapped in a node of this package
			return b.New(p, self)
		}
		return crashed(sys, p, self, dead)
	}
	if sys.Clone != nil {
		bad.Clone = func(p sim.Params, self sim.Addr, n sim.Node) sim.Node {
			if n, is := n.(*node); is {
				return n.clone(self)
			}
			return sys.Clone(p, self, n)
		}
	}
	bad.Weight = weight(sys, all)
	return &bad
}

// weight returns the System.Weight for a system with Byzantine nodes: lies are rare, and signals of the
// system's own code have the weight that the system's Weight gives them.
func weight(sys *sim.System, all []sim.Byzantine) func(sim.Event) float64 {
	lies := false
	for _, b := range all {
		lies = lies || b.Lies != 0
	}
	if !lies && sys.Weight == nil {
		return nil
	}
	return func(e sim.Event) float64 {
		if _, is := e.Value.(lie); is {
			return 0
		}
		if sys.Weight == nil {
			return 1
		}
		_, e.Value = untag(e.Value)
		return sys.Weight(e)
	}
}

func find(all []sim.Byzantine, at sim.Addr) *sim.Byzantine {
	for k := range all {
		if all[k].Node == at {
			return &all[k]
		}
	}
	return nil
}

// crashed makes the next life of the node inside a Byzantine node after a crash: with System.Crash if the
// system has it, and otherwise with System.New, as a new node. dead is the node of the life that has ended.
func crashed(sys *sim.System, p sim.Params, self sim.Addr, dead sim.Node) sim.Node {
	if sys.Crash == nil {
		return sys.New(p, self)
	}
	return sys.Crash(p, self, dead)
}
