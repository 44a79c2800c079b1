package sim

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"macemc/internal/canon"
	"macemc/netsim"
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
	Faults Faults
	// Early is how often timers may fire in a run while messages are under
	// way to or from their node, plus one; 0: unlimited.
	Early int
	// Network overrides what the system says of its links.
	Network Network
	// Coverage is told what runs exercise; nil: nobody is.
	Coverage *Coverage
}

// NewWorld makes a world for runs of sys with these params, which Configure
// made. The system must be valid: see Validate.
func NewWorld(sys *System, params Params, config Config) (*World, error) {
	params, err := sys.resolve(params)
	if err != nil {
		return nil, err
	}
	walker, err := canon.New(canon.Options{
		Opaque: sys.Opaque,
		Skip:   []reflect.Type{reflect.TypeFor[Env](), reflect.TypeFor[simPort]()},
		Named:  []reflect.Type{reflect.TypeFor[Addr]()},
	})
	if err != nil {
		return nil, fmt.Errorf("system %s: %w", sys.Name, err)
	}
	if params.cover = config.Coverage; params.cover != nil {
		params.cover.prepare(params)
	}
	n := params.Nodes
	w := &World{
		sys: sys, params: params, n: n, walker: walker,
		nodes: make([]nodeState, n), peers: make([][]Addr, n), spent: make([]int, n),
		udp: netsim.NewFIFO(n), set: netsim.NewSet(n),
		openT: netsim.NewBits(n * n), openU: netsim.NewBits(n * n), script: netsim.NewBits(n),
		sights: map[reflect.Type]any{}, known: map[any]*timerInfo{}, recents: make([]*timerInfo, 0, 8), tracing: config.Trace,
	}
	if sys.Network != nil {
		if err := guard("Network", func() { w.net = sys.Network(params) }); err != nil {
			return nil, err
		}
	}
	w.net = w.net.over(config.Network)
	w.net.TCPBuffer = cmp.Or(w.net.TCPBuffer, netsim.BufferDefault)
	w.net.UDPCapacity = cmp.Or(w.net.UDPCapacity, udpCapacityDefault)
	w.tcp = netsim.NewTCP(n, w.net.TCPBuffer, w.net.Flaws...)
	w.faults, w.firings = config.Faults, config.Early-1
	if err := sys.CanFail(params, w.faults); err != nil {
		return nil, err
	}
	w.sums.init(n)
	w.audit.on, w.sprint = config.Audit, config.Sprint
	w.asked.w = w
	w.question.Alternatives = &w.asked
	all := params.Addrs()
	for i := range w.nodes {
		w.nodes[i].env.bind(w, addrOf(i))
		w.nodes[i].opening.bind(w, addrOf(i))
		if sys.Script != nil {
			if err := guard("Script", func() { w.nodes[i].first = sys.Script(params, addrOf(i), 0) }); err != nil {
				return nil, fmt.Errorf("at %s, %w", addrOf(i), err)
			}
			if slices.Contains(w.nodes[i].first, nil) {
				return nil, fmt.Errorf("the Script of %s has a nil signal; a signal is a value of a type of its own", addrOf(i))
			}
		}
		w.peers[i] = append(append([]Addr{}, all[:i]...), all[i+1:]...)
	}
	if err := w.bindProperties(config.Only); err != nil {
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

func (w *World) bindProperties(only []string) error {
	wanted := map[string]bool{}
	for _, name := range only {
		wanted[name] = true
	}
	for _, p := range w.sys.Properties {
		if len(only) > 0 && !wanted[p.Name] {
			continue
		}
		delete(wanted, p.Name)
		switch p.kind {
		case propertyAlways:
			w.always = append(w.always, p.state(w))
		case propertyEventually:
			w.eventually = append(w.eventually, p.state(w))
		case propertyMonitor:
			w.monitors = append(w.monitors, p.monitor())
		case propertySteps: // needs two worlds: see StepChecks
		default:
			return fmt.Errorf("system %s: property %q was not made by Always, Eventually, Steps or Monitor", w.sys.Name, p.Name)
		}
	}
	for _, name := range only {
		if wanted[name] {
			var names []string
			for _, p := range w.sys.Properties {
				names = append(names, p.Name)
			}
			return fmt.Errorf("%s has no property %q; it has %s", w.sys.Name, name, strings.Join(names, "; "))
		}
	}
	if !w.sys.Within.IsZero() {
		w.within = w.sys.Within.state(w)
	}
	if !w.sys.Assume.IsZero() {
		w.assume = w.sys.Assume.state(w)
	}
	return nil
}
