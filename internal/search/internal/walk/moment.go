package walk

import (
	"slices"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// A Moment is a situation in which a fault that is due happens. Most faults that matter come between
// two steps of one node that belong together: between a handler and the task that it posted, between a
// write and its sync, or right after a restart.
type Moment uint8

// The moments.
const (
	AtOnce   Moment = iota // before the next event
	Sent                   // when a node has just sent something
	Pending                // when a node has a task to do
	Unsynced               // when a node has written data that a crash may lose
	Reborn                 // when a node has just been restarted
	moments
)

// patience is the number of events after which a fault happens even if its moment has not come.
const patience = 8

// moment draws the moment for which a due fault waits. It leaves out the moments in lacks, which the system does
// not seem to have.
func (d *draws) moment(lacks Moments) Moment {
	var all [moments]Moment
	n := 0
	for m := Sent; m < moments; m++ {
		if lacks&(1<<m) == 0 {
			all[n] = m
			n++
		}
	}
	if d.below(4) != 0 || n == 0 {
		return AtOnce
	}
	return all[d.below(n)]
}

// Moments is a set of moments, one bit each.
type Moments uint8

// Waited counts, for each moment, how many faults waited for it, and how many of them happened at it.
type Waited [moments]struct{ For, Came int }

// waits counts a fault that begins to wait for moment m.
func (w *Waited) waits(m Moment) { w[m].For++ }

// comes counts a fault that happens at moment m after it has waited for it.
func (w *Waited) comes(m Moment) { w[m].Came++ }

// Add adds the counts of another walk.
func (w *Waited) Add(o *Waited) {
	for m := range w {
		w[m].For += o[m].For
		w[m].Came += o[m].Came
	}
}

// never is a number of faults. If this many have waited for a moment and it has never come, the system
// is assumed not to have that moment.
const never = 64

// Lacks returns the moments that the system does not seem to have, since many faults have waited for
// them in vain. For example, a system may have no tasks or no storage.
func (w *Waited) Lacks() (lacks Moments) {
	for m := range w {
		if w[m].For >= never && w[m].Came == 0 {
			lacks |= 1 << m
		}
	}
	return lacks
}

// Waited returns the counts of faults that waited in the present walk.
func (s *Walk) Waited() *Waited { return &s.guide.waited }

// comes returns the node for which moment m is now, for example the node that has just sent something. It returns
// the zero address if there is none.
func (g *guiding) comes(m Moment, w *world.World, q *choose.Question) sim.Addr {
	switch m {
	case Sent:
		for _, e := range w.Run.Effects() {
			if e.Kind == trace.EffectSend {
				return w.Run.Acting()
			}
		}
	case Pending:
		return busy(w, q, w.Run.Acting())
	case Unsynced:
		return g.unsynced(w)
	case Reborn:
		if e := w.Run.LastEvent(); e.Kind == sim.KindRestart {
			return e.Node
		}
	}
	return sim.Addr{}
}

// unsynced returns a node that has written data that a crash may lose. If the node that took the last
// step has such data, it returns that one, otherwise the first such node.
func (g *guiding) unsynced(w *world.World) sim.Addr {
	if a := w.Run.Acting(); !a.IsZero() && w.State.Unsynced(a.Index()) {
		return a
	}
	for i, a := range g.all {
		if w.State.Unsynced(i) {
			return a
		}
	}
	return sim.Addr{}
}

// busy returns a node that has a task to do: the node prefer if it has one, or else the first such
// node.
func busy(w *world.World, q *choose.Question, prefer sim.Addr) (node sim.Addr) {
	at := 0
	for _, r := range q.Runs {
		if r.Weight > 0 {
			for i := at; i < at+r.N; i++ {
				e := w.Events.Look(i)
				if e.Kind == sim.KindTask && (e.Node == prefer || node.IsZero()) {
					node = e.Node
				}
				if e.Kind > sim.KindTask {
					return node
				}
			}
		}
		at += r.N
	}
	return node
}

// A wait is a fault that is due and has not happened yet, since it waits for its moment.
type wait struct {
	moment Moment
	until  int // the depth at which the fault happens even without its moment
}

// skips removes the faults that become due before this depth. A walk that goes on from the state of
// a detour calls it, since its faults up to there are among the answers that were repeated.
func (g *guiding) skips(depth int) {
	for g.point < g.Faults && int(g.Points[g.point]) < depth {
		g.point++
	}
}

// fall picks a fault if one is due and possible at present. Otherwise it returns none.
func (g *guiding) fall(w *world.World, q *choose.Question, depth int) int {
	for ; g.point < g.Faults && int(g.Points[g.point]) <= depth; g.point++ {
		if m := g.Moments[g.point]; m == AtOnce {
			g.due++
		} else {
			g.waits = append(g.waits, wait{m, depth + patience})
			g.waited.waits(m)
		}
	}
	if g.due > 0 {
		if k := g.fault(w, q, sim.Addr{}); k != none {
			g.due--
			return k
		}
	}
	for i := 0; i < len(g.waits); i++ {
		at := sim.Addr{}
		if g.waits[i].until > depth {
			if at = g.comes(g.waits[i].moment, w, q); at.IsZero() {
				continue
			}
		}
		if k := g.fault(w, q, at); k != none {
			if !at.IsZero() {
				g.waited.comes(g.waits[i].moment)
			}
			g.waits = slices.Delete(g.waits, i, i+1)
			return k
		}
	}
	return none
}

// touches reports whether event e concerns the node or a message to or from it. An event of no node
// concerns every node, and the zero node stands for any.
func touches(e *sim.Event, node sim.Addr) bool {
	return node.IsZero() || e.Node == node || e.From == node || e.Node.IsZero()
}

// early picks a timer of a node that has just been restarted or has a task to do, so that the timer
// fires before the node's other events. It returns none if there is no such timer.
func (g *guiding) early(w *world.World, q *choose.Question) int {
	node := g.comes(Reborn, w, q)
	if node.IsZero() {
		node = g.comes(Pending, w, q)
	}
	if node.IsZero() {
		return none
	}
	return g.some(w, q, func(e *sim.Event) bool { return e.Kind == sim.KindTimer && e.Node == node })
}
