package search

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"macemc/choose"
	"macemc/internal/guard"
	"macemc/internal/world"
	"macemc/sim"
)

// pulse is what the monitor feels: it counts the questions of a run, and keeps
// their answers so that the path is known even when the run never returns. The
// counter is stored after what it counts, so whoever has seen it has the rest.
type pulse struct {
	on    bool
	where string // the goroutine whose runs these are, as a stack begins; "": the only one that takes any
	src   choose.Source
	picks []choose.Pick
	asked uint64
	count atomic.Uint64 // 0: no run is under way
}

// beat is src, watched.
func (p *pulse) beat(src choose.Source) choose.Source {
	if !p.on {
		return src
	}
	p.src, p.picks = src, p.picks[:0]
	p.asked++
	p.count.Store(p.asked)
	return p
}

// know adds answers that were given before the run was watched.
func (p *pulse) know(picks []choose.Pick) {
	if p.on {
		p.picks = append(p.picks, picks...)
	}
}

// tick says that a step is about to be taken whose answers are known already.
func (p *pulse) tick() {
	if p.on {
		p.asked++
		p.count.Store(p.asked)
	}
}

// rest says that no run is under way.
func (p *pulse) rest() {
	if p.on {
		p.count.Store(0)
	}
}

func (p *pulse) Answer(q *choose.Question) int {
	k := p.src.Answer(q)
	if k >= 0 {
		p.picks = append(p.picks, choose.Pick{Of: uint32(q.N), Pick: uint32(k)})
	}
	p.asked++
	p.count.Store(p.asked)
	return k
}

func (p *pulse) Err() error { return p.src.Err() }

// watch starts the monitor: a goroutine that tells OnStuck when a run has not
// asked anything for Options.Stuck. The moment depends on the machine; the
// path does not. The function that it returns ends it.
func (r *runner) watch() (end func()) {
	if r.opts.Stuck <= 0 || r.opts.OnStuck == nil {
		return func() {}
	}
	r.pulse.on = true
	felt := map[*runner]*feeling{}
	return often(r.opts.Stuck, func() bool {
		stuck := r.feel(felt)
		if stuck != nil {
			r.opts.OnStuck(stuck.stuck())
		}
		return stuck != nil
	})
}

// looks are how often a pulse is felt before it is held to be still.
const looks = 8

// often lets a goroutine look so many times in some time, until it has seen
// enough or the function that it returns is called.
func often(in time.Duration, look func() (enough bool)) (end func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(max(in/looks, 1))
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if look() {
				return
			}
		}
	}()
	return func() { close(done) }
}

// feeling is what the monitor felt of a pulse when it last looked.
type feeling struct {
	last  uint64
	still int // looks since it changed
}

// feels looks again, and reports whether a run is under way that goes on.
func (f *feeling) feels(p *pulse) (runs bool) {
	now := p.count.Load()
	if now != 0 && now == f.last {
		f.still++
		return false
	}
	f.last, f.still = now, 0
	return now != 0
}

// feel looks at the pulses of a runner and of those that explore with it, and
// returns one that has been still for too long. Where there are several,
// the others are told to stop, and waited for: then the handler that is stuck
// is the only one whose stack is there.
func (r *runner) feel(felt map[*runner]*feeling) (stuck *runner) {
	if r.limits.housework.Load() > 0 {
		clear(felt)
		return nil
	}
	running := 0
	for _, one := range append([]*runner{r}, r.pulses.others()...) {
		f := felt[one]
		if f == nil {
			f = &feeling{}
			felt[one] = f
		}
		running += count(f.feels(&one.pulse))
		if f.still >= looks && stuck == nil {
			stuck = one
		} else if f.still > 0 {
			running++
		}
	}
	if stuck != nil && running > 0 && felt[stuck].still < 3*looks {
		r.limits.stop(StopInterrupted)
		return nil
	}
	return stuck
}

// pulses are those of the runners that explore with one.
type pulses struct {
	mu  sync.Mutex
	all []*runner
}

func (p *pulses) set(all []*runner) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = all
}

