package storage

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// twin has the rules of the system as plain values, and is searched in the simplest way. The messages under way
// are sets of objects, with a bit for each object: one set for each operation, since no two messages are equal.
// Number 0 means no operation.
type twin struct {
	obj          [3]int8
	number       int8 // of the write begun last
	writing      bool
	acked        uint8
	complete     int8
	round        int8
	reading      bool
	answered     uint8
	largest, low int8
	results      [4]int8
	writes, acks [4]uint8 // under way, by number
	reads        [4]uint8 // by round
	values       [4][3]int8
}

type rules struct {
	writes, reads int8
	stay          bool
}

func (r rules) next(s twin, yield func(twin)) {
	if !s.writing && s.number < r.writes {
		t := s
		t.number++
		t.writing, t.writes[t.number] = true, 7
		yield(t)
	}
	if !s.reading && s.round < r.reads {
		t := s
		t.round++
		t.reading, t.low, t.reads[t.round] = true, s.complete, 7
		yield(t)
	}
	for o := range 3 {
		bit := uint8(1) << o
		for n := int8(1); n <= r.writes; n++ {
			if s.writes[n]&bit != 0 {
				t := s
				t.writes[n] &^= bit
				t.obj[o] = max(t.obj[o], n)
				t.acks[n] |= bit
				yield(t)
			}
			if current := s.writing && n == s.number; s.acks[n]&bit != 0 && (current || !r.stay) {
				t := s
				t.acks[n] &^= bit
				if current {
					if t.acked |= bit; two(t.acked) {
						t.writing, t.acked, t.complete = false, 0, n
					}
				}
				yield(t)
			}
		}
		for k := int8(1); k <= r.reads; k++ {
			if s.reads[k]&bit != 0 {
				t := s
				t.reads[k] &^= bit
				t.values[k][o] = 1 + s.obj[o]
				yield(t)
			}
			if current := s.reading && k == s.round; s.values[k][o] != 0 && (current || !r.stay) {
				t := s
				t.values[k][o] = 0
				if current {
					t.largest = max(t.largest, s.values[k][o]-1)
					if t.answered |= bit; two(t.answered) {
						t.results[k] = 1 + t.largest
						t.reading, t.answered, t.largest, t.low = false, 0, 0, 0
					}
				}
				yield(t)
			}
		}
	}
}

func two(bits uint8) bool { return bits&(bits-1) != 0 }

func (r rules) count(t *testing.T) (states, transitions int) {
	known := map[twin]bool{{}: true}
	todo := []twin{{}}
	for len(todo) > 0 {
		var later []twin
		for _, s := range todo {
			r.next(s, func(to twin) {
				transitions++
				if !known[to] {
					known[to] = true
					later = append(later, to)
				}
				if to.round > s.round {
					return
				}
				if got := to.results[max(to.round, 1)]; s.reading && !to.reading && got-1 < s.low {
					t.Fatalf("%+v reads below its low mark", s)
				}
			})
		}
		todo = later
	}
	return len(known), transitions
}

// A search has the same counts as the simple one, and as others have published.
func TestTwin(t *testing.T) {
	for _, c := range []struct {
		rules
		published   int // 0 if nothing is
		long        bool
		transitions int // published, or 0
	}{
		{rules{1, 1, true}, 1_990, false, 0}, {rules{1, 1, false}, 2_200, false, 0},
		{rules{2, 1, true}, 38_557, true, 0}, {rules{2, 1, false}, 50_352, true, 0},
		{rules{1, 2, true}, 29_614, false, 0}, {rules{1, 2, false}, 0, true, 0},
		{rules{3, 1, true}, 546_709, true, 0}, {rules{1, 3, true}, 374_083, true, 0},
		{rules{2, 2, true}, 908_266, true, 4_061_754}, {rules{2, 2, false}, 1_334_961, true, 7_500_238},
	} {
		if c.long && !*long.On {
			continue
		}
		late := "consumed"
		if c.stay {
			late = "stay"
		}
		settings := []string{fmt.Sprint("writes=", c.writes), fmt.Sprint("reads=", c.reads), "late=" + late}
		t.Run(fmt.Sprint(settings), func(t *testing.T) {
			states, transitions := c.count(t)
			s := all(t, settings)
			if s.States != states || s.Transitions != transitions || c.published > 0 && states != c.published || c.transitions > 0 && transitions != c.transitions {
				t.Errorf("%d states, %d transitions; the twin counts %d and %d; published are %d and %d",
					s.States, s.Transitions, states, transitions, c.published, c.transitions)
			}
		})
	}
}

