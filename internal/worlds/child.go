package worlds

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macemc/internal/bubble"
	"macemc/program"
)

// A Body is the function that the user wrote: a test that runs in a bubble.
type Body func(t *testing.T, w *program.World)

// A System is the function that runs one world of a system with programs. It passes the
// entries of its log to say, which is nil if nobody reads them.
type System func(t *T, w *program.World, say func(entry any))

// T collects the outcome of a world of a System.
type T struct{ text string }

// Error records that the world fails, with the reason. The world goes on.
func (t *T) Error(args ...any) { t.text = strings.TrimSpace(t.text + "\n" + fmt.Sprint(args...)) }

// Skip ends the world without a failure, and Fatal ends it with a failure. Both must be called by
// the goroutine that runs the body.
func (t *T) Skip(...any)       { panic(over{}) }
func (t *T) Fatal(args ...any) { t.Error(args...); panic(over{}) }

type over struct{}

// child is a process that takes the worlds of a job.
type child struct {
	job      *job
	body     Body // the body of a test; nil if the job is about a system
	system   System
	out      *os.File
	recorder *bubble.Recorder
	failure  *Failure // the failure of the current world
	number   int      // the number of the current world
	live     uint64   // the number of bytes in use after the last garbage collection
	notes    bool     // lines that the world logs are written at once
}

// Do does a job in this process.
func Do(j *job, body Body) error {
	return (&child{job: j, body: body}).work()
}

// DoSystem does a job about a system in this process.
func DoSystem(j *job, body System) error { return (&child{job: j, system: body}).work() }

// work prepares the process for worlds, and takes them.
func (c *child) work() error {
	if err := errors.Join(bubble.Exact(), outside(), c.unset()); err != nil {
		return err
	}
	out, err := os.OpenFile(c.job.Out, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	bubble.Prepare()
	debug.SetMemoryLimit(limit)
	rand.Reader = drawn{}
	c.out, c.recorder = out, new(bubble.Recorder)
	if err := c.do(); err != nil {
		return err
	}
	c.say(line{What: "done"})
	return nil
}

// Limits of a child's memory. limit is the memory at which garbage is collected even during a
// world. A child ends after a world that leaves more than fullMost in use, since that memory is
// never freed.
const (
	limit    = 2 << 30
	fullMost = 512 << 20
	eager    = 64 << 20 // the number of new bytes after which garbage is collected between two worlds, if there are at least as many as live bytes
)

// drawn replaces the reader of crypto/rand in a bubble. Its bytes come from the tape.
type drawn struct{}

func (drawn) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(mathrand.Uint64() >> 13)
	}
	return len(p), nil
}

func (c *child) say(l line) {
	text, err := json.Marshal(l)
	if err != nil {
		panic("macemc bug: a line of a child is no JSON: " + err.Error())
	}
	if _, err := c.out.Write(append(text, '\n')); err != nil {
		fmt.Fprintln(os.Stderr, "the job's file cannot be written:", err)
		os.Exit(2)
	}
}

// do takes the worlds of the job. First it takes world 0, which has no deviations. A failure of world
// 0 is reported even if the job begins at a later world, but not if the job follows a tape or a
// prefix.
func (c *child) do() error {
	j := c.job
	if j.Names != nil {
		c.say(line{What: "stack", Text: bubble.Frames(j.Names), Who: j.Draw.Goroutine()})
		return nil
	}
	prefix, err := j.prefix()
	if err != nil {
		return err
	}
	warm, _ := c.take(0, bubble.Plan{Fed: []bubble.Draw{}}, false)
	switch {
	case j.Next:
		return c.next()
	case j.Cuts != nil:
		return c.cuts()
	case j.Tape != "" || j.Single:
		return c.single(prefix)
	case prefix != nil:
	case j.From == 0:
		c.end(0, warm)
		if warm.failure != nil {
			return nil
		}
		j.From += j.Stride
	case warm.failure != nil:
		c.say(line{World: 0, What: "fail", Failure: warm.failure})
		return nil
	}
	return c.each(j.To, func(k int) (*bubble.Draw, bubble.Plan) { return nil, j.plan(k, prefix) })
}