func (p *pulses) others() []*runner {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

// Guard has somebody told when a step has not come to its end for some time:
// which step it is, what is to be said of it, and the service's part of the
// stack. The player is of no use then. The function that it returns ends the
// guard.
func (p *Player) Guard(stuck time.Duration, told func(step int, message, stack string)) (end func()) {
	pulse := &p.r.pulse
	pulse.on = true
	var f feeling
	return often(stuck, func() bool {
		f.feels(pulse)
		if f.still < looks {
			return false
		}
		told(p.taking, stuckFor(stuck), stuckStack(pulse.where))
		return true
	})
}

// stuck is the result of a search whose run never returned.
func (r *runner) stuck() *Result {
	f := &Finding{Failure: sim.Failure{
		Verdict: sim.VerdictDivergence,
		Message: stuckFor(r.opts.Stuck),
		Stack:   stuckStack(r.pulse.where),
	}}
	return r.unfinished(f)
}

func stuckFor(d time.Duration) string {
	return "the handler did not return and asked Env nothing for " + d.String() + ": it loops for ever, or waits"
}

// unfinished is the result of a search whose last handler never returned.
func (r *runner) unfinished(f *Finding) *Result {
	f.Path, f.Node, f.Identity = r.upToStuck()
	f.Step, f.climate = len(f.Path.Steps), r.climate
	r.label(f)
	return &Result{
		System: r.sys, Params: r.opts.Params, Options: r.opts, Finding: f, Findings: append(r.findings.all, f),
		Safety: Safety{State: StateIncomplete}, Liveness: Liveness{State: StateFound},
		Stop: StopFound, Stats: r.stats, Measured: r.measured(),
	}
}

// upToStuck takes the run again, up to the last answer that it was given, and
// runs the handler that did not return no further than to that.
func (r *runner) upToStuck() (path *choose.Path, node sim.Addr, identity string) {
	if r.exploring != nil && r.exploring.healed {
		return &choose.Path{}, sim.Addr{}, healedStep
	}
	w, err := r.newWorld(world.Config{})
	var answers choose.Source = choose.NewRaw(r.pulse.picks)
	left := len(r.pulse.picks)
	switch {
	case r.exploring != nil:
		answers, left = r.exploring.stuck()
	case r.forked != nil && r.forked.told != nil:
		answers, left = r.forked.then(answers), left+r.forked.told.answers()
	}
	if err != nil || left == 0 {
		return &choose.Path{}, sim.Addr{}, startOfNode
	}
	record := choose.NewRecord(answers)
	s := &upTo{Source: record, w: w, left: left, identity: startOfNode}
	r.allow(r.climate, w)
	w.Protect(func() {
		w.Start(s)
		for p := world.Stepped; p == world.Stepped; {
			p = r.climate.step(w, s)
		}
	})
	return record.Path(), s.node, s.identity
}

const (
	startOfNode = "the start of a node"
	healedStep  = "a step in a healed state; by which run it is reached was not kept, see the stack"
)

// upTo refuses the last of so many answers, after it was recorded.
type upTo struct {
	choose.Source
	w        *world.World
	left     int
	node     sim.Addr // of the last event that was chosen
	identity string
}

func (u *upTo) Answer(q *choose.Question) int {
	k := u.Source.Answer(q)
	if q.Kind == choose.Event && k >= 0 && k < u.w.Enabled() {
		u.node, u.identity = u.w.Event(k).Node, q.Alternatives.Alternative(k)
	}
	if u.left--; u.left == 0 {
		return -1
	}
	return k
}

// here notes on which goroutine runs are taken, where there are several.
func (p *pulse) here() {
	buf := make([]byte, 64)
	id, _, _ := strings.Cut(string(buf[:runtime.Stack(buf, false)]), "[")
	p.where = id
}

// stuckStack is the service's part of the stack of a goroutine, or of any, that
// is inside a World.
func stuckStack(where string) string {
	buf := make([]byte, 1<<20)
	all := string(buf[:runtime.Stack(buf, true)])
	for one := range strings.SplitSeq(all, "\n\n") {
		if strings.HasPrefix(one, where) && strings.Contains(one, "macemc/internal/world.(*World).Protect") {
			return guard.Stack([]byte(one))
		}
	}
	return ""
}
