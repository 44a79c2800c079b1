package bubble

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// Exact reports whether the program was built with the overlay, and without the
// race detector, whose scheduler draws besides.
func Exact() error {
	switch {
	case !overlaid:
		return errors.New("the program was built without macemc's overlay")
	case raced:
		return errors.New("the race detector schedules by itself")
	case runtime.GOMAXPROCS(0) != 1:
		return fmt.Errorf("GOMAXPROCS is %d, not 1", runtime.GOMAXPROCS(0))
	}
	return nil
}

// Prepare makes the process fit for runs: one P, and garbage is collected
// between runs only.
func Prepare() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
}

// A Kind says what a draw is about.
type Kind uint32

const (
	Select Kind = iota // which case of a select is looked at first
	Next               // whether a goroutine that became ready runs next
	Yield              // whether a goroutine pauses before a channel operation or a lock, and for how long
	Tie                // the rank of a timer among those of its instant
	Rand               // 64 random bits: of math/rand, or of a map
	Host               // what the simulated network and disks ask
	Choice             // what the user's script asks
	Kinds              // how many kinds there are
)

func (k Kind) String() string {
	if k >= Kinds {
		return fmt.Sprintf("kind(%d)", uint32(k))
	}
	return [Kinds]string{"select", "next", "yield", "tie", "rand", "host", "choice"}[k]
}

// A Draw is one answer. Package runtime declares the same struct in the overlay.
type Draw struct {
	Step, Index   uint32 // the draw among those of its kind in its step
	Kind          Kind
	N             uint32 // alternatives; 0 for 64 bits, whose value is 1 if the seed gave them
	Value         uint32
	Origin        uint32 // which goroutine of the bubble asked, in the order in which they began
	gopc, startpc uintptr
}

// A Plan says how the draws of a run are answered.
type Plan struct {
	Seed  uint64        // of random answers, and of Rand draws of value 1
	Rates [Kinds]uint32 // how many of 65536 draws of a kind are random; the others are 0
	Slow  uint32        // if not 0, goroutines of one in this many functions pause half of the time, and half of these wait for another goroutine then
	Fed   []Draw        // not nil: the answers, ordered by step and index; every other draw is 0
	Stop  int           // the draw, from 1, at which the stack is taken; 0 for none
}

// A Record is what a run drew.
type Record struct {
	Draws []Draw    // the first of them; Asked may be more
	Asked int       // draws
	Fit   bool      // every answer of Plan.Fed was asked for, by a draw of its kind
	Stack []uintptr // of draw Plan.Stop; zeros after the last
}

// tape is what the runtime keeps of a run.
type tape struct {
	seed  uint64
	rates [Kinds]uint32
	slow  uint32
	tells bool
	fed   [Kinds][]Draw
	at    [Kinds]int
	fit   bool
	log   []Draw
	used  int
	now   int64
	then  int64
	_     uint32        // the step
	_     [Kinds]uint32 // its draws
	_     uint32        // goroutines that were started
	_     uint32        // channels that were made
	stop  int
	stack []uintptr // zeros after the last
	dead  [4]uint64
}

// Quiet returns how long nothing was drawn before the present instant, at which something
// was.
func Quiet() time.Duration { return time.Duration(now.now - now.then) }

// fits reports whether every answer that was fed was asked for, as it was fed.
func (t *tape) fits() bool {
	for k := range t.fed {
		if t.at[k] < len(t.fed[k]) {
			return false
		}
	}
	return t.fit
}

// logMost is how many draws are kept of a run, and stackMost how many calls of a stack.
const (
	logMost   = 1 << 20
	stackMost = 64
)

// A Recorder records one run after the other, in the same memory.
type Recorder struct {
	log   []Draw
	stack []uintptr
	tape  *tape
}

// Begin begins a run: the next bubble that enters has the plan.
func (r *Recorder) Begin(p Plan) {
	if r.log == nil {
		r.log, r.stack = make([]Draw, 1<<12), make([]uintptr, stackMost)
	}
	clear(r.stack)
	r.tape = &tape{seed: p.Seed, rates: p.Rates, slow: p.Slow, tells: p.Fed != nil, fit: true, log: r.log, stop: p.Stop, stack: r.stack, now: -1}
	for _, d := range p.Fed {
		r.tape.fed[d.Kind] = append(r.tape.fed[d.Kind], d)
	}
	now = r.tape
	macemcStart(r.tape)
}

// Enter gives the bubble of the caller the plan of the run that began.
func Enter() { macemcEnter() }

// End ends the run, and returns what it drew. The draws are valid until the next run
// of the recorder begins.
func (r *Recorder) End() Record {
	macemcEnd()
	now = nil
	t := r.tape
	out := Record{
		Draws: r.log[:min(t.used, len(r.log))],
		Asked: t.used,
		Fit:   t.fits(),
		Stack: slices.Clone(t.stack),
	}
	if t.used > len(r.log) && len(r.log) < logMost { // the next run may be as long
		r.log = make([]Draw, min(2*t.used, logMost))
	}
	return out
}

// Run runs f in a bubble of its own. It needs the overlay. The error says that
// goroutines were left, or that all of them were blocked; Left is called before the run ends.
func (r *Recorder) Run(p Plan, f func()) (rec Record, left []Goroutine, err error) {
	r.Begin(p)
	err = enter(f)
	if err != nil {
		left = Left()
	}
	return r.End(), left, err
}

func enter(f func()) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%v", e)
		}
	}()
	macemcRun(func() {
		macemcEnter()
		f()
	})
	return nil
}

// now is the tape of the run that goes on; nil if none does.
var now *tape

// Ask answers a draw of the simulated network or disk, with n alternatives.
func Ask(n int) int { return ask(Host, n) }

// Choose answers a draw of the user's script.
func Choose(n int) int { return ask(Choice, n) }

func ask(kind Kind, n int) int {
	if n < 2 || now == nil {
		return 0
	}
	return int(macemcAsk(kind, uint32(n)))
}

// Overlaid reports whether the program was built with the overlay.
func Overlaid() bool { return overlaid }
