package account

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"macemc/internal/lines"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// jumbled depends on the order of a map in the handler that its field leak selects.
type jumbled struct {
	Of    map[string]int
	In    map[string]map[string]int
	Set   map[string]struct{}
	Kept  string
	Begun bool
	List  []string
	Sum   float64
	leak  int    `mc:"-"`
	bound func() `mc:"-"`
}

type (
	begin struct{}
	tick  struct{}
	named struct{ Name string }
	whole struct{ Of map[string]int }
)

func (n *jumbled) Init(env sim.Env) {
	n.Of = map[string]int{"a": 1, "b": 2, "c": 1}
	n.In = map[string]map[string]int{"a": {"x": 1, "y": 2, "z": 3}}
	n.Set = map[string]struct{}{"a": {}, "b": {}, "c": {}}
	if n.leak == 19 {
		for k := range n.Of { // order 19
			n.Kept = k
		}
	}
}

func (n *jumbled) begin(env sim.Env, _ begin) {
	n.Begun = true
	env.Post(tick{})
}

func (n *jumbled) tick(env sim.Env, _ tick) { leaks[n.leak](n, env) }

func (n *jumbled) named(sim.Env, named) {}

func (n *jumbled) got(_ sim.Env, _ sim.Addr, m named) { n.List = append(n.List, m.Name) }

func (n *jumbled) whole(_ sim.Env, _ sim.Addr, m whole) {
	for k := range m.Of { // order 17
		n.Kept = k
		break
	}
}

var jumbledHandlers = sim.Handle(sim.OnInit((*jumbled).Init), sim.OnSignal((*jumbled).begin), sim.OnSignal((*jumbled).tick), sim.OnSignal((*jumbled).named),
	sim.OnMessage((*jumbled).got), sim.OnMessage((*jumbled).whole))

// leaks are handlers that depend on the order of a map.
var leaks = [20]func(*jumbled, sim.Env){
	(*jumbled).first, (*jumbled).last, (*jumbled).list, (*jumbled).joined, (*jumbled).sendFirst, (*jumbled).sendAll, (*jumbled).post,
	(*jumbled).after, (*jumbled).tie, (*jumbled).drop, (*jumbled).nested, (*jumbled).choose, (*jumbled).number, (*jumbled).other,
	(*jumbled).keys, (*jumbled).local, (*jumbled).set, (*jumbled).sendWhole, (*jumbled).sum, (*jumbled).sorts,
}

func (n *jumbled) first(sim.Env) {
	for k := range n.Of { // order 0
		n.Kept = k
		return
	}
}

func (n *jumbled) last(sim.Env) {
	for k := range n.Of { // order 1
		n.Kept = k
	}
}

func (n *jumbled) list(sim.Env) {
	for k := range n.Of { // order 2
		n.List = append(n.List, k)
	}
}

func (n *jumbled) joined(sim.Env) {
	for k, v := range n.Of { // order 3
		n.Kept += fmt.Sprint(k, v)
	}
}

func (n *jumbled) sendFirst(env sim.Env) {
	for k := range n.Of { // order 4
		env.UDP().Send(env.Peers()[0], named{k})
		break
	}
}

func (n *jumbled) sendAll(env sim.Env) {
	for k := range n.Of { // order 5
		env.TCP().Send(env.Peers()[0], named{k})
	}
}

func (n *jumbled) post(env sim.Env) {
	for k := range n.Of { // order 6
		env.Post(named{k})
		break
	}
}

func (n *jumbled) after(env sim.Env) {
	d := time.Second
	for k := range n.Of { // order 7
		env.After(d, named{k})
		break
	}
}

func (n *jumbled) tie(sim.Env) {
	most := 0
	for k, v := range n.Of { // order 8
		if v == 1 && most == 0 {
			most, n.Kept = v, k
		}
	}
}

func (n *jumbled) drop(sim.Env) {
	for k := range n.Of { // order 9
		if len(n.Of) > 2 {
			delete(n.Of, k)
		}
	}
}

