package worlds

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"macemc/choose"
	"macemc/internal/bubble"
)

// A Search takes worlds of one test, or of one system. A world is one run of the whole program with
// all its goroutines. Whenever something random has to be decided in it, such as which goroutine
// runs next, it makes a draw, and worlds differ in the answers to their draws.
type Search struct {
	Test     string // the name of the test
	Call     int    // the index of the call of Explore in the test
	Seed     uint64
	Worlds   int          // the largest number of worlds
	Workers  int          // the number of child processes
	Stop     func() bool  // reports whether the search should end; nil means never
	Keep     string       // the file into which the smallest tape is written; "" means none
	Walk     string       // the manner in which worlds deviate, one of Walks; "" means all manners in turn
	Prefix   *choose.Path // a run that every world follows to its end; nil means none
	NoShrink bool         // findings are reported as they were found
	Deviate  int          // if not 0, all worlds with at most this many deviations are taken, those with fewer first

	// The following fields are used if the search is of a system and not of a test.
	Of       []choose.Field         // the settings of the system, which stand in the headers of tapes
	Build    func() (Binary, error) // the program that takes the worlds; nil means this test
	Progress func(worlds int)       // called now and then with the number of worlds taken; may be nil

	binary Binary
	prefix string // the file into which Prefix was written
	spent  atomic.Int64
	Whole  int // the largest number of deviations for which all worlds were taken; -1 if there is none
}

// A Finding is a world that fails, with the smallest run of it that was found.
type Finding struct {
	World   int
	Failure Failure
	Tape    string // the file of the smallest tape
	Path    *choose.Path
	Log     []json.RawMessage // the log of the smallest run
	Notes   []Note            // the lines that the smallest run logged
	Turn    Turn              // the critical step: the one after which the failure was inevitable
	Asked   int               // the number of draws in the smallest run
	Deviate int               // the number of draws in it that are not 0
	First   int               // the number of deviations of the world that was found first
	Left    []string          // the deviations of the smallest run, in words
	Exact   bool              // two processes made the same draws
	Differs []string          // if Exact is false: the first difference between the two runs
	Runs    int               // the number of runs that were taken to make it smaller
}

// A Note is a line that a world logged, with the step in which it did.
type Note struct {
	Step uint32
	Text string
}

// A Turn is the critical step of a failing run: the first step after which all worlds that went on with free
// draws failed in the same way. A number of worlds were tried, so it is evidence and not a proof.
type Turn struct {
	Step   uint32 // the step; 0 if worlds with free draws from the beginning fail, too
	Of     uint32 // the number of steps of the run
	Worlds int    // the number of worlds that were tried after each step; 0 if the step was not looked for
	Draws  []string
}

// Spent returns the processor time of the child processes so far.
func (s *Search) Spent() time.Duration { return time.Duration(s.spent.Load()) }

// Prepare builds the test with the overlay. If it returns an error, replays are not exact,
// and the error says why.
func (s *Search) Prepare() (err error) {
	if s.Build != nil {
		s.binary, err = s.Build()
		return err
	}
	s.binary, err = built()
	return err
}

// lotMost is the largest number of worlds that a worker takes before the search checks
// whether to stop.
const lotMost = 150

// Go takes worlds until one fails, and shortens the tape of that one as long as it still fails.
// taken is the number of worlds that were searched.
func (s *Search) Go() (f *Finding, taken int, err error) {
	s.Whole = -1
	if s.Prefix != nil {
		t, err := tapeOf(s.Prefix)
		if err != nil {
			return nil, 0, err
		}
		file, done, err := s.spool(t)
		if err != nil {
			return nil, 0, err
		}
		defer done()
		s.prefix = file
		defer func() { s.prefix = "" }()
	}
	if s.Deviate > 0 {
		return s.bounded()
	}
	return s.walks()
}

