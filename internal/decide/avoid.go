package decide

import (
	"math"
)

const (
	shareMost = 32 // the largest number of states of the run from which walks are taken at first
	weighing  = 4  // times Options.Walks is the number of fresh walks from each of the two states

	// The share of the walks that go on differs clearly between two states if a difference of that size has a
	// probability of less than clearBelow by chance, and if it is at least 1/clearPart of the walks.
	clearBelow = 0.01
	clearPart  = 20

	// If less than 1/clearFew of the walks go on, walks are made shorter, but not shorter than nearTimes the steps
	// of the run.
	clearFew  = 4
	nearTimes = 3
)

// weigh finds the step of a failing run after which fewer walks go on without the failure. A single walk that
// goes on shows little, and so do a few that do not, if few go on from any state. So weigh compares shares of
// walks: walks from states all along the run choose the step at which the share falls most, and fresh walks
// then measure the shares before and after that step. The step is critical only if these differ clearly.
func (p *Finder) weigh() (*Result, error) {
	if err := p.nearer(); err != nil {
		return nil, err
	}
	step, err := p.steepest()
	if err != nil {
		return nil, err
	}
	p.round++
	walks := weighing * p.opts.Walks
	before, err := p.share(max(0, step-1), walks, saltFresh+p.round)
	if err != nil {
		return nil, err
	}
	if step == 0 {
		return &Result{Avoided: &Avoided{Walks: walks, WalkSteps: p.walkLen, Before: before}}, nil
	}
	after, err := p.share(step, walks, saltFresh+p.round)
	if err != nil {
		return nil, err
	}
	chance := byChance(before, after, walks)
	clear := chance < clearBelow && before-after >= walks/clearPart
	var c *Critical
	if clear {
		c = p.critical(step, false)
	}
	return &Result{Critical: c, Avoided: &Avoided{
		Step: step, Event: p.run.event(step), Walks: walks, WalkSteps: p.walkLen, Before: before, After: after, Chance: chance, Clear: clear,
	}}, nil
}

// nearer makes walks shorter if only few walks from the start go on without the failure. If a service can
// fail in every transaction, a long walk fails in a later one, whatever happened before; then all shares are
// near zero, and a few walks cannot show how they differ. Walks stay longer than the run, so that they can
// reach its failure. If few of the shortest such walks go on either, nearer restores the old length.
func (p *Finder) nearer() error {
	long := p.walkLen
	for p.walkLen >= nearTimes*p.run.Steps() {
		n, err := p.share(0, p.opts.Walks, saltNearer)
		if err != nil || clearFew*n >= p.opts.Walks {
			return err
		}
		p.walkLen /= 2
	}
	p.walkLen = long
	return nil
}

// steepest returns the step at which the share of the walks that go on falls most. If there are several such
// steps, it returns the last; if no walk goes on from any state, it returns 0. In a long run it first takes
// walks from evenly spaced states, and then from those between the two where the share falls most.
func (p *Finder) steepest() (int, error) {
	low, high := 0, p.run.Steps()
	shares := map[int]int{}
	for {
		every := (high - low + shareMost - 1) / shareMost
		best, from, to := 0.0, 0, 0
		for at := low; at < high; at += every {
			next := min(at+every, high)
			for _, s := range []int{at, next} {
				if _, known := shares[s]; known {
					continue
				}
				n, err := p.share(s, p.opts.Walks, saltShare)
				if err != nil {
					return 0, err
				}
				shares[s] = n
			}
			p.tell(low, high)
			if fall := p.fall(shares[at], shares[next]); fall > 0 && fall >= best {
				best, from, to = fall, at, next
			}
		}
		if low, high = from, to; every == 1 || best == 0 {
			return high, nil
		}
	}
}

// share takes walks from the state after step number at, and returns how many of them go on without a failure. It
// returns 0 for the end of the run, which is a failure.
func (p *Finder) share(at, walks int, salt uint16) (int, error) {
	if at >= p.run.Steps() {
		return 0, nil
	}
	if p.Stopped(1) {
		return 0, ErrStopped
	}
	w, err := p.lab.Walk(Walks{From: at, Count: walks, Steps: p.walkLen, Salt: salt, All: true, Survive: true})
	if err != nil {
		return 0, err
	}
	p.walks += w.Taken
	return len(w.Success), nil
}

// fall compares the numbers of walks that go on, before and after a step, out of equally many walks. It returns by
// how many standard deviations the second number is smaller, or 0 if it is not.
func (p *Finder) fall(before, after int) float64 {
	sum, all := float64(before+after), float64(2*p.opts.Walks)
	if before <= after {
		return 0
	}
	return float64(before-after) / math.Sqrt(sum*(1-sum/all))
}

// byChance compares walks from two states: before of them succeeded from the first, and after from the second. It
// returns the probability that chance alone makes a difference at least as large. It is Fisher's exact test,
// one-sided.
func byChance(before, after, walks int) float64 { return fisher(before, walks, after, walks) }

// fisher computes Fisher's exact test for n walks of one kind and m of another. It returns the probability
// that at least a of the n succeed, if walks of the two kinds are alike and a+b of all n+m succeed.
func fisher(a, n, b, m int) (p float64) {
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	all := a + b
	for k := max(a, all-m); k <= min(all, n); k++ {
		p += math.Exp(choose(n, k) + choose(m, all-k) - choose(n+m, all))
	}
	return min(p, 1)
}
