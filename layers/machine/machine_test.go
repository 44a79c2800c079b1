package machine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macemc/sim"
)

type (
	evA struct{ N int }
	evB struct{ N int }
	evC struct{ N int }
	evD struct{ N int }
)

// robot logs what its machine does. Each of its handlers does what the random table says.
type robot struct {
	Core
	log   []string
	plans map[string]plan // by state and event; "entry" and a state
}

// plan is what a handler itself does.
type plan struct {
	raise []int
	to    Name // the argument of Goto
	push  Name
	pop   bool
}

func (r *robot) do(what string, p plan) {
	r.log = append(r.log, what)
	for _, k := range p.raise {
		r.Raise(value(k, 9))
	}
	switch {
	case p.to != "":
		r.Goto(p.to)
	case p.push != "":
		r.Push(p.push)
	case p.pop:
		r.Pop()
	}
}

func value(k, n int) any { return []any{evA{n}, evB{n}, evC{n}, evD{n}}[k] }

func on[E any](state Name, k int) Handler[*robot] {
	return OnSignal(func(r *robot, _ sim.Env, e E) {
		r.do(fmt.Sprint(state, " takes ", e), r.plans[fmt.Sprint(state, k)])
	})
}

// twinRule is a reaction in the reference.
type twinRule struct {
	does string // "", handle, defer, ignore
	goes string // "", goto, push or pop, by the table
	to   Name
	own  plan
}

// twin is the reference: a simple machine, written from the documentation alone.
type twin struct {
	rules   map[string]twinRule
	entries map[Name]plan
	stack   []Name // the top is the last
	queue   []int  // the deferred events
	raised  []int
	log     []string
	failed  bool
}

func (w *twin) top() Name { return w.stack[len(w.stack)-1] }

func (w *twin) enter(s Name) {
	w.stack = append(w.stack, s)
	w.log = append(w.log, "enter "+string(s))
	w.follow(w.entries[s])
}

func (w *twin) leave() {
	w.log = append(w.log, "leave "+string(w.top()))
	w.stack = w.stack[:len(w.stack)-1]
}

func (w *twin) follow(p plan) {
	w.raised = append(w.raised, p.raise...)
	switch {
	case p.to != "":
		w.leave()
		w.enter(p.to)
	case p.push != "":
		w.enter(p.push)
	case p.pop && len(w.stack) == 1:
		w.failed = true
	case p.pop:
		w.leave()
	}
}

func (w *twin) rule(e int) (int, twinRule) {
	for depth := len(w.stack) - 1; depth >= 0; depth-- {
		if r := w.rules[fmt.Sprint(w.stack[depth], e)]; r.does != "" {
			return depth, r
		}
	}
	return -1, twinRule{}
}

func (w *twin) take(e int, text string) {
	depth, r := w.rule(e)
	switch r.does {
	case "":
		w.failed = true
	case "defer":
		w.queue = append(w.queue, e)
	case "handle":
		if r.goes != "" || r.own.to != "" || r.own.push != "" {
			for len(w.stack)-1 > depth {
				w.leave()
			}
		}
		if text != "" {
			w.log = append(w.log, fmt.Sprint(w.stack[depth], " takes ", value(e, 9)))
		}
		w.raised = append(w.raised, r.own.raise...)
		own := r.own
		own.raise = nil
		switch r.goes {
		case "goto":
			own = plan{to: r.to}
		case "push":
			own = plan{push: r.to}
		case "pop":
			own = plan{pop: true}
		}
		w.follow(own)
	}
}

func (w *twin) step(e int) {
	w.take(e, "x")
	for !w.failed && len(w.log) < 300 {
		if len(w.raised) > 0 {
			next := w.raised[0]
			w.raised = w.raised[1:]
			w.take(next, "x")
			continue
		}
		k := slices.IndexFunc(w.queue, func(e int) bool { _, r := w.rule(e); return r.does != "defer" })
		if k < 0 {
			return
		}
		next := w.queue[k]
		w.queue = slices.Delete(w.queue, k, k+1)
		w.take(next, "x")
	}
}