// walks takes worlds whose draws are random.
func (s *Search) walks() (f *Finding, taken int, err error) {
	const lot = lotMost
	workers := max(1, s.Workers)
	for from := 0; from < s.Worlds; from += lot * workers {
		if s.Stop != nil && s.Stop() {
			return nil, from, nil
		}
		if s.Progress != nil {
			s.Progress(from)
		}
		world, failure, err := s.lot(from, min(s.Worlds, from+lot*workers), workers)
		if err != nil {
			return nil, from, err
		}
		if failure != nil {
			f, err := s.finding(world, *failure)
			return f, world + 1, err
		}
	}
	return nil, s.Worlds, nil
}

// lot takes the worlds with numbers in [from, to), in several processes, and returns the first one
// that fails. The result does not depend on the number of processes.
func (s *Search) lot(from, to, workers int) (world int, failure *Failure, err error) {
	results, errs := make([]result, workers), make([]error, workers)
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() { results[i], errs[i] = s.worker(from+i, to, workers) })
	}
	all.Wait()
	for i, r := range results {
		if errs[i] != nil {
			return 0, nil, errs[i]
		}
		if r.failure != nil && (failure == nil || r.world < world) {
			world, failure = r.world, r.failure
		}
	}
	return world, failure, nil
}

// worker takes every stride-th world from one number up to another, in one process after
// another.
func (s *Search) worker(from, to, stride int) (r result, err error) {
	for from < to && err == nil && r.failure == nil {
		r, err = s.run(job{From: from, To: to, Stride: stride})
		if r.next == 0 {
			break
		}
		from = r.next
	}
	return r, err
}

// finding repeats a world that failed, in two processes, and makes its tape small.
func (s *Search) finding(world int, failure Failure) (*Finding, error) {
	again := job{From: world, Single: true}
	one, err := s.run(again)
	if err != nil {
		return nil, err
	}
	other, err := s.run(again)
	if err != nil {
		return nil, err
	}
	if !same(one, other) {
		text, err := s.difference(one, other, again)
		return &Finding{World: world, Failure: failure, Differs: text}, err
	}
	if one.failure == nil {
		return &Finding{World: world, Failure: failure, Differs: alone}, nil
	}
	t := &tape{of: s.Of, test: s.Test, toolchain: toolchain(), overlay: s.binary.overlay.Hash,
		seed: planOf(s.Seed, world, s.Walk).Seed, draws: deviations(one.draws)}
	small, runs := t.draws, 0
	if !s.NoShrink {
		if small, runs, err = s.shrink(t, *one.failure); err != nil {
			return nil, err
		}
	}
	return s.tell(t.with(small), Finding{World: world, Failure: failure, Tape: s.Keep, First: len(t.draws), Runs: runs})
}

// alone is the explanation for a world that fails only after others.
var alone = []string{"in a process of its own the world passes: the failure depends on what earlier worlds left in package variables"}

// with returns the tape with these draws instead of its own.
func (t *tape) with(draws []bubble.Draw) *tape {
	other := *t
	other.draws = draws
	return &other
}

// same reports whether two runs had the same draws and the same result.
func same(a, b result) bool {
	return slices.Equal(a.draws, b.draws) && (a.failure == nil) == (b.failure == nil) &&
		(a.failure == nil || alike(*a.failure, *b.failure)) && a.asked == b.asked
}

