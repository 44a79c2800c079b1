package decide

import "slices"

// A salt selects the random answers of walks, so that walks for different purposes are independent. Package
// critical uses other salts.
const (
	saltSearch = 1
	saltHold   = 3
	saltShare  = 4
	saltCurve  = 6
	saltNearer = 7
	saltPace   = 0x10   // and the next two, for storms of several lengths
	saltDid    = 0x40   // and the next ones, one for each round
	saltFresh  = 0x1000 // and the next ones, one for each round
	saltRound  = 0x400  // added for each round of the test of a shortened run
)

// startsMost is the largest number of stretches of a run for which isolate tries the first state of each. In
// a run with more stretches it tries only some of them.
const startsMost = 24

// isolate finds the last recoverable state among the first n+1 states of the run, and the state after it,
// which seems dead. It returns the numbers of steps to them, low and low+1. The end must be dead. If no state
// is recoverable, it returns -1 and 0.
func (p *Finder) isolate(n int) (low, high int, err error) {
	low, high, err = p.stretch(n)
	if err == nil && p.known() {
		return p.lastKnown()
	}
	if err != nil || low < 0 {
		return low, high, err
	}
	from, end := low, high
	try := func(at int) error {
		alive, err := p.alive(at)
		if err != nil {
			return err
		}
		if alive {
			low = p.reach(at)
		} else {
			high = at
		}
		if low >= high { // a walk that became live followed the run beyond a state that had seemed dead
			high = end
		}
		p.tell(low, high)
		return nil
	}
	for d := 1; from+d < high && !p.known(); d *= 2 {
		if from+d <= low {
			continue
		}
		if err := try(from + d); err != nil {
			return 0, 0, err
		}
		if high < end {
			break
		}
	}
	for low+1 < high && !p.known() {
		if err := try((low + high) / 2); err != nil {
			return 0, 0, err
		}
	}
	switch {
	case p.known():
		return p.lastKnown()
	case low < high:
		return low, high, nil
	case low >= n:
		return 0, 0, ErrAlive
	default: // walks have shown a state beyond the stretch to be recoverable: begin again
		return p.isolate(n)
	}
}

// known reports whether the critical step is known: all states from p.dead on are known to be dead, and the
// state before is known to be recoverable.
func (p *Finder) known() bool { return p.verdicts[p.dead-1].alive }

// lastKnown returns the number of steps to the last recoverable state and to the first dead one, if known
// returns true. It returns ErrAlive if no state is known to be dead: then a walk from an earlier state may
// have followed the whole run.
func (p *Finder) lastKnown() (low, high int, err error) {
	if p.dead > p.run.Steps() {
		return 0, 0, ErrAlive
	}
	return p.dead - 1, p.dead, nil
}

// reach follows the walk that became live from the state after step at, and returns the last state of the run that
// it passed. It records that all states up to there are recoverable.
func (p *Finder) reach(at int) int {
	w := p.verdicts[at].witness
	for k := 1; k <= w.Shared; k++ {
		p.verdicts[at+k] = verdict{alive: true, witness: Success{Number: w.Number, Steps: w.Steps - k}}
	}
	return at + w.Shared
}

// stretch finds the last recoverable stretch among the first n+1 states of the run: one whose first state is
// recoverable. A stretch is the part of a run between two wild steps (faults, and other steps that are impossible
// once the environment has healed). stretch returns the numbers of steps to a recoverable state of the stretch, and
// to its end, which is not recoverable.
func (p *Finder) stretch(n int) (low, high int, err error) {
	live := -1 // the last state of the run that is live
	if !p.survive {
		for s, is := range p.run.Live {
			if is {
				live = s
			}
		}
		for s, v := range p.verdicts { // if a state can recover, so can the states before it
			if v.alive && s < n {
				live = max(live, s)
			}
		}
	}
	starts := []int{0}
	for i, wild := range p.run.Wild {
		if wild && i+1 < n {
			starts = append(starts, i+1)
		}
	}
	at, err := p.lastAlive(starts, live)
	if err != nil || at < 0 {
		return -1, 0, err
	}
	high = n
	if at+1 < len(starts) {
		high = starts[at+1]
	}
	low = starts[at]
	if live >= low && live < high {
		low = live
		if _, known := p.verdicts[low]; !known {
			p.verdicts[low] = verdict{alive: true}
		}
	}
	return low, high, nil
}

