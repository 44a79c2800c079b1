package brokentree

import (
	"testing"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/world"
)

// space has all states that System.Within does not cut off. It finds them breadth first, by taking runs again
// from the start. This is slow, and too simple to be wrong.
type space struct {
	states, transitions int
	unsafe              int // transitions into a state that is not safe
	dead                int // states, not cut off, from which no live state is reachable
}

// place is a state, and the answers that lead to it.
type place struct {
	answers []int // from the start
	steps   int
	inside  bool
	live    bool // or a live state is reachable from here
	from    []int
}

// replayed is a Source that first gives the answers of a list, and then those of an odometer. It keeps all of
// them.
type replayed struct {
	*choose.Odometer
	known, fresh []int
}

func (r *replayed) Answer(q *choose.Question) int {
	switch {
	case q.N == 1:
		return 0
	case len(r.known) > 0:
		a := r.known[0]
		r.known = r.known[1:]
		return a
	default:
		a := r.Odometer.Answer(q)
		r.fresh = append(r.fresh, a)
		return a
	}
}

func explore(t *testing.T, nodes int, settings, bugs []string) (s space) {
	t.Helper()
	params, err := System.Configure(nodes, settings, bugs)
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(System, params, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	number := map[any]int{} // of a state, by its hash
	var all []*place
	meet := func(from int, answers []int, steps int) {
		k, ok := number[w.State.Hash()]
		if !ok {
			k = len(all)
			number[w.State.Hash()] = k
			all = append(all, &place{answers: answers, steps: steps, inside: w.Judge.Within(), live: w.Judge.Live()})
		}
		all[k].from = append(all[k].from, from)
	}
	w.Protect(func() { w.Start(choose.NewFixed()) })
	meet(0, nil, 0)
	for i := 0; i < len(all); i++ {
		p := all[i]
		for o := choose.NewOdometer(); p.inside; {
			r := &replayed{Odometer: o, known: p.answers}
			progress := world.Quiet
			failure := w.Protect(func() {
				w.Start(r)
				for range p.steps {
					w.Step(r)
				}
				progress = w.Step(r)
				w.Judge.Check()
			})
			if progress == world.Quiet {
				break
			}
			s.transitions++
			if failure != nil {
				s.unsafe++
			}
			meet(i, append(p.answers[:len(p.answers):len(p.answers)], r.fresh...), p.steps+1)
			if !o.Next() {
				break
			}
		}
	}
	s.states, s.dead = len(all), dead(all)
	return s
}

// dead marks the places from which a live one can be reached, and returns the number of the others.
func dead(all []*place) (n int) {
	var work []*place
	for _, p := range all {
		if p.live {
			work = append(work, p)
		}
	}
	for ; len(work) > 0; work = work[1:] {
		for _, i := range work[0].from {
			if p := all[i]; !p.live {
				p.live = true
				work = append(work, p)
			}
		}
	}
	for _, p := range all {
		if p.inside && !p.live {
			n++
		}
	}
	return n
}

// With three nodes and few messages under way, the correct service is safe in every state, and a tree can form
// from every state. These are all states, and not a sample. With BT1 a tree can form from no state, not even
// from the start.
func TestSpace(t *testing.T) {
	for _, c := range []struct {
		children string
		bugs     []string
		want     space
	}{
		{children: "children=1", want: space{states: 1_558, transitions: 3_538}},
		{children: "children=2", bugs: []string{string(BT1)}, want: space{states: 18, transitions: 33, dead: 18}},
		{children: "children=2", want: space{states: 76_290, transitions: 175_000}},
	}[:long.Of(2, 3)] {
		if s := explore(t, 3, []string{c.children}, c.bugs); s != c.want {
			t.Errorf("3 nodes, %s, bugs %v: %+v, want %+v", c.children, c.bugs, s, c.want)
		}
	}
}
