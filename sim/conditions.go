package sim

import "slices"

// Conditions are what a run depends on besides its system, its parameters and its
// answers. The zero value runs the system as it is by default.
type Conditions struct {
	// Properties are the names of the properties to check. If nil, all are checked.
	Properties []string
	// Faults are the budgets of the environment. If nil, they are System.Tolerates.
	Faults *Faults
	// Early is how often timers may fire in a run while messages are under way to
	// or from their node. If nil, there is no limit.
	Early *int
	// Network overrides what the system says of its links.
	Network Network
	// FreeTimers lets timers fire at any step, whatever the system says about its clocks.
	FreeTimers bool
	// DiskReorder lets a crash keep any subset of the writes that were not synced, and not only the
	// first of them.
	DiskReorder bool
	// Byzantine says which nodes do not keep to the protocol, in place of those that the system
	// declares: none, or twins@n1+n2,lies=3@n0. If it is "", the system's declaration holds.
	Byzantine string
	// CrashWithin lets every node fail within a step, between its sends, writes and emitted
	// facts. Without it, only a node that stores may fail there, and every other node fails
	// in a step of its own.
	CrashWithin bool
	// CrashImplicit checks nodes that fail for good without an event in which a node goes down.
	// A failed node only takes no more steps, and the search takes runs in which a node takes no
	// more steps anyway. So each state is judged as it is, and again without the nodes of each
	// set that Faults.Down lets fail. It is for systems in which no node can notice that another
	// one failed; for other systems the search returns an error.
	CrashImplicit bool
}

// Stated returns the faults that were asked for: c.Faults, or System.Tolerates.
func (c *Conditions) Stated(sys *System) Faults {
	if c.Faults != nil {
		return *c.Faults
	}
	return sys.Tolerates
}

// Budgets returns the faults that may happen as events of a run. With CrashImplicit its Down is 0: no event
// makes a node fail for good, since each state is judged with and without the nodes that may fail.
func (c *Conditions) Budgets(sys *System) Faults {
	f := c.Stated(sys)
	if c.CrashImplicit {
		f.Down = 0
	}
	return f
}

// Stormy reports whether the environment may misbehave in a run of sys, so that the run
// needs a step (KindHeal) after which it no longer does.
func (c *Conditions) Stormy(sys *System, p Params) bool {
	return c.Early != nil || !c.Budgets(sys).IsZero() || c.lies(sys, p)
}

// lies reports whether sys has a node that may make messages up.
func (c *Conditions) lies(sys *System, p Params) bool {
	all, err := sys.Byzantines(p, c.Byzantine)
	return err == nil && slices.ContainsFunc(all, func(b Byzantine) bool { return b.Lies != 0 })
}