// lastAlive returns the index in starts of the last state that is recoverable, or -1. The states of the run up to
// number live are known to be recoverable; live is -1 if none is known. If there are many states, a binary search
// finds one that is recoverable while the next is not, and then some states beyond it are tried.
func (p *Finder) lastAlive(starts []int, live int) (int, error) {
	known := -1
	for i, s := range starts {
		if s <= live {
			known = i
		}
	}
	if len(starts)-known <= startsMost {
		return p.lastOf(starts, known, len(starts), 1)
	}
	low, high := known, len(starts)
	for low+1 < high {
		mid := (low + high) / 2
		alive, err := p.alive(starts[mid])
		if err != nil {
			return 0, err
		}
		if alive {
			low = mid
		} else {
			high = mid
		}
	}
	return p.lastOf(starts, low, len(starts), max(1, (len(starts)-low)/startsMost))
}

// lastOf returns the index of the last recoverable state between low and high in starts, or low if it finds none.
// It tries these states from the last to the first: all of them if every is 1, every second one if it is 2, and so
// on.
func (p *Finder) lastOf(starts []int, low, high, every int) (int, error) {
	for i := high - 1; i > low; i -= every {
		alive, err := p.alive(starts[i])
		if err != nil {
			return 0, err
		}
		if alive {
			if every > 1 { // try those between this state and the next one that was tried
				return p.lastOf(starts, i, min(i+every, high), 1)
			}
			return i, nil
		}
	}
	return low, nil
}

// firstWalks is the number of walks that are tried first. From most recoverable states one of them becomes
// live.
const firstWalks = 6

// alive reports whether the state of the run after step number at is recoverable. True is certain; false may only
// mean that no walk became live.
func (p *Finder) alive(at int) (bool, error) {
	if v, known := p.verdicts[at]; known && (v.alive || v.by >= p.length()) {
		return v.alive, nil
	}
	if at >= p.dead {
		return false, nil
	}
	for _, count := range []int{min(firstWalks, p.opts.Walks), p.opts.Walks} {
		if alive, err := p.walk(at, saltSearch, Round{count, p.length()}, Plain); err != nil || alive {
			return alive, err
		}
		if p.dead <= p.run.Steps() {
			if err := p.settle(at, min(p.opts.Exhaust, exhaustEach)); err != nil {
				return false, err
			}
			if v := p.verdicts[at]; v.alive || at >= p.dead {
				return v.alive, nil
			}
		}
	}
	return p.escapes(at, saltHold, Round{(p.opts.Walks + 1) / 2, p.heldSteps()})
}

// length returns the number of steps of the walks that isolate takes. That is p.walkLen, but at most the length of
// the shortest walks of the test that decides about the result later.
func (p *Finder) length() int {
	if p.survive || p.recovery == 0 {
		return p.walkLen
	}
	return min(p.walkLen, p.test().Shortest())
}

// test returns the test by which a state is called dead, given the slowest recovery that was seen so far.
func (p *Finder) test() Test {
	return Test{
		Walks: p.opts.Walks, WalkSteps: p.opts.WalkSteps, MaxWalkSteps: p.opts.MaxWalkSteps, Recovery: p.recovery,
		Hopeless: p.recovery == 0 && !slices.Contains(p.run.Live, true),
	}
}

