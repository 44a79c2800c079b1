package critical

import (
	"macemc/search"
)

// Salts keep the walks of different purposes apart.
const (
	saltSearch = 1
	saltShrink = 2
	saltHold   = 3
	saltShare  = 4
	saltFresh  = 0x1000 // and those above: a round each
	saltNear   = 0x4000
	saltSure   = 0x8000
)

// startsMost is how many stretches are tried one by one; of more than that,
// some are.
const startsMost = 24

// isolate looks for the last state that is recoverable and the one after it,
// which seems dead: low and low+1. The end is dead. -1, 0: none is recoverable.
func (p *finder) isolate(n int) (low, high int, err error) {
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
		p.tell(Progress{Doing: DoingIsolate, Low: low, High: high, Of: n})
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
		return 0, 0, errAlive
	default: // beyond the end of the stretch
		return p.isolate(n)
	}
}

// known reports whether the state before those that are known to be dead is
// known to be recoverable: nothing is left to look for.
func (p *finder) known() bool { return p.verdicts[p.dead-1].alive }

// lastKnown is that state and the one after it. Where none is known to be dead, it
// is the end of the run: a walk from a state before may have gone along all of it.
func (p *finder) lastKnown() (low, high int, err error) {
	if p.dead > p.of.Steps() {
		return 0, 0, errAlive
	}
	return p.dead - 1, p.dead, nil
}

// reach is how far the live walk from a state went along the run: all states on
// its way are recoverable.
func (p *finder) reach(at int) int {
	w := p.verdicts[at].witness
	for k := 1; k <= w.Shared; k++ {
		p.verdicts[at+k] = verdict{alive: true, witness: search.Success{Number: w.Number, Steps: w.Steps - k}}
	}
	return at + w.Shared
}

// stretch is the last stretch between two wild steps whose first state is
// recoverable: a state of it that is, and its end, which is not.
func (p *finder) stretch(n int) (low, high int, err error) {
	live := -1 // the last state of the run that is live
	if !p.survive {
		for s, is := range p.of.Live {
			if is {
				live = s
			}
		}
	}
	starts := []int{0}
	for i, wild := range p.of.Wild {
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
func (p *finder) lastAlive(starts []int, live int) (int, error) {
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
func (p *finder) lastOf(starts []int, low, high, every int) (int, error) {
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
func (p *finder) alive(at int) (bool, error) {
	if v, known := p.verdicts[at]; known && (v.alive || v.by >= p.walkLen) {
		return v.alive, nil
	}
	if at >= p.dead {
		return false, nil
	}
	for _, count := range []int{min(firstWalks, p.opts.Search.Walks), p.opts.Search.Walks} {
		if _, err := p.walk(at, saltSearch, count, false); err != nil || p.verdicts[at].alive {
			return err == nil, err
		}
		if p.dead <= p.of.Steps() {
			if err := p.settle(at, min(p.opts.Exhaust, exhaustEach)); err != nil {
				return false, err
			}
			if v := p.verdicts[at]; v.alive || at >= p.dead {
				return v.alive, nil
			}
		}
	}
	_, err := p.walk(at, saltHold, (p.opts.Search.Walks+1)/2, true)
	return err == nil && p.verdicts[at].alive, err
}

// fresh takes walks that nothing was chosen by. If none of them is live, others
// look for a narrow escape; evidence are only the first.
func (p *finder) fresh(at int) (*search.Walked, error) {
	p.round++
	w, err := p.walk(at, saltFresh+p.round, p.opts.Search.Walks, false)
	if err != nil || len(w.Success) > 0 {
		return w, err
	}
	held, err := p.walk(at, saltFresh+p.round, p.opts.Search.Walks, true)
	if err != nil || len(held.Success) > 0 {
		return held, err
	}
	return w, nil
}

// walk takes walks from a state of the run, or such in which an event waits, and
// notes what they show.
func (p *finder) walk(at int, salt uint16, count int, hold bool) (*search.Walked, error) {
	if p.stopped(1) {
		return nil, search.ErrStopped
	}
	w, err := p.lab.Walk(p.of, search.Walks{From: at, Count: count, Steps: p.walkLen, Salt: salt, Survive: p.survive, Hold: hold, Exempt: at == p.of.Steps()})
	if err != nil {
		return nil, err
	}
	p.walks += w.Taken
	if len(w.Success) > 0 {
		p.verdicts[at] = verdict{alive: true, witness: w.Success[0]}
	} else if count == p.opts.Search.Walks && !hold {
		p.verdicts[at] = verdict{by: p.walkLen}
	}
	return w, p.note(p.of, at, w.Failed)
}

// note keeps what walks met besides: the first failure of each kind.
func (p *finder) note(of *search.Case, at int, failed []search.Failed) error {
	if p.survive {
		return nil
	}
	for _, f := range failed {
		kind := f.Failure.Verdict.String() + " " + f.Failure.Property + " " + f.Failure.Message
		if f.Failure.Property != "" {
			kind = f.Failure.Verdict.String() + " " + f.Failure.Property
		}
		if p.met[kind] {
			continue
		}
		p.met[kind] = true
		other, err := p.lab.Confirm(of, at, f)
		if err != nil {
			return err
		}
		p.others = append(p.others, other)
	}
	return nil
}

func (p *finder) tell(t Progress) {
	if p.opts.Progress != nil {
		t.Walks = p.walks
		p.opts.Progress(t)
	}
}