func all(t *testing.T, settings []string) search.Stats {
	t.Helper()
	params, err := System.Configure(0, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := search.Search(System, search.Options{Params: params, Effort: 1 << 40, NoWalks: true, Reduce: search.ReduceNone, Conditions: sim.Conditions{Faults: &sim.Faults{}}})
	if err != nil {
		t.Fatal(err)
	}
	if res.Finding != nil || res.Safety.State != search.StateExhausted || res.Liveness.State != search.StateExhausted {
		t.Fatalf("%s, %s, %v", res.Safety.State, res.Liveness.State, res.Finding)
	}
	return res.Stats
}

// With quorums a search has the same counts as an independent program has for the same rules.
func TestQuorums(t *testing.T) {
	for _, c := range []struct {
		settings []string
		states   int
	}{
		{[]string{"writes=1", "reads=1", "late=stay"}, 556},
		{[]string{"writes=2", "reads=1", "late=stay"}, 8_902},
		{[]string{"writes=1", "reads=1", "readers=2", "late=stay"}, 23_608},
		{[]string{"writes=1", "reads=2", "late=stay"}, 8_083},
		{[]string{"writes=2", "reads=2", "late=stay"}, 209_323},
		{[]string{"writes=2", "reads=2", "late=consumed"}, 323_430},
	}[:long.Of(3, 6)] {
		if s := all(t, append(c.settings, "answers=quorum")); s.States != c.states {
			t.Errorf("%v: %d states, want %d", c.settings, s.States, c.states)
		}
	}
}

// With two readers the number of states is the published one.
func TestTwoReaders(t *testing.T) {
	if !*long.On {
		t.Skip("TestQuorums has two readers, too")
	}
	if s := all(t, []string{"writes=1", "readers=2", "late=stay"}); s.States != 170_194 {
		t.Errorf("%d states; published are 170,194", s.States)
	}
}

// With promise=atomic the history of calls and returns is linearizable. The reference engine, which identifies
// a state by all of its contents, including the possible states of the register, has the same counts.
func TestAtomic(t *testing.T) {
	settings := []string{"writes=1", "promise=atomic", "late=stay"}
	s := all(t, settings)
	params, err := System.Configure(0, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	count := func(engine search.Engine) string {
		res, err := search.Search(System, search.Options{Params: params, Engine: engine, Depth: 7, NoWalks: true, Conditions: sim.Conditions{Faults: &sim.Faults{}}})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(res.Stats.States, " states, ", res.Stats.Transitions, " transitions, ", res.Finding)
	}
	if reference, memo := count(search.EngineReference), count(search.EngineMemo); reference != memo {
		t.Errorf("to depth 7 the reference counts %s, memo %s", reference, memo)
	}
	if s.States < 1_990 {
		t.Errorf("%d states, and 1,990 without what is atomic about it", s.States)
	}
	if *long.On {
		all(t, []string{"writes=1", "reads=2", "promise=atomic", "late=stay"})
	}
}

// Without write-back the storage is regular and not atomic: a read returns an older value than the read before
// it. The folder of the finding has porcupine's picture of the history.
func TestNotAtomic(t *testing.T) {
	params, err := System.Configure(0, []string{"writes=1", "reads=2", "promise=atomic"}, []string{string(RS5)})
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []search.Engine{search.EngineLocal, search.EngineMemo} {
		res, err := search.Search(System, search.Options{Params: params, Engine: engine, Conditions: sim.Conditions{Faults: &sim.Faults{}}})
		if err != nil {
			t.Fatal(err)
		}
		f := res.Finding
		if f == nil || f.Verdict != trace.VerdictSafety || f.Step != 12 {
			t.Fatalf("%s: found %v", engine, f)
		}
		for _, p := range System.Properties {
			file, picture, err := p.Picture(f.Trace.Facts())
			if err != nil || (file == "history.html") != (p.Name == f.Property) {
				t.Fatalf("%s: %q has the picture %q, %v", engine, p.Name, file, err)
			}
			if text := string(picture); p.Name == f.Property && (!strings.Contains(text, "Write 1") || !strings.Contains(text, "Read: 0")) {
				t.Errorf("%s: the picture lacks what was called", engine)
			}
		}
	}
}
