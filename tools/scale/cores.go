package main

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
)

// This file simulates the exhaustive phase on one machine with many cores. Hands expand one level after the other, in
// chunks that they take from one counter. One hand expands a level of few states. All hands wait while the set of states gets
// a larger table, and at the end of a level for the hand that is last. The simulation leaves out that processors share
// caches and memory.

// times are processor times in nanoseconds, as measured. BENCHMARKS.md says how.
type times struct {
	start float64 // the process starts, until the first level
	hand  float64 // the first hand starts another one
	chunk float64 // a hand takes a chunk, under the lock of the level
	slot  float64 // a slot of the set moves to a larger table
}

var measuredTimes = times{start: 15e6, hand: 4_000, chunk: 70, slot: 8}

// searched describes a state space, as one worker has searched it.
type searched struct {
	name   string
	state  float64 // time of a state and its steps
	learn  float64 // the time in which each further hand learns for itself what others know, in the whole search
	levels []int   // the number of states of each level
	two    float64 // the speed-up by two workers that was measured by the clock, on a quiet machine
}

// design is a way in which hands (the goroutines of a search) may share the work.
type design struct {
	name   string
	chunk  func(states, hands int) int
	least  int  // a level of fewer states is expanded by one hand
	learns bool // whatever one hand learns, all others know at once
	grows  bool // all hands help to move the slots of the set into a larger table
}

const setLeast = 1 << 15 // slots of a new set

// losses are the times in which hands expand no states, by reason.
type losses struct{ alone, ends, grows, learns, waits float64 }

// worst returns the largest loss.
func (l losses) worst() string {
	all := []struct {
		what string
		of   float64
	}{{"small levels", l.alone}, {"ends of levels", l.ends}, {"the set grows", l.grows}, {"learning", l.learns}, {"the counter", l.waits}}
	return slices.MaxFunc(all, func(a, b struct {
		what string
		of   float64
	}) int {
		return cmp.Compare(a.of, b.of)
	}).what
}

// expand simulates a search by n hands, and returns its time and the losses of the hands.
func expand(s *searched, t times, d design, n int) (wall float64, lost losses) {
	random := rand.New(rand.NewPCG(2, uint64(n)))
	hands, others := float64(n), float64(n-1)
	wall, lost.alone = t.start, t.start*others
	total, states, slots := 0, 1, setLeast
	for _, size := range s.levels {
		total += size
	}
	for k, size := range s.levels {
		if size == 0 {
			continue
		}
		if size < d.least || n == 1 {
			wall += float64(size) * s.state
			lost.alone += float64(size) * s.state * others
		} else {
			learn := s.learn * float64(size) / float64(total)
			if d.learns {
				learn /= hands
			}
			wall += expandLevel(s.state, learn, size, d.chunk(size, n), n, t, random, &lost)
		}
		if k+1 < len(s.levels) {
			states += s.levels[k+1]
		}
		for ; 4*states > 3*slots; slots = slots / 2 * 3 {
			grow := float64(slots) * t.slot
			if d.grows {
				wall += grow / hands
				continue
			}
			wall += grow
			lost.grows += grow * others
		}
	}
	return wall, lost
}

// expandLevel simulates a level that all hands expand, and returns the time that the level takes. It adds the
// losses of the hands to lost.
func expandLevel(state, learn float64, size, chunk, n int, t times, random *rand.Rand, lost *losses) (end float64) {
	var counter station
	free := make([]float64, n)
	for i := range free {
		free[i] = float64(i) * t.hand
	}
	learnt := make([]bool, n)
	learnt[0] = true
	for from := 0; from < size; from += chunk {
		i := 0
		for k := range free {
			if free[k] < free[i] {
				i = k
			}
		}
		at := counter.serve(free[i], t.chunk)
		lost.waits += at - free[i]
		if !learnt[i] {
			learnt[i] = true
			at += learn
			lost.learns += learn
		}
		free[i] = at + float64(min(chunk, size-from))*state*(0.9+0.2*random.Float64())
	}
	end = slices.Max(free)
	for _, at := range free {
		lost.ends += end - at
	}
	return end
}

