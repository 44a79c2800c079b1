package refine

import (
	"fmt"
	"slices"
)

// Silent is the label of an edge that shows nothing.
const Silent = -1

// A Graph has numbered states; runs begin in state 0.
type Graph [][]Edge

// An Edge leads to state To. Its label is the number of a text that the edge shows, or
// Silent.
type Edge struct{ Label, To int }

// A Step identifies an edge of a Graph.
type Step struct{ State, Edge int }

// pair is a state of the implementation, together with the set of states in which the
// abstraction can be after the same trace.
type pair struct {
	state int
	set   int // the number of that set
	from  int // the index of the pair from which this one was reached, or -1 at the start
	by    Step
}

// sets numbers sets of states.
type sets struct {
	of     Graph
	all    [][]int
	number map[string]int
	after  map[[2]int]int // by set and label: the number of the next set
}

// closed returns the number of the set that has the given states, and all states to which silent
// edges lead from them. It returns -1 if the set is empty.
func (s *sets) closed(states []int) int {
	if len(states) == 0 {
		return -1
	}
	met := map[int]bool{}
	for k := 0; k < len(states); k++ {
		if met[states[k]] {
			continue
		}
		met[states[k]] = true
		for _, e := range s.of[states[k]] {
			if e.Label == Silent {
				states = append(states, e.To)
			}
		}
	}
	slices.Sort(states)
	states = slices.Compact(states)
	key := fmt.Sprint(states)
	n, known := s.number[key]
	if !known {
		n = len(s.all)
		s.all, s.number[key] = append(s.all, states), n
	}
	return n
}

// next returns the number of the set after a label, or -1 if it is empty.
func (s *sets) next(set, label int) int {
	key := [2]int{set, label}
	to, known := s.after[key]
	if !known {
		var states []int
		for _, state := range s.all[set] {
			for _, e := range s.of[state] {
				if e.Label == label {
					states = append(states, e.To)
				}
			}
		}
		to = s.closed(states)
		s.after[key] = to
	}
	return to
}

// Included reports whether every trace of the implementation is a trace of the abstraction. If not,
// run is a run of the implementation whose last edge has a label that the abstraction cannot show
// there. No other such run has fewer labels.
func Included(implementation, abstraction Graph) (run []Step, included bool) {
	s := &sets{of: abstraction, number: map[string]int{}, after: map[[2]int]int{}}
	pairs := []pair{{0, s.closed([]int{0}), -1, Step{}}}
	met := map[[2]int]bool{}
	now, later := []int{0}, []int(nil) // pairs, by the number of labels shown
	for len(now) > 0 {
		k := now[len(now)-1]
		now = now[:len(now)-1]
		p := pairs[k]
		if key := [2]int{p.state, p.set}; !met[key] {
			met[key] = true
			for n, e := range implementation[p.state] {
				set := p.set
				if e.Label != Silent {
					if set = s.next(p.set, e.Label); set < 0 {
						return runTo(pairs, k, Step{p.state, n}), false
					}
				}
				pairs = append(pairs, pair{e.To, set, k, Step{p.state, n}})
				if e.Label == Silent {
					now = append(now, len(pairs)-1)
				} else {
					later = append(later, len(pairs)-1)
				}
			}
		}
		if len(now) == 0 {
			now, later = later, nil
		}
	}
	return nil, true
}

func runTo(pairs []pair, k int, last Step) []Step {
	run := []Step{last}
	for ; pairs[k].from >= 0; k = pairs[k].from {
		run = append(run, pairs[k].by)
	}
	slices.Reverse(run)
	return run
}
