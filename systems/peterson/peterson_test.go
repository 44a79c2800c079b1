package peterson

import (
	"fmt"
	"testing"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// space has the counts of a breadth-first search.
type space struct{ states, transitions, depth int }

// published are the counts that others found; 0 is unknown.
var published = map[int]space{
	2: {},
	3: {states: 771, transitions: 1_787},
	4: {states: 19_887},
	5: {states: 576_551},
}

func params(t *testing.T, n int, bugs ...string) sim.Params {
	t.Helper()
	p, err := System.Configure(0, []string{fmt.Sprintf("n=%d", n)}, bugs)
	if err != nil {
		t.Fatal(err)
	}
	if err := System.Validate(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// executed counts states by taking the answers that lead to a state again from the start, and recognizes a
// state by its hash. This is slow, and too simple to be wrong.
func executed(t *testing.T, n int) (s space) {
	t.Helper()
	w, err := world.New(System, params(t, n), world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	// run goes from the start to the state to which picks lead.
	run := func(picks []choose.Pick) {
		source := choose.NewRaw(picks)
		failure := w.Protect(func() {
			w.Start(source)
			for range picks {
				w.Step(source)
			}
			w.Judge.Check()
		})
		if err := source.Err(); err != nil {
			t.Fatal(err)
		}
		if failure != nil {
			t.Fatalf("n=%d, after %d steps: %s: %s", n, len(picks), failure.Property, failure.Message)
		}
	}
	run(nil)
	fresh := unseen(w.State.Hash())
	paths := [][]choose.Pick{nil}
	for i := 0; i < len(paths); i++ {
		run(paths[i])
		enabled := w.Events.Count()
		for k := range enabled {
			path := append(paths[i][:len(paths[i]):len(paths[i])], choose.Pick{Of: uint32(enabled), Pick: uint32(k)})
			run(path)
			s.transitions++
			if fresh(w.State.Hash()) {
				paths = append(paths, path)
			}
		}
	}
	s.states, s.depth = len(paths), len(paths[len(paths)-1])
	return s
}

// unseen returns a function that reports whether it gets a hash for the first time.
func unseen[H comparable](first H) func(H) bool {
	known := map[H]bool{first: true}
	return func(h H) bool {
		fresh := !known[h]
		known[h] = true
		return fresh
	}
}

// copied counts states by copies of the node, without a simulator. It checks both properties exactly: in each
// state at most one process is in its critical section, and from each state a live one can be reached.
func copied(t *testing.T, n int) (s space) {
	t.Helper()
	start := lock{n: n}
	number := map[lock]int{start: 0}
	states := []lock{start}
	depth := []int{0}
	type step struct{ from, to int }
	var steps []step
	for i := 0; i < len(states); i++ {
		states[i].Offers(func(signal sim.Signal) {
			next := states[i]
			handlers.Node(&next).Handle(nil, signal)
			to, there := number[next]
			if !there {
				to = len(states)
				number[next] = to
				states, depth = append(states, next), append(depth, depth[i]+1)
			}
			steps = append(steps, step{i, to})
		})
	}
	recovers := make([]bool, len(states))
	for i, l := range states {
		critical := 0
		for p := range n {
			if l.at[p] == labelLeave {
				critical++
			}
		}
		if critical > 1 {
			t.Errorf("n=%d: %d processes in their critical sections: %+v", n, critical, l)
		}
		recovers[i] = critical > 0
	}
	for changed := true; changed; {
		changed = false
		for i := len(steps) - 1; i >= 0; i-- {
			if e := steps[i]; recovers[e.to] && !recovers[e.from] {
				recovers[e.from], changed = true, true
			}
		}
	}
	for i, ok := range recovers {
		if !ok {
			t.Errorf("n=%d: no process can get to its critical section: %+v", n, states[i])
		}
	}
	return space{len(states), len(steps), depth[len(depth)-1]}
}

func checkPublished(t *testing.T, n int, s space) {
	t.Helper()
	want := published[n]
	if want.states != 0 && s.states != want.states || want.transitions != 0 && s.transitions != want.transitions {
		t.Errorf("n=%d: %d states and %d transitions; published are %d and %d (0: unknown)", n, s.states, s.transitions, want.states, want.transitions)
	}
	t.Logf("n=%d: %+v", n, s)
}

// The simulator finds the published counts, and both properties hold in the whole space. Counting by copies of
// the node gives the same states, transitions and depth.
func TestPublishedCounts(t *testing.T) {
	for n := 2; n <= 4; n++ {
		s := executed(t, n)
		checkPublished(t, n, s)
		if twin := copied(t, n); s != twin {
			t.Errorf("n=%d: the simulator finds %+v, copies of the node %+v", n, s, twin)
		}
	}
}

func TestPublishedCountOfFive(t *testing.T) {
	if !*long.On {
		t.Skip("-long: half a million states")
	}
	checkPublished(t, 5, copied(t, 5))
}

// Searches find both bugs, for every number of processes.
func TestBugs(t *testing.T) {
	for _, c := range []struct {
		bug     sim.BugID
		verdict trace.Verdict
	}{
		{PE1, trace.VerdictSafety},
		{PE2, trace.VerdictDead},
	} {
		for n := N.Range.Least; n <= min(N.Range.Most, long.Of(4, 100)); n++ {
			for seed := range uint64(long.Of(1, 5)) {
				r, err := search.Search(System, search.Options{
					Params: params(t, n, string(c.bug)), Effort: 2_000, Paths: 5_000, Seed: seed + 1,
				})
				if err != nil {
					t.Fatal(err)
				}
				if r.Verdict() != c.verdict {
					t.Errorf("%s, n=%d, seed %d: %s, not %s", c.bug, n, seed+1, r.Verdict(), c.verdict)
				} else if seed == 0 {
					t.Logf("%s, n=%d: after %d paths, in %d steps: %s", c.bug, n, r.Stats.Paths, len(r.Finding.Trace.Steps), r.Finding.Message)
				}
			}
		}
	}
}

// Walks find nothing in the correct lock, with more processes than can be searched exhaustively.
func TestClean(t *testing.T) {
	for n := N.Range.Least; n <= min(N.Range.Most, long.Of(4, 100)); n++ {
		r, err := search.Search(System, search.Options{Params: params(t, n), Effort: 2_000, Paths: 3_000})
		if err != nil {
			t.Fatal(err)
		}
		if r.Finding != nil {
			t.Errorf("n=%d: %s: %s", n, r.Finding.Property, r.Finding.Message)
		}
	}
}
