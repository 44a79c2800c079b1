package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/search"
	"macemc/internal/trail"
	"macemc/sim"
)

// A handler is the user's code: it may end its process, overflow its stack, or take all
// memory. So a command that takes runs does so in a child process. The command that was
// typed keeps everything that must not be lost: the progress of the child's runs, its
// findings, and what handlers print. See keeper.

// asChild is the environment variable that gives a process its role as a child.
const asChild = "MACEMC_CHILD"

// The roles of a child.
const (
	roleRun   = "run"   // execute the command line
	roleAlone = "alone" // repeat one run that may have ended a child
	roleTell  = "tell"  // report the progress of a search whose child has died
)

// child is the connection of this process to its keeper, the process that has started it and goes
// on if it dies: see keeper. It is nil if this process has no keeper.
type child struct {
	role   string
	trail  *trail.Trail
	said   *os.File // the connection to the keeper
	token  string   // the secret at the beginning of each line of said
	found  []string // the paths of its findings
	began  time.Time
	notes  time.Time
	stdout *os.File
	stderr *os.File
	prints *os.File // the file to which handlers print
}

// note is the progress of a search, as a child records it on the trail.
type note struct {
	Stats   search.Stats
	Elapsed time.Duration
}

// noteEvery is the least time between two notes of a child.
const noteEvery = 100 * time.Millisecond

// kept returns the trail: memory in which a search in a child records its runs, and which the
// keeper reads if the child dies. It returns nil if this process is no child.
func (c *child) kept() *trail.Trail {
	if c == nil {
		return nil
	}
	return c.trail
}

// far records on the trail how far the search is, as a note. It does nothing if the last note is
// younger than noteEvery.
func (c *child) far(p search.Progress) {
	if c == nil || time.Since(c.notes) < noteEvery {
		return
	}
	c.notes = time.Now()
	if text, err := json.Marshal(note{p.Stats, time.Since(c.began)}); err == nil {
		c.trail.Note(text)
	}
}

// finds sends the keeper the path of a new finding.
func (c *child) finds(f *search.Finding) {
	if c == nil || f.Path == nil {
		return
	}
	c.found = append(c.found, textOf(f.Path))
	c.say(message{Found: c.found})
}

// looked sends the keeper the paths of all findings once the findings were analyzed. They replace the
// paths that finds has sent.
func (c *child) looked(all []*search.Finding) {
	if c == nil {
		return
	}
	c.found = nil
	for _, f := range all {
		if f.Path != nil {
			c.found = append(c.found, textOf(f.Path))
		}
	}
	c.say(message{Found: c.found})
}

// shows sends the keeper the file to which the path of the first finding was written.
func (c *child) shows(path string) {
	if c != nil {
		c.say(message{Shown: path})
	}
}

// heard returns a function that returns the text which handlers have printed since it was called last, at
// most heardMost bytes. heard returns nil if handlers have printed nothing so far, or if their output is
// not kept.
func (c *child) heard() func() string {
	if c == nil || sizeOf(c.prints) == 0 {
		return nil
	}
	at := int64(0)
	return func() string {
		size := sizeOf(c.prints)
		if size < at { // the file was too large, and the keeper has emptied it
			at = 0
		}
		text := make([]byte, min(size-at, heardMost))
		n, _ := c.prints.ReadAt(text, at)
		at = size
		return strings.ToValidUTF8(string(text[:n]), "")
	}
}

// heardMost is the largest number of bytes of output that are kept for one step.
const heardMost = 4096

func sizeOf(file *os.File) int64 {
	info, err := file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// message is a message from a child to its keeper, or from the keeper to a child, sent as one line of JSON.
type message struct {
	Found  []string    `json:",omitempty"` // the paths of all findings so far
	Alone  string      `json:",omitempty"` // the path of the run that is repeated
	Run    []byte      `json:",omitempty"` // the answers of that run
	Killed *killed     `json:",omitempty"` // what killed the search
	Stop   search.Stop `json:",omitempty"` // the reason to end, if the search did not end in time
	Reason string      `json:",omitempty"` // the cause of the end of the process, if no run has killed it
	Shown  string      `json:",omitempty"` // the path of the first finding, once it was written
	Note   note        // the progress of the search
}

// killed describes a run that ends the process that takes it: its path, and the reason and the stack of
// that end.
type killed struct{ Path, Message, Stack string }

// say writes a message to the keeper as a line of its own. The line begins with the token, so that the keeper
// can distinguish it from what the service prints. A newline comes first, since a handler may have printed half
// a line.
func (c *child) say(m message) {
	if text, err := json.Marshal(m); err == nil {
		_, _ = fmt.Fprintf(c.said, "\n%s%s\n", c.token, text)
	}
}

// lastSaid returns the last message in a file for which holds returns true. It skips lines without the
// token, which handlers have written.
func lastSaid(file *os.File, token string, holds func(*message) bool) (last message, ok bool) {
	info, err := file.Stat()
	if err != nil {
		return last, false
	}
	text, _ := io.ReadAll(io.NewSectionReader(file, 0, info.Size()))
	for line := range bytes.Lines(text) {
		var m message
		text, said := bytes.CutPrefix(line, []byte(token))
		if said && json.Unmarshal(text, &m) == nil && holds(&m) {
			last, ok = m, true
		}
	}
	return last, ok
}

func textOf(path *choose.Path) string {
	var b strings.Builder
	_, _ = path.WriteTo(&b)
	return b.String()
}

// alone takes the run that the keeper has sent, and sends back its path.
func (c *child) alone(sys *sim.System, opts search.Options) error {
	m, _ := lastSaid(c.said, c.token, func(m *message) bool { return m.Run != nil })
	return search.Alone(sys, opts, trail.RunOf(m.Run), func(f *search.Finding) { c.say(message{Alone: textOf(f.Path)}) })
}

// tellOfDeath reports the result of a search whose child has died: the findings before that, and the
// cause of death. The keeper has sent both to this process.
func (t *tool) tellOfDeath(sys *sim.System, opts search.Options, f searchFlags) error {
	m, _ := lastSaid(t.child.said, t.child.token, func(*message) bool { return true })
	var found []*search.Finding
	for _, text := range m.Found {
		path, err := choose.Parse(strings.NewReader(text))
		if err != nil {
			return err
		}
		again, err := search.Replay(sys, path, search.Options{AsRecorded: true})
		if err != nil {
			return err
		}
		found = append(found, again.Finding)
	}
	if k := m.Killed; k != nil {
		path, err := choose.Parse(strings.NewReader(k.Path))
		if err != nil {
			return err
		}
		again, err := search.Killed(sys, path, k.Message, k.Stack)
		if err != nil {
			return err
		}
		found = append([]*search.Finding{again.Finding}, found...)
	}
	r, err := search.Died(sys, opts, cmp.Or(m.Stop, search.StopKilled), m.Note.Stats, m.Note.Elapsed, found)
	if err != nil {
		return err
	}
	if m.Reason != "" {
		t.complain(errors.New(m.Reason))
	}
	t.conclude(r, f, func() bool { return m.Stop != "" })
	return nil
}

// slowly returns a text for the user about a handler that waits or is slow, with the place in its
// source.
func slowly(s search.Slow) string {
	what := "a handler waits (" + s.Does + ")"
	if s.Does == "running" || s.Does == "runnable" {
		what = "a handler takes its time"
	}
	return fmt.Sprintf("macemc: %s at %s: the search stands meanwhile; a handler may not wait, it returns, and asks to be called again (env.After, env.Post)", what, account.At(s.Stack))
}