// each takes the worlds of the job with numbers less than below, until one fails or the process has
// grown too large. The function what returns the plan of world k. If the job is to add one
// deviation to a tape, what also returns the draw at which world k has it, and otherwise nil.
func (c *child) each(below int, what func(k int) (*bubble.Draw, bubble.Plan)) error {
	for k := c.job.From; k < below; k += c.job.Stride {
		draw, plan := what(k)
		c.say(line{World: k, What: "begin", Draw: draw})
		t, err := c.take(k, plan, false)
		if err != nil {
			return err
		}
		c.end(k, t)
		if t.failure != nil {
			return nil
		}
		if c.full() {
			c.say(line{World: k + c.job.Stride, What: "full"})
			return nil
		}
	}
	return nil
}

// single takes one world. It writes the world's draws into a file, and its log lines as
// they come.
func (c *child) single(prefix *tape) error {
	j := c.job
	p := j.plan(j.From, prefix)
	if j.Tape != "" {
		t, err := load(j.Tape)
		if err != nil {
			return err
		}
		p = t.plan()
	}
	p.Stop = j.Stop
	if j.Log != "" {
		if err := c.recorder.Map(j.Log); err != nil {
			return err
		}
	}
	c.say(line{World: j.From, What: "begin"})
	t, err := c.take(j.From, p, true)
	if err != nil {
		return err
	}
	c.end(j.From, t)
	return nil
}

// cuts takes one world for each cut of the job, until one fails. The world follows the job's tape
// without the draws in the cut. If the job has Free set, it follows the whole tape up to step
// Until, and its later draws are random.
func (c *child) cuts() error {
	j := c.job
	whole, err := load(j.Tape)
	if err != nil {
		return err
	}
	return c.each(j.From+len(j.Cuts), func(k int) (*bubble.Draw, bubble.Plan) {
		if j.Free {
			return nil, whole.before(j.Until, planOf(^whole.seed, k+1, ""))
		}
		return nil, whole.without(j.Cuts[k-j.From]).plan()
	})
}

// next takes each world that follows the job's tape and deviates at one more draw, later than the tape
// does. It reports the number of these worlds first.
func (c *child) next() error {
	j := c.job
	base, err := load(j.Tape)
	if err != nil {
		return err
	}
	t, err := c.take(0, base.plan(), false)
	if err != nil {
		return err
	}
	all := further(slices.Clone(t.record.Draws), base.draws)
	c.say(line{World: len(all), What: "next"})
	return c.each(min(j.To, len(all)), func(k int) (*bubble.Draw, bubble.Plan) {
		return &all[k], base.with(append(slices.Clone(base.draws), all[k])).plan()
	})
}

// took is the result of a world: how it failed, if it did, and its draws.
type took struct {
	failure *Failure
	record  bubble.Record
}

func (c *child) end(k int, t took) {
	l := line{World: k, What: "pass", Draws: t.record.Asked, Fit: t.record.Fit}
	if t.failure != nil {
		l.What, l.Failure = "fail", t.failure
	}
	c.say(l)
}

// full reports whether the process should end because it has grown too large. It collects garbage, since it
// is called between worlds.
func (c *child) full() bool {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc < c.live+max(c.live, eager) {
		return false
	}
	runtime.GC()
	runtime.ReadMemStats(&m)
	c.live = m.HeapAlloc
	return m.HeapAlloc+m.StackInuse > fullMost
}

// take takes world k with plan p. Package testing runs the world as a test of its own,
// whose output is the text of a failure. If notes is set, lines of the world are written at
// once.
func (c *child) take(k int, p bubble.Plan, notes bool) (took, error) {
	c.failure, c.notes, c.number = nil, notes, k
	if c.body == nil {
		return c.takeSystem(p), nil
	}
	said, err := c.captured(func() {
		c.recorder.Begin(p)
		testing.RunTests(regexp.MatchString, []testing.InternalTest{{Name: c.job.Test, F: c.bubble}})
	})
	t := took{record: c.recorder.End()}
	if err != nil {
		return t, err
	}
	if c.failure == nil && strings.Contains(said, "--- FAIL") {
		c.failure = &Failure{Kind: "failed", Message: strings.TrimSpace(header.ReplaceAllString(said, ""))}
	}
	t.failure = c.failure
	return t, nil
}

