package search

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/long"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/sources"
	"macemc/internal/world"
	"macemc/sim"
)

// The services below are the programs of the literature: threads that read and write variables. A
// variable is a node, which answers each read and takes each write in one step.

type (
	readVar  struct{ At int }
	writeVar struct{ Value int }
	valueVar struct{ Value int }
)

type variable struct{ Value int }

func (v *variable) read(env sim.Env, from sim.Addr, _ readVar) {
	env.Bag().Send(from, valueVar{v.Value})
}
func (v *variable) write(_ sim.Env, _ sim.Addr, w writeVar) { v.Value = w.Value }

var variables = sim.Handle(sim.OnMessage((*variable).read), sim.OnMessage((*variable).write))

// thread makes accesses to variables, one after another. After a read, it waits for the answer.
type thread struct {
	Todo []access                            // the accesses to make
	Got  []int                               // the values that were read
	next func(t *thread, value int) []access // returns the accesses to make after a read, in place of Todo; nil means that Todo stays
}

// access is a read of a variable or, if Write is set, a write of a value.
type access struct {
	Of    sim.Addr
	Write bool
	Value int
}

type goOn struct{}

func (t *thread) step(env sim.Env, _ goOn) { t.more(env) }
func (t *thread) more(env sim.Env) {
	for len(t.Todo) > 0 {
		a := t.Todo[0]
		t.Todo = t.Todo[1:]
		if !a.Write {
			env.Bag().Send(a.Of, readVar{})
			return
		}
		env.TCP().Send(a.Of, writeVar{a.Value})
	}
}

func (t *thread) got(env sim.Env, _ sim.Addr, v valueVar) {
	t.Got = append(t.Got, v.Value)
	if t.next != nil {
		t.Todo = t.next(t, v.Value)
	}
	t.more(env)
}

var threads = sim.Handle(sim.OnSignal((*thread).step), sim.OnMessage((*thread).got))

// program returns a system whose first nodes are variables; the other nodes are threads, one for each function in all.
func program(vars int, all ...func(of func(int) sim.Addr) *thread) *sim.System {
	n := vars + len(all)
	return &sim.System{
		Name: "program", Doc: "Threads and variables.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: n, Least: n, Most: n} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			if i := self.Index() - vars; i >= 0 {
				return threads.Node(all[i](p.Addr))
			}
			return variables.Node(&variable{})
		},
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self.Index() < vars {
				return nil
			}
			return []sim.Signal{goOn{}}
		},
		Opaque: []string{"search.thread.next"},
	}
}

func reads(k int) func(func(int) sim.Addr) *thread {
	return func(of func(int) sim.Addr) *thread { return &thread{Todo: []access{{Of: of(k)}}} }
}

func writes(k, value, times int) func(func(int) sim.Addr) *thread {
	return func(of func(int) sim.Addr) *thread {
		t := &thread{}
		for i := range times {
			t.Todo = append(t.Todo, access{of(k), true, value + i})
		}
		return t
	}
}

// lastZero returns the program lastzero of the literature: one thread looks for the last variable that is 0. Each of n
// other threads sets a variable to one more than the variable before it.
func lastZero(n int) *sim.System {
	all := []func(func(int) sim.Addr) *thread{func(of func(int) sim.Addr) *thread {
		return &thread{Todo: []access{{Of: of(n)}}, next: func(t *thread, v int) []access {
			if v == 0 || len(t.Got) > n {
				return nil
			}
			return []access{{Of: of(n - len(t.Got))}}
		}}
	}}
	for k := 1; k <= n; k++ {
		all = append(all, func(of func(int) sim.Addr) *thread {
			return &thread{Todo: []access{{Of: of(k - 1)}}, next: func(_ *thread, v int) []access { return []access{{of(k), true, v + 1}} }}
		})
	}
	return program(n+1, all...)
}

