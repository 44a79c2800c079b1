package run

import (
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"macemc/choose"
	"macemc/internal/guard"
)

// Pulse is what the monitor feels: it counts the questions of a run, and keeps
// their answers so that the path is known even when the run never returns. The
// counter is stored after what it counts, so whoever has seen it has the rest.
type Pulse struct {
	On    bool
	Where string // the goroutine whose runs these are, as a stack begins; "": the only one that takes any
	src   choose.Source
	picks []choose.Pick
	Asked uint64
	count atomic.Uint64 // 0: no run is under way
}

// beat is src, watched.
func (p *Pulse) beat(src choose.Source) choose.Source {
	if !p.On {
		return src
	}
	p.src, p.picks = src, p.picks[:0]
	p.Asked++
	p.count.Store(p.Asked)
	return p
}

// know adds answers that were given before the run was watched.
func (p *Pulse) know(picks []choose.Pick) {
	if p.On {
		p.picks = append(p.picks, picks...)
	}
}

// Tick says that a step is about to be taken whose answers are known already.
func (p *Pulse) Tick() {
	if p.On {
		p.Asked++
		p.count.Store(p.Asked)
	}
}

// Rest says that no run is under way.
func (p *Pulse) Rest() {
	if p.On {
		p.count.Store(0)
	}
}

func (p *Pulse) Answer(q *choose.Question) int {
	k := p.src.Answer(q)
	if k >= 0 {
		p.picks = append(p.picks, choose.Pick{Of: uint32(q.N), Pick: uint32(k)})
	}
	p.Asked++
	p.count.Store(p.Asked)
	return k
}

func (p *Pulse) Err() error { return p.src.Err() }

// Here notes on which goroutine runs are taken, where there are several.
func (p *Pulse) Here() {
	buf := make([]byte, 64)
	id, _, _ := strings.Cut(string(buf[:runtime.Stack(buf, false)]), "[")
	p.Where = id
}

// looks are how often a pulse is felt before it is held to be still.
const Looks = 8

// Often lets a goroutine look so many times in some time, until it has seen
// enough or the function that it returns is called.
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

// Feeling is what the monitor felt of a pulse when it last looked.
type Feeling struct {
	last  uint64
	Still int // looks since it changed
}

// Feels looks again, and reports whether a run is under way that goes on.
func (f *Feeling) Feels(p *Pulse) (runs bool) {
	now := p.count.Load()
	if now != 0 && now == f.last {
		f.Still++
		return false
	}
	f.last, f.Still = now, 0
	return now != 0
}

// StuckStack is the service's part of the stack of a goroutine, or of any, that
// is inside a World.
func StuckStack(where string) string {
	buf := make([]byte, 1<<20)
	all := string(buf[:runtime.Stack(buf, true)])
	for one := range strings.SplitSeq(all, "\n\n") {
		if strings.HasPrefix(one, where) && strings.Contains(one, "macemc/internal/world.(*World).Protect") {
			return guard.Stack([]byte(one))
		}
	}
	return ""
}
