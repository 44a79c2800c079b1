package command

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"macemc/internal/jobs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"macemc/internal/account"
	"macemc/internal/lines"
	"macemc/internal/report"
	"macemc/internal/search"
	"macemc/internal/setting"
	"macemc/internal/statelog"
	"macemc/internal/wording"
	"macemc/sim"
)

// stateEnd is the record at the end of the state of a search that has ended. The command resume prints
// it.
type stateEnd struct {
	Status int
	Line   string // the result in a line
	JSON   []byte // the result as --json prints it
}

// These are the kinds of records in the log of a state.
const (
	recordLot statelog.Kind = statelog.KindRecord + iota
	recordEnd
)

// keepEvery is the shortest time between two writes of the state: a killed search loses little work, and
// writing takes little time. Most writes only add what has changed. Once these additions are keepTimes times as
// large as the last whole state, and have keepLeast bytes, the state is written as a whole again.
var keepEvery = time.Second // tests have a shorter one

const (
	keepTimes = 4
	keepLeast = 4 << 20
)

// buildHash returns the hash of this program's file. Only the same program can continue a search.
var buildHash = sync.OnceValues(func() (string, error) {
	sum, err := lines.Self()
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
})

// keptState is the state of a search that is kept in a directory: the last whole state, and the
// additions to it since.
type keptState struct {
	dir    statelog.Dir
	log    *statelog.Log
	whole  []byte
	added  [][]byte
	base   int64     // the size of the log when it had only the last whole state
	kept   time.Time // when the state was last kept
	resume bool      // the search was resumed, and has not stored its state again yet
	unlock func()
}

// openState creates the state of a search in a directory, or, if resume is set, opens the one that is
// there. header describes the search, and must be the same in both.
func openState(dir string, resume bool, header jobs.Header, warn func(string)) (*keptState, error) {
	s := &keptState{dir: statelog.Dir(dir), resume: resume, kept: time.Now()}
	var err error
	if s.unlock, err = s.dir.Lock(); err != nil {
		return nil, fmt.Errorf("--state %s: %w", dir, err)
	}
	if err := s.open(dir, header, warn); err != nil {
		s.unlock()
		return nil, err
	}
	return s, nil
}

func (s *keptState) open(dir string, header jobs.Header, warn func(string)) error {
	text, err := json.Marshal(&header)
	if err != nil {
		return err
	}
	if !s.resume {
		if s.log, err = statelog.Create(s.dir, text, nil); err != nil {
			return fmt.Errorf("--state %s: %w; go on with it by resume %s, or name another directory", dir, err, wording.Typed(dir))
		}
		return nil
	}
	found, end, log, rec, err := readState(dir, func(record []byte) { s.added = append(s.added, bytes.Clone(record)) })
	if err != nil {
		return err
	}
	if err := found.Differs(&header); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if end != nil {
		return fmt.Errorf("the search in %s has ended: %s", dir, end.Line)
	}
	if rec.Damaged() {
		warn(fmt.Sprintf("macemc: the end of the log in %s is damaged or torn (%d bytes, %d segments): the search goes on from what is whole before that", dir, rec.Dropped, rec.Passed))
	}
	s.log, s.whole = log, rec.Checkpoint
	return nil
}

// readState reads the state in a directory, and calls record with each of its additions.
func readState(dir string, record func([]byte)) (h jobs.Header, end *stateEnd, log *statelog.Log, rec *statelog.Recovered, err error) {
	log, rec, err = statelog.Recover(statelog.Dir(dir), statelog.Reader{
		Header:     func(text []byte) error { return json.Unmarshal(text, &h) },
		Checkpoint: func([]byte) error { return nil },
		Record: func(kind statelog.Kind, text []byte) error {
			if kind == recordEnd {
				end = new(stateEnd)
				return json.Unmarshal(text, end)
			}
			record(text)
			return nil
		},
	})
	if errors.Is(err, statelog.ErrNone) {
		err = fmt.Errorf("%s has no state of a search; search SYSTEM --state %s begins one", dir, wording.Typed(dir))
	} else if err != nil {
		err = fmt.Errorf("%s: %w", dir, err)
	}
	return h, end, log, rec, err
}

// headerOf returns the header of the state of a search, which describes the search.
func (t *tool) headerOf(sys *sim.System, opts search.Options) (h jobs.Header, err error) {
	h = jobs.Header{Args: slices.Clone(t.args), Of: t.Of}
	h.Build, err = buildHash()
	set := setting.Setting{Sys: sys, Params: opts.Params, Conditions: opts.Conditions}
	for _, f := range set.Header(true) {
		h.Setting = append(h.Setting, f.Key+": "+f.Value)
	}
	if opts.Prefix != nil {
		sum := sha256.Sum256([]byte(textOf(opts.Prefix)))
		h.Setting = append(h.Setting, "prefix: "+hex.EncodeToString(sum[:16]))
	}
	return h, err
}

// Kept returns the last whole state that was read from the directory, and the additions to it.
func (s *keptState) Kept() (whole []byte, added [][]byte) {
	whole, added, s.whole, s.added = s.whole, s.added, nil, nil
	return whole, added
}