// draw makes a random table, for the machine and for the reference.
func draw(rng *rand.Rand) (*Machine[*robot], map[string]plan, *twin) {
	names := []Name{"s", "t", "u", "v"}
	makers := []func(Name, int) Handler[*robot]{on[evA], on[evB], on[evC], on[evD]}
	plans := map[string]plan{}
	w := &twin{rules: map[string]twinRule{}, entries: map[Name]plan{}}
	some := func() Name { return names[rng.IntN(len(names))] }
	var states []State[*robot]
	for _, name := range names {
		s := State[*robot]{
			Name: name, May: names,
			Entry: func(r *robot, _ sim.Env) { r.do("enter "+string(name), r.plans["entry"+string(name)]) },
			Exit:  func(r *robot, _ sim.Env) { r.log = append(r.log, "leave "+string(name)) },
		}
		if rng.IntN(6) == 0 {
			p := plan{raise: []int{rng.IntN(4)}}
			plans["entry"+string(name)], w.entries[name] = p, p
		}
		for e := range 4 {
			key := fmt.Sprint(name, e)
			switch rng.IntN(8) {
			case 0:
				s.Defer = append(s.Defer, Signals(value(e, 0))...)
				w.rules[key] = twinRule{does: "defer"}
			case 1:
				s.Ignore = append(s.Ignore, Signals(value(e, 0))...)
				w.rules[key] = twinRule{does: "ignore"}
			case 2: // nothing
			default:
				h, r := makers[e](name, e), twinRule{does: "handle"}
				if rng.IntN(6) == 0 {
					r.own.raise = []int{rng.IntN(4)}
				}
				switch rng.IntN(7) {
				case 0:
					r.goes, r.to = "goto", some()
					h = h.Goto(r.to)
				case 1:
					r.goes, r.to = "push", some()
					h = h.Push(r.to)
				case 2:
					r.goes = "pop"
					h = h.Pop()
				case 3:
					r.own.to = some()
					h = h.May(r.own.to)
				case 4:
					r.own.push = some()
					h = h.May(r.own.push)
				}
				plans[key] = r.own
				w.rules[key] = r
				s.On = append(s.On, h)
			}
		}
		states = append(states, s)
	}
	return Define("robot", states...), plans, w
}

// Machines with random tables do in each step what the reference does.
func TestMachinesAgreeWithReference(t *testing.T) {
	steps, failures, deferred, pushed := 0, 0, 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		table, plans, w := draw(rng)
		r := &robot{plans: plans}
		n := table.Node(r)
		w.enter("s")
		for len(w.raised) > 0 && !w.failed && len(w.log) < 300 {
			e := w.raised[0]
			w.raised = w.raised[1:]
			w.take(e, "x")
		}
		if len(w.log) >= 300 {
			continue // it raises for ever
		}
		failed := run(func() { n.Init(nil) })
		for k := 0; k < 12 && !failed && !w.failed && len(w.log) < 100; k++ {
			e := rng.IntN(4)
			if w.step(e); len(w.log) >= 300 {
				break // it raises for ever
			}
			failed = run(func() { n.Handle(nil, value(e, 9)) })
			steps++
		}
		if len(w.log) >= 300 {
			continue
		}
		if w.failed || failed {
			failures++
		}
		if deferred += len(w.queue); len(w.stack) > 1 {
			pushed++
		}
		if failed != w.failed || !slices.Equal(r.log, w.log) {
			t.Fatalf("seed %d: the machine failed %v, the twin %v;\nmachine %s\ntwin    %s", seed, failed, w.failed, strings.Join(r.log, ", "), strings.Join(w.log, ", "))
		}
		if !failed && (r.State() != w.top() || len(r.below)+1 != len(w.stack) || r.Waiting() != len(w.queue)) {
			t.Fatalf("seed %d: the machine is in %s with %d deferred, the twin %v with %d", seed, r.stack(), r.Waiting(), w.stack, len(w.queue))
		}
	}
	if steps < 5000 || failures < 300 || deferred < 100 || pushed < 100 {
		t.Errorf("%d steps, %d failures, %d deferred, %d pushed: too few to mean anything", steps, failures, deferred, pushed)
	}
}

func run(f func()) (failed bool) {
	defer func() { failed = recover() != nil }()
	f()
	return false
}

// Validate reports errors in a table.
func TestValidateReportsErrorsOfTables(t *testing.T) {
	type door struct{ Core }
	push := OnSignal(func(*door, sim.Env, evA) {})
	for _, c := range []struct {
		want   string
		states []State[*door]
	}{
		{"machine door has no states; the first is where it starts", nil},
		{`machine door has two states "a"; each has a name of its own`, []State[*door]{{Name: "a"}, {Name: "a"}}},
		{"machine door has two reactions to signal evA in state a; keep one of them", []State[*door]{{Name: "a", On: On(push), Ignore: Signals(evA{})}}},
		{`machine door goes to "b" on signal evA in state a, and has no such state`, []State[*door]{{Name: "a", On: On(push.Goto("b"))}}},
		{`machine door may go to "b" from the entry of a, and has no such state`, []State[*door]{{Name: "a", May: []Name{"b"}}}},
	} {
		table := Define("door", c.states...)
		sys := &sim.System{Name: "doors", Doc: "Doors. They are not there.", New: func(sim.Params, sim.Addr) sim.Node { return table.Node(&door{}) }}
		p, err := sys.Resolve(sim.Params{})
		if err != nil {
			t.Fatal(err)
		}
		if err := sys.Validate(p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %q", err, c.want)
		}
	}
}
