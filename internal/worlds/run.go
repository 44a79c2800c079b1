package worlds

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"macemc/internal/bubble"
)

// stuckMost is the longest time that a child may print nothing.
const stuckMost = 60 * time.Second

// A result has what a child has written about its job.
type result struct {
	world   int      // the last world that began
	next    int      // if the child ended because it was full: the world at which the next child goes on, else 0
	worlds  int      // the number of worlds that passed
	failure *Failure // nil if every world passed
	notes   []Note
	log     []json.RawMessage
	pcs     []uintptr // the stack of the requested draw
	stack   []string  // the names of the calls on that stack
	who     string    // the goroutine of that draw
	fit     bool
	asked   int
	draws   []bubble.Draw
	many    int                 // for a job with Next: the number of worlds
	further map[int]bubble.Draw // the draw in which each of these worlds deviates
}

// run makes a child do a job, and reads its result.
func (s *Search) run(j job) (result, error) {
	dir, err := os.MkdirTemp("", "macemc-worlds-*")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	j.Test, j.Call, j.Seed, j.Of, j.Walk, j.Prefix = s.Test, s.Call, s.Seed, s.Of, s.Walk, s.prefix
	j.Out = filepath.Join(dir, "out")
	single := (j.Tape != "" || j.Single) && j.Cuts == nil && !j.Next
	if single {
		j.Log = filepath.Join(dir, "log")
	}
	text, err := json.Marshal(j)
	if err != nil {
		return result{}, err
	}
	var args []string
	if s.Build == nil {
		args = append([]string{"-test.run=^" + strings.ReplaceAll(regexp.QuoteMeta(s.Test), "/", "$/^") + "$", "-test.timeout=0", "-test.count=1"}, owned()...)
	}
	cmd := exec.Command(s.binary.file, args...)
	cmd.Env = append(os.Environ(), variable+"="+string(text), "GOMAXPROCS=1")
	said, err := s.wait(cmd, j.Out)
	if of := cmd.ProcessState; of != nil {
		s.spent.Add(int64(of.UserTime() + of.SystemTime()))
	}
	out, readErr := os.ReadFile(j.Out)
	if readErr != nil {
		return result{}, fmt.Errorf("no world can be taken (%v):\n%s", err, first(string(said), 40))
	}
	r, done := read(out)
	if !done && r.failure == nil {
		r.failure = died(said, err)
	}
	if single {
		r.draws, r.pcs, err = bubble.Mapped(j.Log)
		if err != nil && !os.IsNotExist(err) {
			return result{}, err
		}
	}
	return r, nil
}

// owned returns the flags of the user's own test, with their values, for a child.
func owned() (args []string) {
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") && !strings.HasPrefix(f.Name, "macetest.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	return args
}

// read parses the lines that a child has written. done reports whether the child finished
// its job.
func read(out []byte) (r result, done bool) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var l line
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			return r, false
		}
		switch l.What {
		case "begin":
			r.world = l.World
			if l.Draw != nil {
				if r.further == nil {
					r.further = map[int]bubble.Draw{}
				}
				r.further[l.World] = *l.Draw
			}
		case "next":
			r.many = l.World
		case "pass", "fail":
			r.world, r.failure, r.fit, r.asked = l.World, l.Failure, l.Fit, l.Draws
			r.worlds++
		case "note":
			for _, text := range l.Text {
				r.notes = append(r.notes, Note{l.Step, text})
			}
		case "log":
			if raw, err := json.Marshal(l.Log); err == nil {
				r.log = append(r.log, raw)
			}
		case "stack":
			r.stack, r.who = l.Text, l.Who
		case "full":
			r.next = l.World
		case "done":
			done = true
		}
	}
	return r, done
}

// wait runs a child. If the child prints nothing for too long, wait asks it for its stacks.
func (s *Search) wait(cmd *exec.Cmd, out string) ([]byte, error) {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	size, since := int64(-1), time.Now()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return said.Bytes(), err
		case <-tick.C:
		}
		if info, err := os.Stat(out); err == nil && info.Size() != size {
			size, since = info.Size(), time.Now()
		}
		if time.Since(since) > stuckMost {
			cmd.Process.Signal(syscall.SIGQUIT)
			err := <-ended
			return said.Bytes(), fmt.Errorf("the process printed nothing for %v, and was killed: %w", stuckMost, err)
		}
	}
}

// died returns the failure of the world during which a child ended, given its output and
// its error.
func died(said []byte, err error) *Failure {
	text := string(said)
	for _, kind := range []string{"panic", "fatal error"} {
		if i := strings.Index(text, kind+": "); i >= 0 {
			return &Failure{Kind: kind, Message: first(text[i:], 60)}
		}
	}
	if strings.Contains(text, "SIGQUIT") {
		return &Failure{Kind: "stuck", Message: fmt.Sprintf("the world makes no progress: %v\n%s", err, first(text, 60))}
	}
	return &Failure{Kind: "exit", Message: fmt.Sprintf("the process ended: %v\n%s", err, first(text, 40))}
}

// first returns the beginning of a text: its first lines, most of them at most.
func first(text string, most int) string {
	lines := strings.SplitAfterN(text, "\n", most+1)
	return strings.TrimSpace(strings.Join(lines[:min(most, len(lines))], ""))
}