func (n *jumbled) nested(sim.Env) {
	for _, in := range n.In["a"] { // order 10
		n.List = append(n.List, strings.Repeat("x", in))
	}
}

func (n *jumbled) choose(env sim.Env) {
	sides := 0
	for _, v := range n.Of { // order 11
		sides = v + 1
	}
	n.List = append(n.List, strings.Repeat("x", env.Choose(sides, "side")))
}

func (n *jumbled) number(sim.Env) {
	next := 0
	for k := range n.Of { // order 12
		next++
		n.Of[k] = next
	}
}

func (n *jumbled) other(sim.Env) { n.Kept = anyOf(n.Of) }

func (n *jumbled) sendWhole(env sim.Env) { env.TCP().Send(env.Peers()[0], whole{n.Of}) }

// sorts does not depend on the order, since it sorts what it collects from the map.
func (n *jumbled) sorts(sim.Env) {
	var all []string
	for k := range n.Of {
		all = append(all, k)
	}
	slices.Sort(all)
	n.List = all
}

func anyOf[K comparable, V any](m map[K]V) (one K) {
	for k := range m { // order 13
		return k
	}
	return one
}

func (n *jumbled) keys(sim.Env) {
	for k := range maps.Keys(n.Of) { // order 14
		n.List = append(n.List, k)
	}
}

func (n *jumbled) local(sim.Env) {
	seen := map[string]bool{"p": true, "q": true}
	for k := range seen { // order 15
		n.Kept = k
	}
}

func (n *jumbled) set(sim.Env) {
	for k := range n.Set { // order 16
		n.Kept = k
		break
	}
}

func (n *jumbled) sum(sim.Env) {
	for _, v := range n.Of { // order 18
		n.Sum = (n.Sum + 1e16) * float64(v)
	}
}

// jumbledSystem returns a system whose nodes depend on the order of a map as leak says. If bound is
// true, nodes hold a closure, so that they cannot be copied.
func jumbledSystem(leak int, bound bool) *sim.System {
	sys := &sim.System{
		Name: "jumbled", Doc: "It goes by the order of a map.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			n := &jumbled{leak: leak}
			if bound {
				n.bound = func() { n.Kept = "" }
			}
			return jumbledHandlers.Node(n)
		},
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self.Index() > 0 || life > 0 {
				return nil
			}
			return []sim.Signal{begin{}}
		},
	}
	return sys
}

// Every engine notices, in a system of four states, that a node depends on the order of a map, also
// if nodes cannot be copied.
func TestMapOrder(t *testing.T) {
	for leak := range leaks {
		for _, c := range []struct {
			engine search.Engine
			bound  bool
		}{{search.EngineMemo, false}, {search.EngineLocal, false}, {search.EngineReference, false}, {search.EngineMemo, true}} {
			for seed := range uint64(long.Of(1, 20)) {
				res, err := search.Search(jumbledSystem(leak, c.bound), search.Options{Engine: c.engine, Seed: seed + 1, NoWalks: true})
				if err != nil {
					t.Fatal(err)
				}
				want := map[int]string{17: "n1 message whole", 19: "n1 start"}[leak]
				if f := res.Finding; f == nil || f.Verdict != trace.VerdictNondeterminism {
					t.Errorf("leak %d, %v: found %v, %s, %d states", leak, c, f, res.Safety.State, res.Stats.States)
				} else if !strings.HasPrefix(f.Identity, cmp.Or(want, "n0 task tick")) {
					t.Errorf("leak %d, %v: blamed is %s", leak, c, f.Identity)
				}
			}
		}
	}
}

