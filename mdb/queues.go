package mdb

import (
	"regexp"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/world"
)

// queued matches the line of a message that is queued from one node to another.
var queued = regexp.MustCompile(`^((?:tcp|udp) n\d+->n\d+)\[\d+\]$`)

// queues compares what is queued as sequences: when the first message of a queue
// is delivered, that one is gone, and those behind it have only moved up. It
// returns the other lines of both states too.
func queues(a, b []canon.Line) (restA, restB []canon.Line, all []world.Difference) {
	restA, ofA, names := apart(a, nil)
	restB, ofB, names := apart(b, names)
	for _, name := range names {
		x, y := ofA[name], ofB[name]
		if len(x)*len(y) > 1<<20 { // too long to look for what they have in common
			restA, restB = append(restA, x...), append(restB, y...)
			continue
		}
		kept := common(x, y)
		for i, l := range x {
			if !slices.ContainsFunc(kept, func(p [2]int) bool { return p[0] == i }) {
				all = append(all, world.Difference{Path: l.Path, A: l.Value})
			}
		}
		for j, l := range y {
			if !slices.ContainsFunc(kept, func(p [2]int) bool { return p[1] == j }) {
				all = append(all, world.Difference{Path: l.Path, B: l.Value})
			}
		}
	}
	return restA, restB, all
}

// apart tells the lines of queues from the others. names are the queues so far.
func apart(lines []canon.Line, names []string) (rest []canon.Line, of map[string][]canon.Line, all []string) {
	of = map[string][]canon.Line{}
	for _, l := range lines {
		m := queued.FindStringSubmatch(l.Path)
		if m == nil {
			rest = append(rest, l)
			continue
		}
		if of[m[1]] = append(of[m[1]], l); !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return rest, of, names
}

// common are the pairs of a longest common subsequence of two queues.
func common(x, y []canon.Line) (pairs [][2]int) {
	longest := make([][]int, len(x)+1) // of what is from i and from j on
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
