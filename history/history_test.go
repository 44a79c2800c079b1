package history

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"macemc/sim"
)

// kind is a model with random operations on it.
type kind struct {
	model   Model
	inputs  func(r *rand.Rand) any
	outputs []any
}

var kinds = map[string]kind{
	"register": {Register(0), func(r *rand.Rand) any {
		if r.IntN(2) == 0 {
			return Read{}
		}
		return Write{r.IntN(3)}
	}, []any{0, 1, 2, nil}},
	"map": {Map(), func(r *rand.Rand) any {
		key := []any{"a", "b"}[r.IntN(2)]
		return []any{Get{key}, Put{key, r.IntN(2)}, Delete{key}}[r.IntN(3)]
	}, []any{0, 1, nil}},
	"queue": {Queue(), func(r *rand.Rand) any {
		if r.IntN(2) == 0 {
			return Dequeue{}
		}
		return Enqueue{r.IntN(3)}
	}, []any{0, 1, 2, nil}},
	"lock": {Lock(), func(r *rand.Rand) any {
		who := r.IntN(2)
		return []any{Acquire{who}, TryAcquire{who}, Release{who}}[r.IntN(3)]
	}, []any{true, false}},
}

// random returns a history of an object that serves one call after the other, or of one
// that sometimes answers at random. Some operations never return, and some ids are used again.
func (k kind) random(r *rand.Rand) (facts []sim.Emitted) {
	type running struct {
		at      sim.Addr
		id      any
		input   any
		took    bool
		output  any
		never   bool
		abandon bool
	}
	nodes := sim.Params{Nodes: 3}.Addrs()
	states := map[any]any{}
	var open []*running
	part := func(input any) any {
		if k.model.part == nil {
			return nil
		}
		return k.model.part(input)
	}
	lies := r.IntN(3)
	for range 4 + r.IntN(10) {
		if len(open) < 4 && r.IntN(2) == 0 {
			o := &running{at: nodes[r.IntN(3)], id: r.IntN(2), input: k.inputs(r), never: r.IntN(8) == 0}
			for _, other := range open {
				if other.at == o.at && other.id == o.id {
					other.abandon = true
				}
			}
			open = append(open, o)
			facts = append(facts, sim.Emitted{At: o.at, Fact: called{"x", o.id, o.input}})
			continue
		}
		if len(open) == 0 {
			continue
		}
		i := r.IntN(len(open))
		switch o := open[i]; {
		case !o.took:
			state, known := states[part(o.input)]
			if !known {
				state = k.model.init
			}
			next, output, can := k.model.apply(state, o.input)
			if can {
				states[part(o.input)], o.output, o.took = next, output, true
			}
		case !o.never && !o.abandon:
			if r.IntN(5) < lies {
				o.output = k.outputs[r.IntN(len(k.outputs))]
			}
			facts = append(facts, sim.Emitted{At: o.at, Fact: returned{"x", o.id, o.output}})
			open = append(open[:i], open[i+1:]...)
		}
	}
	return facts
}

// TestAgreesWithPorcupine checks that the monitor and porcupine agree on random histories.
func TestAgreesWithPorcupine(t *testing.T) {
	for name, k := range kinds {
		r := rand.New(rand.NewPCG(7, uint64(len(name))))
		said := map[bool]int{}
		for range 3_000 {
			facts := k.random(r)
			o := &objects{}
			o.Init()
			var err error
			for _, f := range facts {
				if err = o.observe(k.model, f.At, f.Fact); err != nil {
					break
				}
			}
			want := true
			for _, one := range tales(k.model, facts) {
				want = want && porcupine.CheckEvents(k.model.converted(), one.events)
			}
			if said[want]++; (err == nil) != want {
				t.Fatalf("%s: the monitor says %v, porcupine that it is linearizable: %v\n%s", name, err, want, tell(facts))
			}
			if page, err := picture(k.model, facts); err != nil || (page != nil) == want {
				t.Fatalf("%s: a picture of %d bytes, %v", name, len(page), err)
			}
		}
		if said[true] < 500 || said[false] < 100 {
			t.Errorf("%s: %d histories are linearizable, %d are not: too few of one", name, said[true], said[false])
		}
	}
}

func tell(facts []sim.Emitted) string {
	var lines []string
	for _, f := range facts {
		lines = append(lines, fmt.Sprintf("%s %T%+v", f.At, f.Fact, f.Fact))
	}
	return strings.Join(lines, "\n")
}

// TestReturnedOperationsAreForgotten checks that the memory of the monitor is the same whichever of two nodes calls first,
// and that it does not contain operations that have returned. Otherwise no two runs would reach the same state.
func TestReturnedOperationsAreForgotten(t *testing.T) {
	n := sim.Params{Nodes: 2}.Addrs()
	m := Register(0)
	after := func(facts ...sim.Emitted) string {
		o := &objects{}
		o.Init()
		for _, f := range facts {
			if err := o.observe(m, f.At, f.Fact); err != nil {
				t.Fatal(err)
			}
		}
		p := o.of[object{name: "x"}]
		return fmt.Sprint(p.pending, p.worlds)
	}
	call := func(at sim.Addr, in any) sim.Emitted { return sim.Emitted{At: at, Fact: called{"x", 1, in}} }
	ret := func(at sim.Addr, out any) sim.Emitted { return sim.Emitted{At: at, Fact: returned{"x", 1, out}} }
	a := after(call(n[0], Write{1}), call(n[1], Read{}))
	b := after(call(n[1], Read{}), call(n[0], Write{1}))
	if a != b {
		t.Errorf("called in one order: %s, in the other: %s", a, b)
	}
	once := after(call(n[0], Write{1}), ret(n[0], nil))
	again := after(call(n[0], Write{1}), ret(n[0], nil), call(n[1], Read{}), ret(n[1], 1))
	if once != again {
		t.Errorf("after a write %s, and after a read of it %s", once, again)
	}
}

// TestErrorsNameOperationAndStates checks that an error names the operation, its result and the states that were possible.
func TestErrorsNameOperationAndStates(t *testing.T) {
	n := sim.Params{Nodes: 2}.Addrs()
	o := &objects{}
	o.Init()
	m := Map()
	for _, f := range []any{called{"kv", 1, Put{"k", 5}}, returned{"kv", 1, nil}, called{"kv", 2, Get{"k"}}} {
		if err := o.observe(m, n[1], f); err != nil {
			t.Fatal(err)
		}
	}
	for fact, want := range map[any]string{
		returned{"kv", 2, nil}: "n1 returns nothing from Get k on the map kv at k: no order of the operations so far explains it; the object may have held 5",
		returned{"kv", 3, nil}: "n1 returns nothing from an operation 3 on kv that it has not called",
	} {
		if err := o.observe(m, n[1], fact); err == nil || err.Error() != want {
			t.Errorf("%v: %v", fact, err)
		}
	}
}
