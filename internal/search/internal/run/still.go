package run

import (
	"runtime"
	"strings"
	"time"

	"macemc/choose"
	"macemc/internal/guard"
	"macemc/internal/world"
)

// Stays waits until the run has stayed in one handler for the duration some, and then returns true. It
// counts only time in which the handler waited for something, or in which the process used a processor:
// on a busy machine, a handler may not get a processor at all. used returns the process's processor
// time. Stays calls over now and then, and returns false once over returns true.
func (p *Pulse) Stays(some time.Duration, used func() time.Duration, over func() bool) bool {
	tick := time.NewTicker(max(some/Looks, 1))
	defer tick.Stop()
	count, before := p.Count(), used()
	for still := 0; still < Looks; {
		<-tick.C
		if over() {
			return false
		}
		now := used()
		if is := p.Count(); is != count {
			count, before, still = is, now, 0
			continue
		}
		_, does := p.Inside()
		if now == 0 || waits(does) || now-before >= 2*some/Looks { // the first run and the repeated one may both loop, and share the time
			before, still = now, still+1
		}
	}
	return true
}

// StaysAgain takes the run of a path again, on a goroutine and in a world of its own. As Stays does, it
// reports whether the run stays in one handler for the duration some.
func (r *Runs) StaysAgain(path *choose.Path, c Climate, some time.Duration, used func() time.Duration, over func() bool) bool {
	w, err := r.NewWorld(world.Config{})
	if err != nil {
		return false
	}
	again := &Runs{Setting: r.Setting, World: w, Counts: Counts{Steps: new(int), Audited: new(int)}, Pulse: Pulse{On: true}}
	began, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		again.Pulse.Here()
		close(began)
		again.Run(Repeat(choose.NewRaw(Picks(path)), c, len(path.Steps)), false)
	}()
	<-began
	return again.Pulse.Stays(some, used, func() bool {
		select {
		case <-ended:
			return true
		default:
			return over()
		}
	})
}

// waits reports whether does, the state of a goroutine in the words of Go's runtime, means that the
// goroutine waits for another one, for a lock or for a time.
func waits(does string) bool {
	switch does {
	case "", "running", "runnable", "preempted", "copystack", "waiting":
		return false
	}
	return !strings.HasPrefix(does, "GC") && !strings.Contains(does, "garbage") && !strings.Contains(does, "stack growth")
}

// InHandler reports whether the run is in the service's code, and not in macemc's code that records the
// run's answers.
func (p *Pulse) InHandler() bool {
	inner, _, ok := strings.Cut(stackOf(p.Where()), "\nmacemc/internal/world.")
	return ok && !strings.Contains(inner, "macemc/internal/search/internal/")
}

// StuckStack returns the frames of the service's code on the stack that begins with where. If where is
// "", it takes the first stack of a goroutine that runs a World.
func StuckStack(where string) string {
	stack, _ := inside(where)
	return stack
}

// inside returns the frames of the service's code on the stack that begins with where, and the state of
// that goroutine in the words of Go's runtime: running, sleep, IO wait.
func inside(where string) (stack, does string) {
	one := stackOf(where)
	if one == "" {
		return "", ""
	}
	_, does, _ = strings.Cut(one, "[")
	does, _, _ = strings.Cut(does, "]")
	does, _, _ = strings.Cut(does, ",")
	return guard.Stack([]byte(one)), does
}

// stackOf returns the whole stack that begins with where, or "" if there is none.
func stackOf(where string) string {
	buf := make([]byte, 1<<20)
	all := string(buf[:runtime.Stack(buf, true)])
	for one := range strings.SplitSeq(all, "\n\n") {
		if strings.HasPrefix(one, where) && strings.Contains(one, "macemc/internal/world.(*World).Protect") {
			return one
		}
	}
	return ""
}
