package choose

import (
	"slices"
	"testing"
)

// A tree is a system of random shape for tests: the question after some answers is computed from a hash of them.
type tree struct {
	seed  uint64
	depth int
	cuts  bool // some nodes are duplicates, so that the caller cuts there
}

func (tr tree) hash(answers []int) uint64 {
	h := mix(tr.seed + 1)
	for _, a := range answers {
		h = mix(h + uint64(a) + 1)
	}
	return h
}

// at returns what happens after these answers: the run ends, is cut, or asks.
func (tr tree) at(answers []int) (q Question, ends, cut bool) {
	h := tr.hash(answers)
	q = Question{Kind: Event, N: int(h>>8%4) + 1}
	if h>>16%2 == 0 {
		q.Kind = Coin
	}
	return q, len(answers) >= tr.depth || h%8 == 0, tr.cuts && h>>24%6 == 0
}

// enumerate lists the paths and nodes of the tree by simple recursion, as a reference.
func (tr tree) enumerate(answers []int, visit func(node []int), path func(leaf []int)) {
	visit(answers)
	q, ends, cut := tr.at(answers)
	if ends || cut {
		path(answers)
		return
	}
	for a := range q.N {
		tr.enumerate(append(slices.Clone(answers), a), visit, path)
	}
}

// run takes one path through the tree, as a search does.
func (tr tree) run(o *Odometer, visit func(node []int)) []int {
	var answers []int
	for {
		if o.New() {
			visit(slices.Clone(answers))
		}
		q, ends, cut := tr.at(answers)
		if cut {
			o.Cut()
		}
		if ends || cut {
			return answers
		}
		answers = append(answers, o.Answer(&q))
	}
}

func TestOdometerAgainstRecursion(t *testing.T) {
	for seed := range uint64(400) {
		tr := tree{seed: seed, depth: int(seed%7) + 1, cuts: seed%2 == 0}
		var wantPaths, wantNodes, paths, nodes [][]int
		tr.enumerate(nil, func(n []int) { wantNodes = append(wantNodes, n) },
			func(l []int) { wantPaths = append(wantPaths, l) })

		o := NewOdometer()
		visit := func(n []int) { nodes = append(nodes, n) }
		for more := true; more; more = o.Next() {
			paths = append(paths, tr.run(o, visit))
		}
		if o.Err() != nil || o.Sampled() {
			t.Fatalf("tree %d: err %v, sampled %v", seed, o.Err(), o.Sampled())
		}
		if !equal(paths, wantPaths) {
			t.Fatalf("tree %d: paths\n%v, want\n%v", seed, paths, wantPaths)
		}
		// New is true at each node once, in the order of the recursion.
		if !equal(nodes, wantNodes) {
			t.Fatalf("tree %d: nodes\n%v, want\n%v", seed, nodes, wantNodes)
		}
	}
}

func equal(a, b [][]int) bool {
	return slices.EqualFunc(a, b, func(x, y []int) bool { return slices.Equal(x, y) })
}

func TestOdometerPositions(t *testing.T) {
	service := toy{
		question(Event, "", "a", "b"),
		question(Coin, "only", "x"),
		question(Coin, "two", "x", "y"),
	}
	o := NewOdometer()
	service.run(o)
	if o.Position() != 2 || !slices.Equal(o.Answers(), []int{0, 0}) {
		t.Errorf("first path: position %d, answers %v", o.Position(), o.Answers())
	}
	if !o.Next() || o.Fresh() != 1 || o.New() || o.Position() != 0 {
		t.Errorf("second path: fresh %d, new %v, position %d", o.Fresh(), o.New(), o.Position())
	}
	service.run(o)
	if !slices.Equal(o.Answers(), []int{0, 1}) {
		t.Errorf("second path: answers %v", o.Answers())
	}
	o.Reset()
	if got := service.run(o); o.Fresh() != 0 || !o.New() || !slices.Equal(o.Answers(), []int{0, 0}) {
		t.Errorf("after Reset: %s", got)
	}
}

func TestOdometerMismatch(t *testing.T) {
	first := toy{question(Event, "", "a", "b"), question(Coin, "c", "x", "y", "z")}
	for _, test := range []struct {
		second toy
		want   string
	}{
		{toy{first[0], question(Coin, "c", "x", "y")},
			"run diverged at choice 2: coin of 3 was asked before, now coin of 2; a node may range over a map, or keep state outside itself"},
		{toy{first[0], question(Event, "", "x", "y", "z")},
			"run diverged at choice 2: coin of 3 was asked before, now event of 3; a node may range over a map, or keep state outside itself"},
		{toy{first[0]},
			"run diverged at choice 2: coin of 3 was asked before, now the run ended; a node may range over a map, or keep state outside itself"},
	} {
		o := NewOdometer()
		first.run(o)
		if !o.Next() {
			t.Fatal("no second path")
		}
		test.second.run(o)
		if o.Next() {
			t.Errorf("%s: enumeration goes on", test.want)
		}
		if o.Err() == nil || o.Err().Error() != test.want {
			t.Errorf("err %v, want %s", o.Err(), test.want)
		}
		if a := o.Answer(first[0]); a >= 0 {
			t.Errorf("answer %d after an error", a)
		}
	}
}

// paths returns the paths that o enumerates for a service that asks these questions.
func paths(o *Odometer, questions ...Question) [][]int {
	var all [][]int
	for more := true; more; more = o.Next() {
		var answers []int
		for _, q := range questions {
			answers = append(answers, o.Answer(&q))
		}
		all = append(all, answers)
	}
	return all
}

func TestOdometerSamplesAlternatives(t *testing.T) {
	o := NewOdometer()
	o.Limit.Alternatives = 4
	got := paths(o, Question{Kind: Event, N: 10})
	if want := [][]int{{0}, {2}, {5}, {7}}; !equal(got, want) || !o.Sampled() {
		t.Errorf("4 of 10: %v, sampled %v, want %v", got, o.Sampled(), want)
	}
	o.Reset()
	if got := paths(o, Question{Kind: Event, N: 4}); len(got) != 4 || o.Sampled() {
		t.Errorf("4 of 4: %v, sampled %v", got, o.Sampled())
	}
	o = NewOdometer()
	if got := paths(o, Question{Kind: Event, N: 1001}); len(got) != 1000 || !o.Sampled() {
		t.Errorf("default: %d of 1001, sampled %v", len(got), o.Sampled())
	}
}

func TestOdometerSamplesCoins(t *testing.T) {
	event, coin := Question{Kind: Event, N: 1}, Question{Kind: Coin, N: 2}
	o := NewOdometer()
	o.Limit.Answers = 2
	// The limit is per step: three coins are enumerated, two are sampled.
	questions := []Question{event, coin, coin, coin, event, coin, {Kind: Coin, N: 1}}
	got := paths(o, questions...)
	if len(got) != 8 || !o.Sampled() {
		t.Fatalf("%d paths, sampled %v: %v", len(got), o.Sampled(), got)
	}
	sampled := map[int]int{}
	for _, p := range got {
		sampled[p[3]]++
	}
	if len(sampled) != 2 {
		t.Errorf("the third coin is alike after all coins before it: %v", got)
	}
	o.Reset()
	if again := paths(o, questions...); !equal(got, again) {
		t.Errorf("samples differ: %v, then %v", got, again)
	}
}
