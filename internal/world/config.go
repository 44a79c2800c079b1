package world

import (
	"cmp"
	"fmt"

	"macemc/choose"
	"macemc/internal/byzantine"
	"macemc/internal/contract"
	"macemc/internal/handler"
	"macemc/internal/judge"
	"macemc/internal/net"
	"macemc/internal/observe"
	"macemc/internal/state"
	"macemc/netsim"
	"macemc/sim"
)

// Config has the conditions of a World's runs, and says what the World checks and records.
type Config struct {
	// Conditions are the conditions of its runs. If Faults is nil, the world has no fault budgets
	// until Allow sets them.
	sim.Conditions
	// Failing has sets of nodes that may fail together. Each state is also judged as if the nodes of
	// one set had failed: see sim.Conditions.Failing. If Faults is set, New computes the sets.
	Failing [][]int
	// Trace records every step, with effects and facts.
	Trace bool
	// Audit checks after every step that nothing changed but the node that
	// ran: messages under way, and the other nodes.
	Audit bool
	// Sprint looks for goroutines of handlers once, when Protect ends, and not after every
	// step. The step that is reported is then the last one.
	Sprint bool
	// Answers, if not nil, wraps the Answerer of the handlers. For example, it can give
	// them the answers of a recorded run.
	Answers func(handler.Answerer) handler.Answerer
	// Live is the number of nodes of each place that a bank keeps as they are and does not
	// pack; 0 means 16,384. It is for tests.
	Live int
	// Coverage, if set, counts what runs exercise.
	Coverage *observe.Coverage
}

// New makes a world for runs of sys with these params, which Configure
// made. The system must be valid: see Validate.
func New(sys *sim.System, params sim.Params, config Config) (*World, error) {
	params, err := sys.Resolve(params)
	if err != nil {
		return nil, err
	}
	if sys, err = byzantine.System(sys, params, config.Byzantine); err != nil {
		return nil, err
	}
	walker, err := contract.Walker(sys)
	if err != nil {
		return nil, err
	}
	bad, err := sys.Byzantines(params, "")
	if err != nil {
		return nil, err
	}
	if config.Coverage != nil {
		params = params.Noting(config.Coverage.Prepare(params))
	} else {
		params = params.Noting(nil)
	}
	n := params.Nodes
	network, err := sys.Links(params)
	if err != nil {
		return nil, err
	}
	w := &World{setting: setting{
		sys: sys, params: params, bad: bad, n: n, walker: walker, peers: make([][]sim.Addr, n),
		tracing: config.Trace, sprint: config.Sprint, shuffled: config.DiskReorder, within: config.CrashWithin, implicit: config.CrashImplicit,
		live: cmp.Or(config.Live, liveMost), work: new(Work),
	}}
	pace, err := sys.Pace(params)
	switch {
	case err != nil:
		return nil, err
	case config.FreeTimers && pace == nil:
		return nil, fmt.Errorf("the timers of %s are free already: it has no guarantee about clocks (System.Clock)", sys.Name)
	case !config.FreeTimers:
		w.pace = pace
	}
	if err := w.compose(over(network, config.Network)); err != nil {
		return nil, err
	}
	answer := handler.Answerer(answers{w})
	if config.Answers != nil {
		answer = config.Answers(answer)
	}
	w.Run.did.Init(handler.Config{System: sys, Params: params, Text: walker.Text, Tracing: w.tracing, Paced: w.pace != nil, Strict: config.Audit}, answer)
	var budgets sim.Faults
	if config.Faults != nil {
		budgets = config.Budgets(sys)
		if config.Failing, err = config.Conditions.Failing(sys, params); err != nil {
			return nil, err
		}
	}
	if err := sys.CanFail(params, budgets); err != nil {
		return nil, err
	}
	w.Environ.allow(budgets, config.Early)
	w.nodes.sees.Runtime, w.nodes.sees.Params = eyes{w}, params
	all := params.Addrs()
	for i := range w.nodes.at {
		w.nodes.sees.Nodes = append(w.nodes.sees.Nodes, &w.nodes.at[i].seen)
		w.peers[i] = append(append([]sim.Addr{}, all[:i]...), all[i+1:]...)
		w.nodes.at[i].index = i
		w.nodes.envs[i].Bind(&w.Run.did, state.AddrOf(i), w.peers[i])
		if w.nodes.at[i].first, err = sys.Opening(params, state.AddrOf(i)); err != nil {
			return nil, err
		}
	}
	if err := w.Judge.bind(judge.Config{
		System: sys, Params: params, Only: config.Properties, Failing: config.Failing, Sees: &w.nodes.sees, Sum: w.sum, Coverage: config.Coverage,
	}); err != nil {
		return nil, err
	}
	w.sums.Init(state.PlacesOf(n, len(faultNames)+1, len(w.Judge.Monitors())))
	if config.Audit {
		w.audits(observe.Audited{Walker: walker, Sum: w.sum, Stop: w.Run.ends, Nodes: &w.nodes.sees, Monitors: w.Judge.Monitors(), Under: w.parcels})
		w.Judge.Audit(w.audit)
	}
	if w.cover = config.Coverage; w.cover != nil {
		w.cover.Bind(w.subject())
	}
	return w, nil
}

