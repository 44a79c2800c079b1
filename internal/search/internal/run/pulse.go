package run

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"macemc/choose"
	"macemc/internal/trail"
)

// Pulse shows a watchdog on another goroutine that a run makes progress. It counts the questions of
// the run, and keeps their answers, so that the path is known even if a handler never returns. The
// counter is stored after the answers, so a goroutine that has read the counter can read the
// answers.
type Pulse struct {
	On    bool          // a watchdog or a trail wants the answers; if false, nothing is counted or kept
	where atomic.Value  // string: the first words of the stack of the goroutine that takes these runs; empty if only one goroutine takes runs
	src   choose.Source // gives the answers of the present run
	picks []choose.Pick // the answers of the present run so far
	Asked uint64        // number of questions and steps of all runs so far
	count atomic.Uint64 // Asked, for the watchdog; 0 if no run is under way

	Trail *trail.Trail // a trail that records the answers as well, for another process; may be nil
	slot  *trail.Slot  // the part of Trail that records the present run, or nil if there is no run or no free slot
	led   int          // answers in the slot that lead to where the run begins; they are not in picks
	turn  int          // number of runs recorded so far; if it has changed, the recorded answers belong to another run

	held atomic.Bool // the run must wait: see Hold
	gate sync.Mutex
}

// Follow sets the trail that records answers from now on, or none if t is nil.
func (p *Pulse) Follow(t *trail.Trail) {
	if p.Trail != t {
		p.Trail, p.slot, p.picks = t, nil, nil
	}
	p.On = p.On || t != nil
}

// Watch makes the pulse keep answers from now on, for a watchdog.
func (p *Pulse) Watch() { p.On = true }

// Hold makes the run wait when its handler next asks something or returns, so that another goroutine
// can read its answers. The returned function lets the run continue.
func (p *Pulse) Hold() (release func()) {
	p.gate.Lock()
	p.held.Store(true)
	return func() {
		p.held.Store(false)
		p.gate.Unlock()
	}
}

// Pass waits while another goroutine holds the run: see Hold.
func (p *Pulse) Pass() {
	if p.held.Load() {
		p.gate.Lock()
		defer p.gate.Unlock()
	}
}

// beat begins a run. It returns a source that gives the answers of src and counts the questions. If
// no watchdog watches the pulse, it returns src.
func (p *Pulse) beat(src choose.Source) choose.Source {
	if !p.On {
		return src
	}
	p.Pass()
	p.src, p.picks = src, p.picks[:0]
	if p.Trail != nil {
		p.keep(nil)
	}
	p.Asked++
	p.count.Store(p.Asked)
	return p
}

// keep begins to record a run in a slot of the trail. The answers in led lead to the state where the
// run begins.
func (p *Pulse) keep(led []choose.Pick) {
	if p.slot == nil {
		p.slot = p.Trail.Slot()
	}
	p.turn++
	p.led = len(led)
	if p.slot == nil {
		p.picks = nil // so that no answers are written to a slot that was given back
		return
	}
	p.picks = append(p.slot.Picks(), led...)[len(led):]
	p.slot.Stands(len(led))
}

// stands writes the number of recorded answers into the slot of the trail, if there is one.
func (p *Pulse) stands() {
	if p.slot != nil {
		p.slot.Stands(p.led + len(p.picks))
	}
}

// weather writes the climate of the run into the slot of the trail.
func (p *Pulse) weather(c Climate) {
	if p.slot != nil {
		p.slot.Weather(c.Faults, c.Heal)
	}
}

// know records the answers that lead to the fork at which the run begins. The run does not ask the
// questions before the fork again, so its source never gives these answers.
func (p *Pulse) know(picks []choose.Pick) {
	if p.On {
		p.picks = append(p.picks, picks...)
		p.stands()
	}
}

// Tick shows the watchdog that the run makes progress: a step is about to be taken, and the
// answers of the step are recorded already.
func (p *Pulse) Tick() {
	if p.On {
		p.Pass()
		p.Asked++
		p.count.Store(p.Asked)
	}
}

// Rest shows the watchdog that no run is under way.
func (p *Pulse) Rest() {
	if p.On {
		p.Pass()
		p.count.Store(0)
	}
	if p.slot != nil {
		p.slot.Leave()
		p.slot, p.picks = nil, nil
	}
}

// RestAsIs shows the watchdog that no run is under way, but keeps the answers of the last run.
func (p *Pulse) RestAsIs() {
	picks := slices.Clone(p.picks)
	p.Rest()
	p.picks = picks
}

func (p *Pulse) Answer(q *choose.Question) int {
	p.Pass()
	k := p.src.Answer(q)
	if k >= 0 {
		p.picks = append(p.picks, choose.Pick{Of: uint32(q.N), Pick: uint32(k)})
		p.stands()
	}
	p.Asked++
	p.count.Store(p.Asked)
	return k
}

func (p *Pulse) Err() error { return p.src.Err() }

// Here records that the calling goroutine takes the runs of this pulse. It must be called if
// several goroutines take runs.
func (p *Pulse) Here() {
	buf := make([]byte, 64)
	id, _, _ := strings.Cut(string(buf[:runtime.Stack(buf, false)]), "[")
	p.where.Store(id)
}

// Where returns the first words of the stack of the goroutine that takes the runs. While the runs
// move to another goroutine, it may return those of the old one, whose stack has no handler.
func (p *Pulse) Where() string {
	id, _ := p.where.Load().(string)
	return id
}

// Looks is the number of times that a monitor must see a pulse unchanged before it counts as still.
const Looks = 8

// Often starts a goroutine that calls look, Looks times in each period of length in. It ends when look
// returns true or the returned function is called.
func Often(in time.Duration, look func() (enough bool)) (end func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(max(in/Looks, 1))
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

// Feeling is what a watchdog saw when it last looked at a pulse.
type Feeling struct {
	last  uint64 // the pulse's count
	Still int    // number of looks in a row at which a run was under way and the count was the same as before
}

// Feels looks at the pulse again. It reports whether a run is under way and the pulse has changed
// since the last look.
func (f *Feeling) Feels(p *Pulse) (runs bool) {
	now := p.count.Load()
	if now != 0 && now == f.last {
		f.Still++
		return false
	}
	f.last, f.Still = now, 0
	return now != 0
}