// escapes looks for a recovery from a state that plain walks do not find. It takes walks in which one event waits,
// as many and as long as holding says, and then some walks of the other manners. They need not be longer than plain
// walks, since they find a narrow escape by picking other events, not by going on for longer.
func (p *Finder) escapes(at int, salt uint16, holding Round) (bool, error) {
	for m := Holding; m < manners; m++ {
		count := holding.Walks
		switch end := at == p.run.Steps(); {
		case m == Holding:
		case p.survive: // a single walk that goes on shows little
			return false, nil
		case !end:
			count = (p.opts.Walks + 5) / 6
		}
		if alive, err := p.walk(at, salt, Round{count, holding.Steps}, m); err != nil || alive {
			return alive, err
		}
	}
	return false, nil
}

// heldSteps returns the number of steps of walks in manners other than Plain. They begin by letting an event
// wait for up to 64 steps.
func (p *Finder) heldSteps() int {
	if p.survive {
		return p.walkLen
	}
	return min(max(p.length(), heldLeast), p.opts.WalkSteps)
}

const heldLeast = 256

// fresh decides whether the state after step at is dead, by the walks of the test, which are independent of those
// that chose the state. If no walk of the first round becomes live, it calls escapes, whose walks are no part of
// the evidence. It returns nil if a walk showed that the state can recover.
func (p *Finder) fresh(at int) (*Evidence, error) {
	rounds, held := p.test().Rounds(), Round{p.opts.Walks, p.heldSteps()}
	if p.survive {
		rounds, held.Steps = []Round{{p.opts.Walks, p.walkLen}}, min(4*p.walkLen, p.opts.WalkSteps)
	}
	for i, r := range rounds {
		p.round++
		if alive, err := p.walk(at, saltFresh+p.round, r, Plain); err != nil || alive {
			return nil, err
		}
		if i == 0 { // most narrow escapes are met here, before the long walks
			if alive, err := p.escapes(at, saltFresh+p.round, held); err != nil || alive {
				return nil, err
			}
		}
	}
	return NewEvidence(rounds, at), nil
}

// walk takes walks from the state after step at, records what they show about the state, and reports whether one of
// them succeeded.
func (p *Finder) walk(at int, salt uint16, r Round, m Manner) (alive bool, err error) {
	w, err := p.ask(Walks{From: at, Count: r.Walks, Steps: r.Steps, Salt: salt, Survive: p.survive, Manner: m, Exempt: at == p.run.Steps()})
	if err != nil {
		return false, err
	}
	if alive = len(w.Success) > 0; alive {
		p.verdicts[at] = verdict{alive: true, witness: w.Success[0]}
		p.recovered(w.Success[0])
	} else if v := p.verdicts[at]; r.Walks >= p.opts.Walks && m == Plain {
		p.verdicts[at] = verdict{by: max(v.by, r.Steps)}
	}
	return alive, nil
}

// recovered updates the number of steps of the slowest known recovery.
func (p *Finder) recovered(s Success) {
	if !p.survive {
		p.recovery = max(p.recovery, s.Steps)
	}
}

// ask makes the lab take walks. It counts them, and collects the failures that they met: see Note.
func (p *Finder) ask(q Walks) (*Walked, error) {
	if p.Stopped(1) {
		return nil, ErrStopped
	}
	w, err := p.lab.Walk(q)
	if err != nil {
		return nil, err
	}
	p.walks += w.Taken
	p.Note(q.From, w.Failed)
	return w, nil
}

// Note keeps the failures that walks from the state after step at met: the first of each kind. It keeps none if the
// run itself ends in a failure.
func (p *Finder) Note(at int, failed []Failed) {
	if p.survive {
		return
	}
	for _, f := range failed {
		m := Met{at, f}
		if kind := m.Kind(); !p.met[kind] {
			p.met[kind] = true
			p.others = append(p.others, m)
		}
	}
}

func (p *Finder) tell(low, high int) {
	if p.opts.Tell != nil {
		p.opts.Tell(State{Low: low, High: high, Walks: p.walks})
	}
}
