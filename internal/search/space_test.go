package search

import (
	"fmt"
	"testing"

	"macemc/internal/canon"
)

// Places of one kind share a path; they differ by the text in brackets.
func TestSpacePlaces(t *testing.T) {
	for _, c := range []struct{ path, value, owner, general, rest string }{
		{"n0", "7", "n0", "n*", ""},
		{"n12.kids[n1]", "true", "n12", "n*.kids[*]", "[n1]"},
		{`n0.m["a]\"[b"].x[3]`, "1", "n0", "n*.m[*].x[*]", `["a]\"[b"][3]`},
		{"n0[{from: n1, to: [2]int[1, 2]}]", "1", "n0", "n*[*]", "[{from: n1, to: [2]int[1, 2]}]"},
		{"n1 timer", "retry{peer: n1}", "n1 timerretry{peer: n1}", "timer retry", ""},
		{"n1 script", "open{}", "n1", "n* script", ""},
		{"tcp n1->n0", "flags 001", "tcp n1->n0", "tcp n*->n*", ""},
		{"faults left", "crash=1", "", "faults left", ""},
		{`"one leader".terms[3]`, "n1", "", `"one leader".terms[*]`, "[3]"},
		{"nobody", "x", "", "nobody", ""},
	} {
		owner, general, rest := placeOf(canon.Line{Path: c.path, Value: c.value})
		if owner != c.owner || general != c.general || rest != c.rest {
			t.Errorf("%s: %q, %q, %q; want %q, %q, %q", c.path, owner, general, rest, c.owner, c.general, c.rest)
		}
	}
}

// TestSpaceSample: the sample has all of the first states, and a bounded number of states of a large
// space.
func TestSpaceSample(t *testing.T) {
	var s space
	for n := range sampledOctave {
		if !s.Due(0) {
			t.Fatalf("state %d was left out", n)
		}
	}
	for range 1 << 24 {
		s.Due(1)
	}
	if s.sampled < 10*sampledOctave || s.sampled > sampledMost || s.levels[1] != 1<<24 {
		t.Errorf("%d states were looked at, of %d", s.sampled, s.levels)
	}
}

// TestSpaceNamesTheCounter: the profile lists the field that takes the most values first, before fields,
// timers and messages that take few.
func TestSpaceNamesTheCounter(t *testing.T) {
	var s space
	for n := range 100 {
		var lines []canon.Line
		for node := range 3 {
			lines = append(lines,
				canon.Line{Path: fmt.Sprintf("n%d.colour", node), Value: fmt.Sprint(n % 7)},
				canon.Line{Path: fmt.Sprintf("n%d.peers[n%d].seq", node, (node+1)%3), Value: fmt.Sprint(n)},
				canon.Line{Path: fmt.Sprintf("n%d timer", node), Value: fmt.Sprintf("tick{n: %d}", n%5)})
		}
		for at := range n % 4 {
			lines = append(lines, canon.Line{Path: fmt.Sprintf("tcp n0->n1[%d]", at), Value: fmt.Sprintf("data{seq: %d}", at)})
		}
		if s.Due(n) {
			s.Look(n, lines, lines)
		}
	}
	res := &Result{Safety: Safety{State: StateBounded, Depth: 99}, Stats: Stats{Depth: 99}}
	got := ""
	for _, p := range s.result(res).Parts {
		got += fmt.Sprintf("%d to %d %s; ", p.Forms, p.Depth, p.Path)
	}
	const want = "300 to 99 n*.peers[*].seq; 7 to 6 n*.colour; 5 to 4 timer tick; 3 to 3 message data by tcp; 3 to 3 messages under way by tcp; "
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestSpaceEstimate: the estimate assumes that levels go on growing as the last complete ones did, and
// subtracts the states that were found already.
func TestSpaceEstimate(t *testing.T) {
	for _, c := range []struct {
		levels       []int
		complete     int
		bound        int
		rest, restTo int
	}{
		{[]int{1, 2, 4, 8}, 3, 0, 16, 4},
		{[]int{1, 2, 4, 8, 10}, 3, 5, 38, 5},
		{[]int{9, 1, 2, 4, 8}, 4, 4, 16, 5},
		{[]int{1}, 0, 3, 0, 0},
		{[]int{1, 2, 4, 2, 0}, 4, 9, 0, 0},
	} {
		s := &Space{Levels: c.levels, Complete: c.complete}
		if s.estimate(c.bound); s.Rest != c.rest || s.RestTo != c.restTo {
			t.Errorf("%v: %d to depth %d, want %d to %d", c.levels, s.Rest, s.RestTo, c.rest, c.restTo)
		}
	}
}
