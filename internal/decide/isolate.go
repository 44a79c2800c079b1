package decide

// Salts keep the walks of different purposes apart. Those of who looks further
// into a finding are others.
const (
	saltSearch = 1
	saltHold   = 3
	saltShare  = 4
	saltLong   = 5
	saltCurve  = 6
	saltDid    = 0x40   // and some above: a round each
	saltFresh  = 0x1000 // and those above: a round each
)

// startsMost is how many stretches are tried one by one; of more than that,
// some are.
const startsMost = 24

// isolate looks for the last state that is recoverable and the one after it,
// which seems dead: low and low+1. The end is dead. -1, 0: none is recoverable.
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
		if low >= high { // a live walk went along the run to where it had seemed dead
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
	default: // beyond the end of the stretch
		return p.isolate(n)
	}
}

// known reports whether the state before those that are known to be dead is
// known to be recoverable: nothing is left to look for.
func (p *Finder) known() bool { return p.verdicts[p.dead-1].alive }

// lastKnown is that state and the one after it. Where none is known to be dead, it
// is the end of the run: a walk from a state before may have gone along all of it.
func (p *Finder) lastKnown() (low, high int, err error) {
	if p.dead > p.run.Steps() {
		return 0, 0, ErrAlive
	}
	return p.dead - 1, p.dead, nil
}

// reach is how far the live walk from a state went along the run: all states on
// its way are recoverable.
func (p *Finder) reach(at int) int {
	w := p.verdicts[at].witness
	for k := 1; k <= w.Shared; k++ {
		p.verdicts[at+k] = verdict{alive: true, witness: Success{Number: w.Number, Steps: w.Steps - k}}
	}
	return at + w.Shared
}

// stretch is the last stretch between two wild steps whose first state is
// recoverable: a state of it that is, and its end, which is not.
func (p *Finder) stretch(n int) (low, high int, err error) {
	live := -1 // the last state of the run that is live
	if !p.survive {
		for s, is := range p.run.Live {
			if is {
				live = s
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

// lastAlive is the number of the last of these states that is recoverable; -1:
// none is. What a live state of the run proves is known already. Of many states
// not all are tried: a binary search finds one that is recoverable and whose
// next is not, and some beyond it are probed.
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

// lastOf tries every so many of the states above low, from the last on.
func (p *Finder) lastOf(starts []int, low, high, every int) (int, error) {
	for i := high - 1; i > low; i -= every {
		alive, err := p.alive(starts[i])
		if err != nil {
			return 0, err
		}
		if alive {
			if every > 1 { // between here and the next that was tried
				return p.lastOf(starts, i, min(i+every, high), 1)
			}
			return i, nil
		}
	}
	return low, nil
}

// firstWalks are taken before anything more is spent on a position: most that
// are recoverable show it at once.
const firstWalks = 6

// alive reports whether a state of the run is recoverable, as far as is known.
// What was once found alive stays so.
func (p *Finder) alive(at int) (bool, error) {
	if v, known := p.verdicts[at]; known && (v.alive || v.by >= p.walkLen) {
		return v.alive, nil
	}
	if at >= p.dead {
		return false, nil
	}
	for _, count := range []int{min(firstWalks, p.opts.Walks), p.opts.Walks} {
		if _, err := p.walk(at, saltSearch, count, Plain); err != nil || p.verdicts[at].alive {
			return err == nil, err
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
	return p.escapes(at, saltHold, (p.opts.Walks+1)/2, p.walkLen)
}

// escapes looks for a narrow way out of a state from which no plain walk becomes
// live: by walks in which one event waits, by some of the other manners, and from
// the end of the run by some that are as long as any may be. The others take so many
// steps, and never more than walks are asked to at first, however long the plain ones
// have become since: what makes an escape narrow is what they pick, and not how long
// they go on.
func (p *Finder) escapes(at int, salt uint16, holding, steps int) (bool, error) {
	was := p.walkLen
	defer func() { p.walkLen = was }()
	p.walkLen = min(steps, p.opts.WalkSteps)
	for m := Holding; m < manners; m++ {
		count := holding
		switch end := at == p.run.Steps(); {
		case m == Holding:
		case p.survive: // what one of many walks shows is little
			return false, nil
		case !end:
			count = (p.opts.Walks + 5) / 6
		}
		if _, err := p.walk(at, salt, count, m); err != nil || p.verdicts[at].alive {
			return err == nil, err
		}
	}
	if at < p.run.Steps() || was >= p.opts.MaxWalkSteps {
		return false, nil
	}
	p.walkLen = p.opts.MaxWalkSteps
	_, err := p.walk(at, saltLong, (p.opts.Walks+9)/10, Plain)
	return err == nil && p.verdicts[at].alive, err
}

// fresh takes walks of so many steps that nothing was chosen by. If none of them is
// live, others look for a narrow escape; evidence are only the first. The others go on
// for at least eight times as long as it took to recover from the state before.
func (p *Finder) fresh(at, steps int) (*Walked, error) {
	p.round++
	was := p.walkLen
	defer func() { p.walkLen = was }()
	p.walkLen = steps
	w, err := p.walk(at, saltFresh+p.round, p.opts.Walks, Plain)
	if err != nil || len(w.Success) > 0 {
		return w, err
	}
	if alive, err := p.escapes(at, saltFresh+p.round, p.opts.Walks, 4*was); err != nil || alive {
		return &Walked{Success: []Success{p.verdicts[at].witness}}, err
	}
	return w, nil
}

// walk takes walks from a state of the run, and notes what they show.
func (p *Finder) walk(at int, salt uint16, count int, m Manner) (*Walked, error) {
	if p.Stopped(1) {
		return nil, ErrStopped
	}
	w, err := p.lab.Walk(Walks{From: at, Count: count, Steps: p.walkLen, Salt: salt, Survive: p.survive, Manner: m, Exempt: at == p.run.Steps()})
	if err != nil {
		return nil, err
	}
	p.walks += w.Taken
	if len(w.Success) > 0 {
		p.verdicts[at] = verdict{alive: true, witness: w.Success[0]}
	} else if count == p.opts.Walks && m == Plain {
		p.verdicts[at] = verdict{by: p.walkLen}
	}
	p.Note(at, w.Failed)
	return w, nil
}

// Note keeps what walks from a state met besides: the first failure of each kind.
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
