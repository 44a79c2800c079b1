package run

import (
	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// Keep prepares the pulse to record the run of a step that an explorer is about to take, in a slot of the trail
// (memory that another process can read). led holds the answers that lead to the state where the explorer's runs
// begin. The caller passes as turn what its last call of Keep returned as now, or 0. If fresh is true, the answers
// that Add has recorded so far belong to another run, and the caller must add all answers of its run. If ok is
// false, the trail has no free slot, and nothing is recorded.
func (p *Pulse) Keep(turn int, led []choose.Pick, c Climate) (now int, fresh, ok bool) {
	if p.slot == nil || p.turn != turn {
		p.keep(led)
		p.weather(c)
		fresh = true
	}
	return p.turn, fresh, p.slot != nil
}

// Cut removes the recorded answers after the first n that Add has recorded. The answers that were
// passed to Keep as led stay, and are not counted.
func (p *Pulse) Cut(n int) {
	p.picks = p.picks[:n]
	p.stands()
}

// Add records further answers of the run, and returns how many are recorded now. It does not count those
// that were passed to Keep as led. If the trail has no free slot, nothing is recorded, and Add returns 0.
func (p *Pulse) Add(answers ...int) int {
	if p.slot == nil {
		return 0
	}
	for _, k := range answers {
		p.picks = append(p.picks, choose.Pick{Pick: uint32(k)})
	}
	p.stands()
	return len(p.picks)
}

// Inside returns the service's part of the stack of the present run, and the state of its goroutine in
// the words of Go's runtime.
func (p *Pulse) Inside() (stack, does string) { return inside(p.Where()) }

// Count returns a number that changes with every question of a run. It is 0 if no run is under way.
func (p *Pulse) Count() uint64 { return p.count.Load() }

// UpTo repeats a run that got stuck, to describe where. It gives the first n-1 answers, and records the n-th
// without giving it, so the handler that did not return ends there. It returns the path, and the node and identity
// of the last event that was chosen. If ok is false, the run ended before the n-th answer.
func (r *Runs) UpTo(answers choose.Source, n int, c Climate) (path *choose.Path, node sim.Addr, identity string, ok bool, err error) {
	if n == 0 {
		return &choose.Path{}, sim.Addr{}, StartOfNode, true, nil
	}
	w, err := r.NewWorld(world.Config{})
	if err != nil {
		return nil, node, "", false, err
	}
	record := choose.NewRecord(answers)
	s := &upTo{Source: record, w: w, left: n, identity: StartOfNode}
	r.Allow(c, w)
	w.Protect(func() {
		w.Start(s)
		for p := world.Stepped; p == world.Stepped; {
			p = c.Step(w, s)
		}
	})
	return record.Path(), s.node, s.identity, s.left <= 0, nil
}
