package world

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/sim"
)

// A picker sends 1, 1 and 2 into a bag, and takes only what it wants.
type picker struct {
	Wants int
	Got   []int
}

func (p *picker) start(env sim.Env, _ start) {
	for _, n := range []int{1, 1, 2} {
		env.Bag().Send(env.Peers()[0], number{n})
	}
}

func (p *picker) number(_ sim.Env, _ sim.Addr, m number) { p.Got, p.Wants = append(p.Got, m.n), 1 }
func (p *picker) Accepts(_ sim.Addr, m sim.Message) bool { return m.(number).n == p.Wants }

var pickers = sim.Handle(sim.OnSignal((*picker).start), sim.OnMessage((*picker).number))

func picking(faults sim.Faults) (*sim.System, Config) {
	return &sim.System{
		Name: "picking", Doc: "Picks.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return pickers.Node(&picker{Wants: 2}) },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self == p.Addr(0) && life == 0 {
				return []sim.Signal{start{}}
			}
			return nil
		},
		Properties: []sim.Property{sim.Always("three are under way, or fewer", func(v sim.View[*picker]) bool {
			return v.InFlight() <= 3 && v.Params().Nodes == 2
		})},
	}, Config{Conditions: sim.Conditions{Faults: &faults, Early: nil}}
}

// In a bag, a message that its receiver declines does not block others, two equal messages are
// one event that can happen twice, and a message to a node that is crashed or cut off can be
// delivered once the node is back.
func TestBagWaits(t *testing.T) {
	sys, config := picking(sim.Faults{Crash: 1, Partition: 1})
	params, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(sys, params, config)
	if err != nil {
		t.Fatal(err)
	}
	var story []string
	take := func(text string) {
		for k := range w.Events.Count() {
			if e := w.Events.At(k); strings.HasPrefix(w.timers.text(e), text) {
				w.Step(choose.NewFixed(k))
				return
			}
		}
		story = append(story, "no "+text)
	}
	tell := func() {
		line := fmt.Sprint(w.Links.InFlight(), " under way:")
		for k := range w.Events.Count() {
			if e := w.Events.At(k); e.Kind == sim.KindMessage {
				line += " " + w.timers.text(e)
			}
		}
		for _, l := range w.Text.OtherLines() {
			if strings.HasPrefix(l.Path, "bag") {
				line += "; " + l.Path + " " + l.Value
			}
		}
		story = append(story, line)
	}
	f := w.Protect(func() {
		w.Start(choose.NewFixed())
		take("n0 script")
		if got := w.Text.Declined(); got != "declined by Accepts: number{n: 1} from n0 by bag at n1" {
			t.Errorf("of three messages, two equal ones and one that is wanted, declined are: %q", got)
		}
		tell()
		take("partition")
		tell()
		take("mend")
		take("n1 message number{n: 2}")
		tell()
		before := w.State.Hash()
		b := w.State.NewBank()
		v := slices.Clone(make(Vector, w.State.Places()))
		w.State.Save(b, v)
		take("n1 message number{n: 1}")
		tell()
		w.State.Load(b, v)
		if w.State.Hash() != before || w.Links.InFlight() != 2 {
			t.Errorf("loading what was saved is another state: %d messages", w.Links.InFlight())
		}
		take("n1 message number{n: 1}")
		take("n1 crash")
		tell()
		take("n1 restart")
		if got := w.Text.Declined(); got != "declined by Accepts: number{n: 1} from n0 by bag at n1" {
			t.Errorf("declined: %q", got)
		}
		take("n1 message number{n: 1}") // wants 2 again: declined
		tell()
	})
	if f != nil {
		t.Fatal(f)
	}
	want := `3 under way: n1 message number{n: 2} from n0 by bag; bag n0->n1 number{n: 1}, 2 times; bag n0->n1 number{n: 2}
3 under way:; bag n0->n1 number{n: 1}, 2 times; bag n0->n1 number{n: 2}
2 under way: n1 message number{n: 1} from n0 by bag; bag n0->n1 number{n: 1}, 2 times
1 under way: n1 message number{n: 1} from n0 by bag; bag n0->n1 number{n: 1}
1 under way:; bag n0->n1 number{n: 1}
no n1 message number{n: 1}
1 under way:; bag n0->n1 number{n: 1}`

	if got := strings.Join(story, "\n"); got != want {
		t.Errorf("got\n%s", got)
	}
}

// A bank that puts a message into a bag or takes it out, by its number, makes the same states as
// the world does. The bag's messages are not mixed up with those of the set.
func TestBagByNumber(t *testing.T) {
	sys, config := picking(sim.Faults{})
	w, err := New(sys, sim.Params{Nodes: 2}, config)
	if err != nil {
		t.Fatal(err)
	}
	bank, place := w.State.NewBank(), SetPlace(2, 1)
	empty, full := make(Vector, bank.Places()), make(Vector, bank.Places())
	if f := w.Protect(func() {
		w.Start(choose.NewFixed())
		w.State.Save(bank, empty)
		w.Step(choose.NewFixed(0))
		w.State.Save(bank, full)
	}); f != nil {
		t.Fatal(f)
	}
	one, two := w.State.Message(bank, number{1}), w.State.Message(bank, number{2})
	id := empty[place]
	for _, m := range []uint32{one, two, one} {
		id = bank.Put(place, id, 0, m).To
	}
	if id != full[place] || id == empty[place] {
		t.Errorf("put by number, the bag is part %d, and in the world %d", id, full[place])
	}
	mixed := bank.Push(place, full[place], 0, one).To // in the set too
	for _, m := range []uint32{one, one, two} {
		id, mixed = bank.Take(place, id, 0, m).To, bank.Take(place, mixed, 0, m).To
	}
	if id != empty[place] || mixed == id || mixed != bank.Push(place, empty[place], 0, one).To {
		t.Errorf("what is left is part %d, and %d with a message of a set; want %d", id, mixed, empty[place])
	}
}
