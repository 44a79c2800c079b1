package twophase

import (
	"fmt"
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/trace"
)

// space has the counts of a breadth-first search that takes runs again from the start.
type space struct {
	states, transitions int
	dead                int // states from which no live state is reachable
	failure             *trace.Failure
	depth               int // steps to the first failure, or to the farthest state
}

// count reaches every state by taking the answers that lead to it again from the start, and recognizes a state
// by its hash. This is slow, and too simple to be wrong. It ends at the first failure.
func count(t *testing.T, rms int, bugs ...string) (s space) {
	t.Helper()
	params, err := System.Configure(0, []string{fmt.Sprintf("rms=%d", rms)}, bugs)
	if err != nil {
		t.Fatal(err)
	}
	if err := System.Validate(params); err != nil {
		t.Fatal(err)
	}
	w, err := world.New(System, params, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	// run goes from the start to the state to which picks lead.
	run := func(picks []choose.Pick) {
		source := choose.NewRaw(picks)
		s.failure = w.Protect(func() {
			w.Start(source)
			for range picks {
				w.Step(source)
			}
			w.Judge.Check()
		})
		if err := source.Err(); err != nil {
			t.Fatal(err)
		}
	}
	run(nil)
	number := numbered(w.State.Hash())
	paths := [][]choose.Pick{nil}
	live := []bool{w.Judge.Live()}
	from := [][]int{nil} // the states from which there is a step to this one
	for i := 0; i < len(paths); i++ {
		run(paths[i])
		enabled := w.Events.Count()
		for k := range enabled {
			path := append(paths[i][:len(paths[i]):len(paths[i])], choose.Pick{Of: uint32(enabled), Pick: uint32(k)})
			run(path)
			if s.depth = len(path); s.failure != nil {
				return s
			}
			s.transitions++
			to, fresh := number(w.State.Hash())
			if fresh {
				paths, live, from = append(paths, path), append(live, w.Judge.Live()), append(from, nil)
			}
			from[to] = append(from[to], i)
		}
	}
	s.states, s.dead, s.depth = len(paths), dead(live, from), len(paths[len(paths)-1])
	return s
}

// numbered numbers hashes in the order in which they come; first is 0.
func numbered[H comparable](first H) func(H) (n int, fresh bool) {
	known := map[H]int{first: 0}
	return func(h H) (int, bool) {
		n, ok := known[h]
		if !ok {
			n = len(known)
			known[h] = n
		}
		return n, !ok
	}
}

// dead counts the states from which no live one is reachable.
func dead(live []bool, from [][]int) int {
	var work []int
	for i, ok := range live {
		if ok {
			work = append(work, i)
		}
	}
	for ; len(work) > 0; work = work[1:] {
		for _, i := range from[work[0]] {
			if !live[i] {
				live[i] = true
				work = append(work, i)
			}
		}
	}
	n := 0
	for _, ok := range live {
		if !ok {
			n++
		}
	}
	return n
}

// The counts are the published ones, and both properties hold in the whole space.
func TestPublishedCounts(t *testing.T) {
	for _, c := range []struct{ rms, states, transitions int }{
		{3, 288, 1_145},
		{4, 1_568, 8_257},
		{5, 8_832, 58_145},
	} {
		s := count(t, c.rms)
		if s.failure != nil {
			t.Fatalf("rms=%d: %s: %s", c.rms, s.failure.Property, s.failure.Message)
		}
		if s.states != c.states || s.transitions != c.transitions {
			t.Errorf("rms=%d: %d states and %d transitions; published are %d and %d", c.rms, s.states, s.transitions, c.states, c.transitions)
		}
		if s.dead > 0 {
			t.Errorf("rms=%d: no decision can be reached from %d states", c.rms, s.dead)
		}
		t.Logf("rms=%d: depth %d", c.rms, s.depth)
	}
}

func TestTP1(t *testing.T) {
	s := count(t, 3, string(TP1))
	if s.failure == nil {
		t.Fatal("not found")
	}
	t.Logf("at depth %d: %s", s.depth, s.failure.Message)
}