// coreTables prints the tables about many cores in BENCHMARKS.md.
func coreTables(w io.Writer) {
	numbers := []int{1, 2, 4, 8, 16, 32, 64}
	fmt.Fprint(w, "| space | states | two, measured |")
	for _, n := range numbers[1:] {
		fmt.Fprintf(w, " %d |", n)
	}
	fmt.Fprintln(w, " most of 64 is lost by |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---|")
	now := designs[len(designs)-1]
	for _, s := range spaces {
		states := 0
		for _, size := range s.levels {
			states += size
		}
		measured := "not measured"
		if s.two > 0 {
			measured = fmt.Sprintf("%.2f", s.two)
		}
		fmt.Fprintf(w, "| %s | %d | %s |", s.name, states, measured)
		one, _ := expand(&s, measuredTimes, now, 1)
		var lost losses
		for _, n := range numbers[1:] {
			wall, l := expand(&s, measuredTimes, now, n)
			fmt.Fprintf(w, " %.2f |", one/wall)
			lost = l
		}
		fmt.Fprintf(w, " %s |\n", lost.worst())
	}
	fmt.Fprint(w, "\n| speed-up by 64 |")
	for _, s := range spaces {
		fmt.Fprintf(w, " %s |", s.name)
	}
	fmt.Fprint(w, "\n|---|")
	for range spaces {
		fmt.Fprint(w, "---:|")
	}
	fmt.Fprintln(w)
	for _, d := range append(designs, others...) {
		fmt.Fprintf(w, "| %s |", d.name)
		for _, s := range spaces {
			one, _ := expand(&s, measuredTimes, d, 1)
			wall, _ := expand(&s, measuredTimes, d, 64)
			fmt.Fprintf(w, " %.1f |", one/wall)
		}
		fmt.Fprintln(w)
	}
}

// chunks returns a function for the number of states in a chunk: at most 256, and so few that each hand gets
// four chunks, but no fewer than least.
func chunks(least int) func(states, hands int) int {
	return func(states, hands int) int { return max(least, min(256, states/(4*hands))) }
}

// designs are the ways that macemc had, the last of which is the present one. others are ways that were not
// built.
var (
	designs = []design{
		{name: "before: chunks of 256 states, one hand moves the set", chunk: chunks(256), least: 2048},
		{name: "chunks of 16 to 256 states", chunk: chunks(16), least: 2048},
		{name: "as it is: and all hands move the set", chunk: chunks(16), least: 2048, grows: true},
	}
	others = []design{
		{name: "and levels of 512 states are shared", chunk: chunks(16), least: 512, grows: true},
		{name: "and hands learn everything from each other", chunk: chunks(16), least: 512, learns: true, grows: true},
	}
)

// spaces are the state spaces of tools/spin, and a last one that is made up. In tools/spin, `go run . -child storage -levels`
// prints the sizes of levels. state is the processor time that one worker takes for a state. learn is the additional time
// that 64 workers on two cores take, compared with one worker, divided by 63.
var spaces = []searched{
	{"Paxos", 680, 8.4e6, []int{1, 4, 14, 38, 77, 159, 294, 503, 917, 1719, 2862, 4017, 5119, 6852, 10003, 13974, 16401, 15065, 10374, 5068, 1563, 228}, 1.27},
	{"Lamport's Paxos over a set", 1180, 15.4e6, []int{1, 8, 36, 93, 213, 453, 891, 1623, 2856, 4866, 7833, 11968, 17541, 24357, 31584, 38682, 45624, 51282, 53199, 50385, 44673, 37974, 30078, 20630, 11382, 4770, 1442, 294, 36}, 1.60},
	{"Peterson", 2900, 41e6, []int{1, 5, 15, 35, 70, 126, 220, 360, 545, 755, 981, 1225, 1505, 1835, 2225, 2710, 3264, 3860, 4470, 5065, 5635, 6153, 6649, 7126, 7644, 8264, 9060, 10168, 11520, 13216, 15104, 16984, 18668, 20076, 20996, 21156, 20664, 19776, 18892, 18352, 18336, 19044, 20000, 20992, 21664, 21900, 21320, 20020, 18000, 15120, 11940, 9390, 7620, 6480, 5880, 5760, 5640, 5030, 4220, 3500, 2980, 2320, 1600, 880, 340, 160, 160, 160, 160, 160, 160, 140, 80}, 1.53},
	{"Storage", 1110, 32e6, storageLevels, 1.65},
	{"Two-phase commit", 1165, 34e6, []int{1, 17, 136, 688, 2500, 7056, 16408, 32972, 59254, 96816, 143840, 192656, 230412, 244342, 228712, 188304, 135833, 85377, 46392, 21560, 8456, 2758, 736, 156}, 1.78},
	{"Storage, levels 40 times as large", 1110, 32e6, times40(storageLevels), 0},
}

var storageLevels = []int{1, 4, 14, 38, 80, 165, 311, 532, 912, 1752, 3652, 7193, 12246, 18043, 25086, 38341, 67683, 120273, 187450, 240183, 244975, 192853, 112617, 46170, 12261, 1926, 183}

func times40(levels []int) (more []int) {
	for _, size := range levels {
		more = append(more, 40*size)
	}
	return more
}