// takeSystem takes one world of a system.
func (c *child) takeSystem(p bubble.Plan) (out took) {
	t := new(T)
	c.recorder.Begin(p)
	err := bubble.Inside(func() {
		w := program.New(t)
		var say func(any)
		if c.notes {
			say = func(entry any) { c.say(line{What: "log", Log: entry}) }
		}
		end := time.AfterFunc(endless, func() { c.endless() })
		defer end.Stop()
		defer w.End()
		defer func() {
			if e := recover(); e != nil && e != (over{}) {
				panic(e)
			}
		}()
		c.system(t, w, say)
	})
	switch {
	case t.text != "":
		out.failure = &Failure{Kind: "failed", Message: t.text}
	case err != nil:
		out.failure = deadlocked(err)
	}
	out.record = c.recorder.End()
	return out
}

// bubble runs the test of one world. If the test itself fails, that is the failure, even if goroutines are
// left.
func (c *child) bubble(t *testing.T) {
	failed := false
	defer func() {
		if e := recover(); e != nil { // synctest itself panicked; a panic of the body would have ended the process
			if !failed {
				c.failure = deadlocked(e)
			}
			if failed || c.failure != nil {
				t.Fail()
			}
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		bubble.Enter()
		w := program.New(t)
		if c.notes {
			w.Watch(func(text string) { c.say(line{What: "note", Text: []string{text}, Step: bubble.Step()}) })
		}
		end := time.AfterFunc(endless, func() { c.endless() })
		defer end.Stop()
		defer func() { failed = t.Failed() }()
		defer w.End()
		c.body(t, w)
	})
}

// endless is the time, on the clock of a world, after which the world counts as one that never ends.
const endless = 24 * time.Hour

func (c *child) endless() {
	f := &Failure{Kind: "endless", Message: fmt.Sprintf("the world is not over after %v of its time\n%s", endless, lefts(bubble.Left()))}
	if quiet := bubble.Quiet(); quiet > endless/2 {
		f = &Failure{Kind: "deadlock", Message: fmt.Sprintf("all goroutines are blocked, %v after the beginning\n%s", endless-quiet, lefts(bubble.Left()))}
	}
	c.say(line{World: c.number, What: "fail", Failure: f})
	os.Exit(3)
}

// deadlocked returns the failure of a bubble that cannot go on, which ended with the panic
// value e. It returns nil if only goroutines of nodes' earlier lives are left in it.
func deadlocked(e any) *Failure {
	left := bubble.Left()
	text := fmt.Sprint(e)
	if !strings.Contains(text, "main bubble goroutine has exited") {
		return &Failure{Kind: "deadlock", Message: text + "\n" + lefts(left)}
	}
	if len(left) == 0 {
		return nil
	}
	return &Failure{Kind: "left", Message: "the test is over, and goroutines are left that are blocked for ever\n" + lefts(left)}
}

func lefts(all []bubble.Goroutine) (text string) {
	for _, g := range all {
		text += "\n" + g.String() + "\n"
	}
	return text
}

// captured returns the text that f writes to the standard output.
func (c *child) captured(f func()) (string, error) {
	file, err := os.CreateTemp("", "macemc-world-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	before := os.Stdout
	os.Stdout = file
	f()
	os.Stdout = before
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	text, err := io.ReadAll(file)
	return string(text), err
}

var header = regexp.MustCompile(`(?m)^\s*--- FAIL: .*\n`)

// unset clears flags that would keep package testing from running the worlds.
func (c *child) unset() error {
	if c.body == nil {
		return nil
	}
	for _, name := range []string{"test.run", "test.skip"} {
		if err := flag.Set(name, ""); err != nil {
			return err
		}
	}
	return nil
}