// Due reports whether the search should store its state now. It should then call Keep with the whole
// state if whole is set, and otherwise Add with the changes.
func (s *keptState) Due() (due, whole bool) {
	whole = s.resume || s.log.Size() > max(keepTimes*s.base, s.base+keepLeast)
	return s.resume || time.Since(s.kept) >= keepEvery, whole
}

// Keep stores a whole state, which replaces the one before and its additions.
func (s *keptState) Keep(whole []byte) error {
	s.kept, s.resume = time.Now(), false
	err := s.log.Checkpoint(whole)
	s.base = s.log.Size()
	return s.failed(err)
}

// Add stores a record of the changes since the state was stored last.
func (s *keptState) Add(record []byte) error {
	s.kept = time.Now()
	return s.failed(cmp.Or(s.log.Append(recordLot, record), s.log.Commit()))
}

func (s *keptState) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w; make room, and go on with: resume %s", err, wording.Typed(string(s.dir)))
}

// ends closes the state. If end is not nil, the search has ended, and the state gets this record.
func (s *keptState) ends(end *stateEnd) (err error) {
	if s == nil {
		return nil
	}
	defer s.unlock()
	if end != nil {
		text, err := json.Marshal(end)
		if err != nil {
			return err
		}
		if s.resume { // nothing was kept: the end stands behind what there was
			if err := s.log.Checkpoint(s.whole); err != nil {
				return err
			}
		}
		if err := s.log.Append(recordEnd, text); err != nil {
			return err
		}
	}
	return s.log.Close()
}

// endOf returns the record with which the state of a search ends, or nil if the command resume can
// continue the search.
func (t *tool) endOf(r *search.Result, all []*account.Account) (*stateEnd, error) {
	switch r.Stop {
	case search.StopInterrupted, search.StopTime, search.StopSpent, search.StopKilled:
		return nil, nil
	}
	line := "nothing was found"
	if r.Finding != nil {
		line = fmt.Sprintf("it found %s: %s", r.Finding.Verdict, r.Finding.Message)
	}
	var text bytes.Buffer
	if err := report.ResultJSON(&text, r, all...); err != nil {
		return nil, err
	}
	line = fmt.Sprintf("%s (stopped: %s, after %d walks)", line, r.Stop, r.Stats.Walks)
	return &stateEnd{Status: t.status, Line: line, JSON: text.Bytes()}, nil
}

// resumeCommand returns the command resume, which continues a search whose state was kept.
func (t *tool) resumeCommand() *cobra.Command {
	var over struct {
		time        time.Duration
		memory, out string
		workers     int
		json, quiet bool
	}
	cmd := &cobra.Command{
		Use:   "resume DIR",
		Short: "continue a search that was begun with --state",
		Long: `resume continues a search that was begun with --state DIR, and that was interrupted or
killed, or whose machine went down. It reports the same finding and the same counts as a
search without an interruption, since a walk depends only on its number, the seed and the
states kept so far. It repeats at most a second of walks; in the exhaustive phase, it
repeats the level that was under way, and one step for each state before it.

The flags are those of the search; only the ones below may be changed. The state of
another build of the program is refused.`,
		Example: `
macemc search randtree --state randtree.state --time 10h
macemc resume randtree.state`,
		Args: exactly(1, "resume takes the DIR of a search's --state"),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.DurationVar(&over.time, "time", 0, "continue for this `time`, if the search had a --time (default the search's)")
	flags.StringVar(&over.memory, "memory", "", "limit the memory of the process to this many `bytes` (default the search's)")
	flags.IntVar(&over.workers, "workers", 0, "take walks on `N` goroutines (default the search's)")
	flags.StringVar(&over.out, "out", "", "write findings into `DIR` (default the search's)")
	flags.BoolVar(&over.json, "json", false, "print one JSON object")
	flags.BoolVar(&over.quiet, "quiet", false, "show no progress")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		h, end, _, _, err := readState(args[0], func([]byte) {})
		if err != nil {
			return err
		}
		build, err := buildHash()
		if err != nil {
			return err
		}
		if err := h.Differs(&jobs.Header{Build: build, Setting: h.Setting}); err != nil {
			if h.Of != "" && t.Of == "" {
				return fmt.Errorf("%s: the search is of the package %s: resume %s %s", args[0], h.Of, wording.Typed(h.Of), wording.Typed(args[0]))
			}
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if end != nil {
			t.status = end.Status
			if over.json || slices.Contains(h.Args, "--json") {
				_, err := t.stdout.Write(end.JSON)
				return err
			}
			fmt.Fprintf(t.stdout, "the search has ended: %s\n", end.Line)
			return nil
		}
		line := append(slices.Clone(h.Args), "--state", args[0], "--resume")
		if cmd.Flags().Changed("time") && !slices.ContainsFunc(h.Args, func(a string) bool { return a == "--time" || strings.HasPrefix(a, "--time=") }) {
			return usagef("--time: the search in %s has none, and ends by itself; interrupt it where it is to stop", args[0])
		}
		for _, name := range []string{"time", "memory", "workers", "out", "json", "quiet"} {
			if f := cmd.Flags().Lookup(name); f.Changed {
				line = append(line, "--"+name+"="+f.Value.String())
			}
		}
		if t.args != nil { // a child takes them
			t.args = line
		}
		root := t.root()
		root.SetArgs(line)
		root.SetOut(t.stdout)
		root.SetErr(t.stderr)
		return root.Execute()
	}
	return cmd
}