var number = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+`)

// alike reports whether two failures are of the same kind, with texts that differ only in numbers.
func alike(a, b Failure) bool {
	word := func(f Failure) string { return number.ReplaceAllString(first(f.Message, 1), "#") }
	return a.Kind == b.Kind && word(a) == word(b)
}

// take follows a tape in a child. If stop is the index of a draw, the child records the
// stack there.
func (s *Search) take(t *tape, stop int) (result, error) {
	file, done, err := s.spool(t)
	if err != nil {
		return result{}, err
	}
	defer done()
	return s.run(job{Tape: file, From: 1, Stop: stop})
}

// spool writes a tape into a file for a child. done removes the file.
func (s *Search) spool(t *tape) (file string, done func(), err error) {
	f, err := os.CreateTemp("", "macemc-*.tape")
	if err != nil {
		return "", nil, err
	}
	f.Close()
	return f.Name(), func() { os.Remove(f.Name()) }, t.save(f.Name())
}

// tell completes finding f, whose smallest tape is t. It takes the tape twice more to
// compare the runs, stores it, and describes the events of its run.
func (s *Search) tell(t *tape, f Finding) (*Finding, error) {
	one, err := s.take(t, 0)
	if err != nil {
		return nil, err
	}
	other, err := s.take(t, 0)
	if err != nil {
		return nil, err
	}
	if one.failure == nil && same(one, other) {
		return &Finding{World: f.World, Failure: f.Failure, Differs: alone}, nil
	}
	if !same(one, other) {
		text, err := s.differenceOf(t, one, other)
		return &Finding{World: f.World, Failure: f.Failure, Differs: text}, err
	}
	t = t.with(deviations(one.draws)) // at the steps of this run
	turn, err := s.turn(t, *one.failure, one.draws)
	if err != nil {
		return nil, err
	}
	return &Finding{World: f.World, Failure: *one.failure, Turn: turn, Tape: f.Tape, First: f.First, Runs: f.Runs, Exact: true,
		Notes: one.notes, Asked: len(one.draws), Deviate: len(t.draws), Left: s.told(t, one.draws),
		Path: t.path(), Log: one.log}, s.keep(t)
}

// keep writes the smallest tape into the file Keep.
func (s *Search) keep(t *tape) error {
	if s.Keep == "" {
		return nil
	}
	return t.save(s.Keep)
}

// freely is the number of worlds that are tried after a step that may be the critical one. They follow
// the failing run up to the step, and answer all later draws at random.
const freely = 10

// turn returns the critical step of the run of tape t, which fails as want says. It uses a
// binary search: if the failure is inevitable after a step, it is inevitable after all
// later ones.
func (s *Search) turn(t *tape, want Failure, draws []bubble.Draw) (turn Turn, err error) {
	if len(draws) == 0 {
		return turn, nil
	}
	turn.Of = draws[len(draws)-1].Step
	whole := make([][2]int, freely)
	after := sort.Search(int(turn.Of), func(step int) bool {
		if err != nil || s.Stop != nil && s.Stop() {
			return true
		}
		until := uint32(step)
		which, _, e := s.cut(t, whole, &until, func(f *Failure) bool { return f == nil || !alike(*f, want) })
		err = e
		return which < 0
	})
	if err != nil || s.Stop != nil && s.Stop() {
		return Turn{}, err
	}
	turn.Step, turn.Worlds = uint32(after), freely
	for i, d := range draws {
		if d.Step == turn.Step && d.Value != 0 && d.Kind != bubble.Rand {
			turn.Draws = append(turn.Draws, s.deviation(t, i, d))
		}
	}
	return turn, nil
}

// told describes the deviations of a run, which are its draws with another answer than 0: those of
// the script first. It leaves out random numbers, and all deviations after the first toldMost.
func (s *Search) told(t *tape, draws []bubble.Draw) (text []string) {
	for _, script := range []bool{true, false} { // the choices of the script come first
		for i, d := range draws {
			if d.Value == 0 || d.Kind == bubble.Rand || script != (d.Kind == bubble.Choice) {
				continue
			}
			if len(text) == toldMost {
				return append(text, "and others")
			}
			text = append(text, s.deviation(t, i, d))
		}
	}
	return text
}

// toldMost is the largest number of deviations that a report names.
const toldMost = 20

// deviation describes draw d, the i-th of a run, whose answer is not 0, and the place in the code
// where the draw was made.
func (s *Search) deviation(t *tape, i int, d bubble.Draw) string {
	r, err := s.take(t, i+1)
	if err != nil {
		return d.String()
	}
	return s.asked(d, r.pcs)
}

// asked describes a draw and the place in the code where it was made: the goroutine, unless it is
// that of the test; the innermost call in the user's code; and the function that it called.
func (s *Search) asked(d bubble.Draw, pcs []uintptr) string {
	text := d.String()
	r, err := s.run(job{Names: pcs, Draw: d})
	if err != nil {
		return text
	}
	text = strings.TrimSuffix(text, fmt.Sprintf(", goroutine %d", d.Origin))
	if d.Origin != 0 {
		text += ", " + r.who
	}
	stack := r.stack
	of := func(prefixes ...string) int {
		return slices.IndexFunc(stack, func(line string) bool {
			return !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(line, p) })
		})
	}
	own := []string{"macemc/internal/bubble.", "sync.", "internal/sync."}
	inner, user := of(own...), of(append(own, "macemc/program.", "math/rand", "time.", "context.", "net/http.", "fmt.", "bufio.", "io.")...)
	switch {
	case user > inner:
		called, _, _ := strings.Cut(stack[user-1], " ")
		return text + ", in " + stack[user] + ", which calls " + called
	case inner >= 0:
		text += ", in " + stack[inner]
	}
	return text
}

// difference describes the first difference between two runs of job j that should be equal.
func (s *Search) difference(a, b result, j job) ([]string, error) {
	return s.differs(a, b, func(stop int) (result, error) { j.Stop = stop; return s.run(j) })
}

func (s *Search) differenceOf(t *tape, a, b result) ([]string, error) {
	return s.differs(a, b, func(stop int) (result, error) { return s.take(t, stop) })
}

func (s *Search) differs(a, b result, again func(stop int) (result, error)) ([]string, error) {
	for i := range max(len(a.draws), len(b.draws)) {
		if i < len(a.draws) && i < len(b.draws) && a.draws[i] == b.draws[i] {
			continue
		}
		r, err := again(i + 1)
		if err != nil {
			return nil, err
		}
		return []string{fmt.Sprintf("draw %d is the first that differs", i+1),
			"once:  " + s.drawAt(a.draws, i, r), "again: " + s.drawAt(b.draws, i, r)}, nil
	}
	return []string{"all draws are the same, and what became of the world is not: it depends on something that is no draw, as an address or the environment"}, nil
}

// drawAt describes the i-th of the draws of a run. If third, another run whose stack was recorded
// at draw i, has the same draw there, the text also names the place in the code where it was made.
func (s *Search) drawAt(draws []bubble.Draw, i int, third result) string {
	switch {
	case i >= len(draws):
		return "nothing is drawn"
	case i >= len(third.draws) || third.draws[i] != draws[i]:
		return s.asked(draws[i], nil)
	}
	return s.asked(draws[i], third.pcs)
}

// Kept returns the name of the file for the smallest tape of a call of Explore in a test.
func Kept(test string, call int) string {
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == ' ' || r == ':' {
			return '-'
		}
		return r
	}, test)
	if call > 0 {
		name += fmt.Sprint("-", call)
	}
	return filepath.Join("testdata", "macemc", name+".tape")
}

// Replay follows the tape in a file. The failure is nil if the world passes now; fit
// reports whether every answer of the tape was asked for.
func (s *Search) Replay(file string) (failure *Failure, fit bool, notes []Note, warning string, err error) {
	t, err := load(file)
	if err != nil {
		return nil, false, nil, "", err
	}
	warning = s.warning(file, t)
	r, err := s.run(job{Tape: file, From: 1})
	return r.failure, r.fit, r.notes, warning, err
}

// A Taken is the result of repeating a run.
type Taken struct {
	Failure *Failure // how the run failed; nil if it passed
	Log     []json.RawMessage
}

// Take repeats the run of a path.
func (s *Search) Take(path *choose.Path) (*Taken, error) {
	t, err := tapeOf(path)
	if err != nil {
		return nil, err
	}
	r, err := s.take(t, 0)
	if err != nil {
		return nil, err
	}
	return &Taken{r.failure, r.log}, nil
}

// warning returns a warning if tape t was recorded with another toolchain or overlay, or
// "".
func (s *Search) warning(name string, t *tape) string {
	if t.toolchain == toolchain() && t.overlay == s.binary.overlay.Hash {
		return ""
	}
	return fmt.Sprintf("%s was recorded with %s and overlay %s, and this is %s with overlay %s", name, t.toolchain, t.overlay, toolchain(), s.binary.overlay.Hash)
}