// subject returns what coverage must know of the world to count its runs: the system, its parameters, the
// budgets of faults, the scripts and the properties.
func (w *World) subject() observe.Subject {
	of := w.Judge.Subject()
	of.System, of.Params, of.Faults = w.sys, w.params, w.Environ.budgets
	for k := range w.nodes.at {
		of.Scripts = append(of.Scripts, w.nodes.at[k].first)
	}
	return of
}

// compose makes the components of a world, such as its Links, Environment and Events, and gives
// each of them pointers to the components that it uses.
func (w *World) compose(network sim.Network) (err error) {
	s, n := &w.setting, w.n
	w.timers = newTimers(s)
	w.Run = Run{setting: s, timers: &w.timers, asking: asking{keeps: w.tracing || len(w.sys.Fair) > 0, question: choose.Question{Alternatives: possible{&w.Events}}}}
	if w.Links, err = net.NewLinks(n, network, &w.sums); err != nil {
		return err
	}
	w.nodes = nodes{
		setting: s, sums: &w.sums, timers: &w.timers, run: &w.Run, links: &w.Links,
		at: make([]nodeState, n), envs: make([]handler.Envs, n), script: netsim.NewBits(n), judge: &w.Judge.Judge,
	}
	w.Environ = Environment{paused: state.NewNodeSet(n), setting: s, sums: &w.sums, run: &w.Run, links: &w.Links, nodes: &w.nodes}
	w.disks = disks{setting: s, run: &w.Run, nodes: &w.nodes, environ: &w.Environ}
	w.Events = Events{setting: s, timers: &w.timers, run: &w.Run, links: &w.Links, nodes: &w.nodes, environ: &w.Environ}
	w.Judge = Judge{run: &w.Run, links: &w.Links, environ: &w.Environ}
	w.State = State{setting: s, sums: &w.sums, run: &w.Run, links: &w.Links, nodes: &w.nodes, environ: &w.Environ, judge: &w.Judge}
	w.Text = Text{setting: s, links: &w.Links, nodes: &w.nodes, environ: &w.Environ, judge: &w.Judge}
	return nil
}

// over returns n, with the fields that are set in o replaced by those of o.
func over(n, o sim.Network) sim.Network {
	if o.TCPBuffer > 0 {
		n.TCPBuffer = o.TCPBuffer
	}
	if o.UDPCapacity > 0 {
		n.UDPCapacity = o.UDPCapacity
	}
	if o.Slow != "" {
		n.Slow = o.Slow
	}
	return n
}
