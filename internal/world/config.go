package world

import (
	"fmt"

	"macemc/netsim"
	"macemc/sim"
)

// Config says what a World does besides running.
type Config struct {
	// Only restricts the properties to these names; nil: all.
	Only []string
	// Trace records every step, with effects and facts.
	Trace bool
	// Audit checks after every step that nothing changed but the node that
	// ran: messages under way, and the other nodes.
	Audit bool
	// Sprint looks for goroutines that handlers have started once, when Protect
	// ends, and not after every step: the step that is told is then the last.
	Sprint bool
	// Faults are the budgets of each run.
	Faults sim.Faults
	// Early is how often timers may fire in a run while messages are under
	// way to or from their node; nil: without limit.
	Early *int
	// Network overrides what the system says of its links.
	Network sim.Network
	// FreeTimers lets timers fire at any step, whatever the system says of its
	// clocks.
	FreeTimers bool
	// DiskReorder lets a crash leave any part of what was not synced, and not the
	// first writes only.
	DiskReorder bool
	// Coverage is told what runs exercise; nil: nobody is.
	Coverage *Coverage
}

// New makes a world for runs of sys with these params, which Configure
// made. The system must be valid: see Validate.
func New(sys *sim.System, params sim.Params, config Config) (*World, error) {
	params, err := sys.Resolve(params)
	if err != nil {
		return nil, err
	}
	walker, err := sys.Walker()
	if err != nil {
		return nil, err
	}
	if config.Coverage != nil {
		config.Coverage.prepare(params)
		params = params.Noting(config.Coverage.bugs)
	} else {
		params = params.Noting(nil)
	}
	n := params.Nodes
	net, err := sys.Links(params)
	if err != nil {
		return nil, err
	}
	w := &World{
		sys: sys, params: params, n: n, walker: walker,
		nodes: make([]nodeState, n), peers: make([][]sim.Addr, n), script: netsim.NewBits(n),
		links: newLinks(n, over(net, config.Network)), timers: newTimers(),
		turn: turn{spent: make([]int, n)}, tracing: config.Trace,
	}
	pace, err := sys.Pace(params)
	switch {
	case err != nil:
		return nil, err
	case config.FreeTimers && pace == nil:
		return nil, fmt.Errorf("the timers of %s are free already: it says nothing of its clocks", sys.Name)
	case !config.FreeTimers:
		w.pace = pace
	}
	w.shuffled = config.DiskReorder
	w.environ = environment{links: &w.links, nodes: w.nodes}
	if w.links.slow, err = w.links.net.SlowLinks(n); err != nil {
		return nil, err
	}
	if err := sys.CanFail(params, config.Faults); err != nil {
		return nil, err
	}
	w.environ.allow(config.Faults, config.Early)
	w.sums.init(n)
	w.sees.Runtime, w.sees.Params = eyes{w}, params
	w.audit.on, w.sprint = config.Audit, config.Sprint
	w.asked.w = w
	w.question.Alternatives = &w.asked
	all := params.Addrs()
	for i := range w.nodes {
		w.sees.Nodes = append(w.sees.Nodes, &w.nodes[i].seen)
		w.nodes[i].opening.bind(w, addrOf(i), true)
		for k := range w.nodes[i].envs {
			w.nodes[i].envs[k].bind(w, addrOf(i), false)
		}
		if w.nodes[i].first, err = sys.Opening(params, addrOf(i)); err != nil {
			return nil, err
		}
		w.peers[i] = append(append([]sim.Addr{}, all[:i]...), all[i+1:]...)
	}
	if err := w.judge.bind(sys, config.Only); err != nil {
		return nil, err
	}
	if w.audit.on {
		w.auditProperties()
	}
	if w.cover = config.Coverage; w.cover != nil {
		w.cover.bind(w)
	}
	return w, nil
}