// If the order of a map causes a violation that does not repeat, the finding names the step that
// depends on the order, and not the step at which the violation shows.
func TestMapOrderViolates(t *testing.T) {
	sys := jumbledSystem(0, false)
	sys.Script = func(p sim.Params, self sim.Addr, life int) []sim.Signal { return []sim.Signal{begin{}} }
	sys.Properties = []sim.Property{sim.Always("no c before the other begins", func(v sim.View[*jumbled]) bool {
		n, _ := v.At(v.Params().Addr(0))
		m, _ := v.At(v.Params().Addr(1))
		return n.Kept != "c" || !m.Begun || m.Kept != ""
	})}
	for _, engine := range []search.Engine{search.EngineMemo, search.EngineReference} {
		for seed := range uint64(20) {
			res, err := search.Search(sys, search.Options{Engine: engine, Seed: seed + 1, NoWalks: true})
			if err != nil {
				t.Fatal(err)
			}
			f := res.Finding
			if f != nil && f.Verdict == trace.VerdictNondeterminism && !strings.HasSuffix(f.Identity, "task tick{}") {
				t.Errorf("%s, seed %d: blamed is %q: %s", engine, seed+1, f.Identity, f.Message)
			}
		}
	}
}

// The report names the statement that ranges over the map: the one that ran or, if it is not known
// which lines ran, the one in the handler or in a function that the handler calls.
func TestMapOrderIsNamed(t *testing.T) {
	sys := jumbledSystem(0, false)
	l := NewSources(sys, sim.Params{Nodes: 2})
	file := standing(reflect.ValueOf(leaks[0]).Pointer()).path
	for leak, code := range leaks {
		handler := standing(reflect.ValueOf(code).Pointer())
		want := 0
		switch leak {
		case 17:
			handler = standing(reflect.ValueOf((*jumbled).whole).Pointer())
		case 19:
			if all := l.ordersOf(handler); len(all) > 0 {
				t.Errorf("what is sorted afterwards is named: %v", all)
			}
			handler = standing(reflect.ValueOf((*jumbled).Init).Pointer())
		}
		want = lineOf(t, "order_test.go", fmt.Sprint("order ", leak))
		if all := l.ordersOf(handler); len(all) != 1 || all[0].Line != want || !strings.HasPrefix(all[0].Text, "for ") {
			t.Errorf("leak %d: the handler comes to %+v, and the statement is on line %d", leak, all, want)
		}
		functions := []lines.Function{{File: file, Pieces: []lines.Piece{
			{Line: want - 1, Column: 1, EndLine: want, EndColumn: 20}, // not the body of any statement
			{Line: want, Column: strings.Index(l.text(file)[want-1], "{") + 1, EndLine: want + 2, EndColumn: 2},
		}}}
		if all := l.ordersRan([]lines.Part{{Function: 0, Pieces: []int{0, 1}}}, functions); len(all) != 1 || all[0].Line != want {
			t.Errorf("leak %d: what ran has %+v, and the statement is on line %d", leak, all, want)
		}
		if all := l.ordersRan([]lines.Part{{Function: 0, Pieces: []int{0}}}, functions); len(all) != 0 {
			t.Errorf("leak %d: no body ran, and named is %+v", leak, all)
		}
	}
}

// If it is known which lines ran in the step, only statements that ran are named.
func TestMapOrderThatRan(t *testing.T) {
	file := standing(reflect.ValueOf(leaks[0]).Pointer()).path
	line := lineOf(t, "order_test.go", "order 0")
	a := Of(&search.Result{System: jumbledSystem(0, false), Params: sim.Params{Nodes: 2}}, &search.Finding{Failure: trace.Failure{Verdict: trace.VerdictNondeterminism, Step: 1}})
	a.ranned = true
	for pieces, want := range [][]int{{}, {line}} {
		ran := lines.Function{File: file, Pieces: []lines.Piece{{Line: line, Column: 1 + strings.Index(a.Sources().text(file)[line-1], "{"), EndLine: line + 2, EndColumn: 2}}}
		a.ran = &lines.Ran{Functions: []lines.Function{ran}, Steps: [][]lines.Part{nil, {{Function: 0, Pieces: make([]int, pieces)}}}}
		var named []int
		for _, o := range a.Orders() {
			named = append(named, o.Line)
		}
		if !slices.Equal(named, want) {
			t.Errorf("named are %v, and what ran has %v", named, want)
		}
	}
}