func TestSourcesOfPrograms(t *testing.T) {
	for n := 1; n <= 4; n++ {
		readers := []func(func(int) sim.Addr) *thread{writes(0, 1, 1)}
		for range n {
			readers = append(readers, reads(0))
		}
		writers := []func(func(int) sim.Addr) *thread{reads(0)}
		for k := range n {
			writers = append(writers, writes(0, k+1, 1))
		}
		for _, c := range []struct {
			name string
			sys  *sim.System
			want int
		}{
			{"readers", program(1, readers...), 1 << n},
			{"last zero", lastZero(n), []int{2, 5, 12, 28}[n-1]},
			{"n writes and a reader", program(1, reads(0), writes(0, 1, n)), n + 1},
			{"writers and a reader", program(1, writers...), []int{2, 6, 24, 120}[n-1]},
		} {
			r, err := Search(c.sys, Options{Reduce: reduceDPOR, NoWalks: true, Effort: 1 << 30})
			if err != nil {
				t.Fatal(err)
			}
			if r.Stats.Traces != c.want {
				t.Errorf("%s with %d: %d runs and %d that sleep, want %d", c.name, n, r.Stats.Traces, r.Stats.Asleep, c.want)
			}
		}
	}
}

// witness takes the runs of sources, and collects the facts about the space that they show: see shown.
type witness struct {
	*sources.Sources
	r  *runner
	at interface {
		Healed() int
		Len() int
	}
	of map[string]bool
}

func (s witness) Visit(w *world.World, depth int) bool {
	goesOn := s.Sources.Visit(w, depth)
	if s.Moved {
		return false
	}
	var seen canon.Hash
	for i := range s.r.Params.Nodes {
		s.of[fmt.Sprint("n", i, " was ", w.State.NodeSum(i))] = true
		seen = seen.Then(w.Judge.Taken(i))
	}
	s.of[fmt.Sprint("properties saw ", seen)] = true
	for p := s.at.Healed(); p < s.at.Len(); p++ {
		s.of[fmt.Sprint("a monitor at ", p, " had ", w.State.PartSum(p))] = true
	}
	if w.Events.Count() == 0 {
		s.of[fmt.Sprint("the end ", w.State.Hash())] = true
	}
	return goesOn
}

// TestSourcesTwin: runs with dpor show the same facts as a search of all states: each state of each node, each
// state in which runs end, and the values that properties over several nodes and monitors see.
func TestSourcesTwin(t *testing.T) {
	compared, runs, blocked, states, failed, faulty, far := 0, 0, 0, 0, 0, 0, 0
	seeds := []uint64{4979} // there a message that is sent after its receiver has left would have been delivered before
	for seed := range uint64(long.Of(120, 6000)) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		s := reducible(seed)
		sys := s.System()
		opts := conditions(s)
		whole, all := shows(t, sys, opts, 1500, nil)
		if !all || whole.states < 5 {
			continue
		}
		opts.Reduce, opts.Depth = reduceDPOR, 40
		r, err := newRunner(sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		if why := r.unsourced(); why != "" {
			continue
		}
		of, err := sources.New(&r.Runs, r.Stormy(), opts.Depth)
		if err != nil {
			t.Fatal(err)
		}
		w := witness{of, r, r.World.State.NewBank().At(), map[string]bool{}}
		wrong, left := false, false
		for more := true; more; more = !wrong && !left && of.Next() {
			of.Begin()
			end, failure, _ := r.Run(w, false)
			if wrong = failure != nil || of.Dead; of.Moved || end == run.EndStopped {
				t.Fatalf("seed %d: a run strays: %v", seed, failure)
			}
			of.Ended(end)
			left = of.Cut || of.Runs+of.Slept > 3000 || of.Limited
		}
		if left && !wrong {
			far++
			continue
		}
		compared, runs, blocked, states = compared+1, runs+of.Runs, blocked+of.Slept, states+whole.states
		if of.Faults {
			faulty++
		}
		if wrong != (whole.wrong != "") {
			t.Errorf("seed %d: wrong is %v, and with all states %q", seed, wrong, whole.wrong)
			continue
		}
		if wrong {
			failed++
			continue
		}
		for what := range whole.of {
			if !w.of[what] && !strings.HasPrefix(what, both) { // nothing sees nodes and the memory of a monitor together
				t.Errorf("seed %d (%d states, %d runs): not shown: %s", seed, whole.states, of.Runs, what)
				break
			}
		}
		for what := range w.of {
			if !whole.of[what] {
				t.Errorf("seed %d: shown, and not there: %s", seed, what)
				break
			}
		}
	}
	t.Logf("%d services of %d states, %d runs, %d asleep; %d fail, %d with faults; %d are too long", compared, states, runs, blocked, failed, faulty, far)
}
