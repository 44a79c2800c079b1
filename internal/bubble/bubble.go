package bubble

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// Exact returns an error if runs cannot be repeated exactly: the program was built without the overlay, it
// was built with the race detector, which makes scheduling decisions of its own, or it does not run on one P.
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

// Prepare makes the process fit for exact runs: it gets one P, and no garbage collection that begins by
// itself.
func Prepare() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
}

// A Kind says what a draw decides.
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

// A Draw is one answer of a run, with the question that it answers. Package runtime declares the same struct
// in the overlay.
type Draw struct {
	Key           uint64 // made of the goroutine, the kind and the index; it finds the answer again in another run
	Step, Index   uint32 // the instant, and the number of the draw among those of the same kind and goroutine
	Kind          Kind
	N             uint32 // the number of alternatives; 0 for 64 random bits, which are computed from Value
	Value         uint32
	Origin        uint32  // the number of the goroutine that asked, in the order in which those of the bubble began
	Gopc, Startpc uintptr // the addresses of the go statement and of the goroutine's first function, in this program
}

// A Plan says how the draws of a run are answered.
type Plan struct {
	Seed  uint64        // the seed of random answers
	Rates [Kinds]uint32 // by kind, how many of 65536 draws get a random answer; the others get answer 0
	Slow  uint32        // if not 0, one in Slow places is slow, on average; a place is a sort of operation in goroutines of one function
	Fed   []Draw        // the answers by their keys, with 0 for every other draw; if it is nil, Seed and Rates answer
	Until uint32        // if not 0, the last step that Fed answers; later draws are random
	After uint64        // the seed of these later draws
	Stop  int           // the number of a draw, from 1, at which the stack is recorded; 0 for none
}

// A Record has the draws of a run.
type Record struct {
	Draws []Draw    // the first draws of the run; Asked may be more
	Asked int       // the number of draws
	Fit   bool      // every answer of Plan.Fed was asked for, by a draw of its kind
	Stack []uintptr // the stack at draw Plan.Stop, with zeros after its last call
}

// tape is the memory through which Go's runtime gets the plan of a run and writes its record. Package runtime
// declares the same struct in the overlay.
type tape struct {
	seed  uint64
	rates [Kinds]uint32
	slow  uint32
	_     uint32 // the sort of operation before which a goroutine may pause
	_     uint32 // pauses of slow places
	tells bool
	until uint32
	after uint64
	fed   []fed
	hits  int
	fit   bool
	log   []Draw
	used  int
	now   int64
	then  int64
	step  uint32
	_     uint64 // the key of the last draw
	_     uint32 // goroutines that were started
	_     uint32 // channels that were made
	stop  int
	stack []uintptr     // zeros after the last
	_     [4]uint64     // lives that ended
	_     [256][4]int64 // their clocks
}

// Quiet returns the time between the present instant and the latest earlier instant at which there was a draw.
func Quiet() time.Duration { return time.Duration(now.now - now.then) }

// fed is an entry of the table in which the runtime finds the answer to a draw by the draw's key.
type fed struct {
	key      uint64 // 0 means that the entry is free
	n, value uint32
}

// tabled returns a hash table of the answers to draws. It always has free entries, so that a search in it
// ends.
func tabled(draws []Draw) []fed {
	size := 2
	for size < 2*len(draws) {
		size *= 2
	}
	table := make([]fed, size)
	for _, d := range draws {
		i := d.Key & uint64(size-1)
		for table[i].key != 0 {
			i = (i + 1) & uint64(size-1)
		}
		table[i] = fed{d.Key, d.N, d.Value}
	}
	return table
}

// logMost is the largest number of draws that the record of a run keeps, and stackMost the largest number of
// calls of its stack.
const (
	logMost   = 1 << 20
	stackMost = 64
)

// A Recorder records runs, one after the other, in the same memory.
type Recorder struct {
	log   []Draw
	stack []uintptr
	tape  *tape
	fed   int // answers of the plan
}

// Begin begins a run: the plan answers the draws of the next bubble.
func (r *Recorder) Begin(p Plan) {
	if r.log == nil {
		r.log, r.stack = make([]Draw, 1<<12), make([]uintptr, stackMost)
	}
	clear(r.stack)
	r.tape = &tape{seed: p.Seed, rates: p.Rates, slow: p.Slow, tells: p.Fed != nil, until: p.Until, after: p.After, fed: tabled(p.Fed), fit: true, log: r.log, stop: p.Stop, stack: r.stack, now: -1}
	r.fed = len(p.Fed)
	now = r.tape
	macemcStart(r.tape)
}

// Enter makes the plan of the run that Begin began answer the draws of the bubble in which the caller is.
func Enter() { macemcEnter() }

// End ends the run, and returns its draws. They are valid until the recorder begins another run.
func (r *Recorder) End() Record {
	macemcEnd()
	now = nil
	t := r.tape
	out := Record{
		Draws: r.log[:min(t.used, len(r.log))],
		Asked: t.used,
		Fit:   t.fit && t.hits == r.fed,
		Stack: slices.Clone(t.stack),
	}
	if t.used > len(r.log) && len(r.log) < logMost { // the next run may be as long
		r.log = make([]Draw, min(2*t.used, logMost))
	}
	return out
}

// Run runs f in a bubble of its own, whose draws the plan answers. It needs the overlay. The error says that
// goroutines were left when f returned, or that all goroutines were blocked; left has these goroutines.
func (r *Recorder) Run(p Plan, f func()) (rec Record, left []Goroutine, err error) {
	r.Begin(p)
	err = Inside(f)
	if err != nil {
		left = Left()
	}
	return r.End(), left, err
}

// Inside runs f in a bubble of its own, whose draws are answered by the plan of the run that Begin began. Its
// error is that of Run.
func Inside(f func()) (err error) {
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

// now is the tape of the run under way, or nil if there is none.
var now *tape

// Step returns the number of the present step of the run: how many instants so far had a draw, including the
// present one. It is 0 without the overlay.
func Step() uint32 {
	if now == nil {
		return 0
	}
	return now.step
}

// Ask draws for the simulated network or disk: it returns one of n alternatives.
func Ask(n int) int { return ask(Host, n) }

// Choose draws for the user's script: it returns one of n alternatives.
func Choose(n int) int { return ask(Choice, n) }

func ask(kind Kind, n int) int {
	if n < 2 || now == nil {
		return 0
	}
	return int(macemcAsk(kind, uint32(n)))
}

// Overlaid reports whether the program was built with macemc's overlay of Go's runtime.
func Overlaid() bool { return overlaid }
