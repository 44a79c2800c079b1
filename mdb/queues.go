package mdb

import (
	"slices"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/observe"
)

// queues compares the queued messages of two states as sequences. So if the first message
// of a queue was delivered, the difference is that one message, though all others have
// another index. It also returns the lines of either state that do not belong to queues.
func queues(a, b []canon.Line) (restA, restB []canon.Line, all []observe.Difference) {
	restA, ofA, names := apart(a, nil)
	restB, ofB, names := apart(b, names)
	for _, name := range names {
		x, y := ofA[name], ofB[name]
		if len(x)*len(y) > 1<<20 { // too long to look for common parts
			restA, restB = append(restA, x...), append(restB, y...)
			continue
		}
		kept := common(x, y)
		for i, l := range x {
			if !slices.ContainsFunc(kept, func(p [2]int) bool { return p[0] == i }) {
				all = append(all, observe.Difference{Path: l.Path, A: l.Value, Of: observe.PlaceOf(l)})
			}
		}
		for j, l := range y {
			if !slices.ContainsFunc(kept, func(p [2]int) bool { return p[1] == j }) {
				all = append(all, observe.Difference{Path: l.Path, B: l.Value, Of: observe.PlaceOf(l)})
			}
		}
	}
	return restA, restB, all
}

// apart separates the lines of queues, by the name of the queue, from the others. It adds
// the names that it finds to names.
func apart(lines []canon.Line, names []string) (rest []canon.Line, of map[string][]canon.Line, all []string) {
	of = map[string][]canon.Line{}
	for _, l := range lines {
		queue, _, queued := strings.Cut(l.Path, "[") // of what is in a set or a bag there is no place
		if observe.PlaceOf(l).Part != observe.PartMessage || !queued {
			rest = append(rest, l)
			continue
		}
		if of[queue] = append(of[queue], l); !slices.Contains(names, queue) {
			names = append(names, queue)
		}
	}
	return rest, of, names
}

// common returns the indices of a longest common subsequence of two queues, in pairs.
func common(x, y []canon.Line) (pairs [][2]int) {
	longest := make([][]int, len(x)+1) // the length of a longest common subsequence of x[i:] and y[j:]
	for i := range longest {
		longest[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i].Value == y[j].Value {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i].Value == y[j].Value:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
