package live

import (
	"strings"
	"testing"

	"macemc/internal/record"
	"macemc/sim"
)

func sum(v sim.View[*echo]) (n int) {
	for _, e := range v.Nodes() {
		n += e.Got
	}
	return n
}

// A Watch evaluates properties of steps, and liveness properties that ask for the messages under way. It leaves
// safety properties that ask for these to package merge.
func TestWatchJudgesSteps(t *testing.T) {
	sys := *echoes
	sys.Name = "watched"
	sys.Properties = []sim.Property{
		sim.Steps("one number a step", func(before, after sim.View[*echo]) bool { return sum(after) <= sum(before)+1 }),
		sim.Steps("never a third", func(before, after sim.View[*echo]) bool { return sum(before) != 2 || sum(after) == 2 },
			func(before, after sim.View[*echo]) string { return "a third came" }),
		sim.Eventually("all is answered", func(v sim.View[*echo]) bool {
			for range sim.UnderWay[number](v) {
				return false
			}
			return v.InFlight() == 0
		}),
		sim.Always("few are under way", func(v sim.View[*echo]) bool { return v.InFlight() < 10 }),
	}
	p, err := sys.Configure(2, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Follow(&sys, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := Start(&sys, Config{Params: p, Record: f.Record})
	if err != nil {
		t.Fatal(err)
	}
	found := func() (text string) {
		f.Look(func(w *Watch) {
			for _, v := range w.Violations() {
				text += v.String() + "\n"
			}
		})
		return text
	}
	for n := range 3 {
		if got := found(); got != "" {
			t.Errorf("after %d numbers: %s", n, got)
		}
		asks(t, h, n)
	}
	if !f.Wait(patience, func(w *Watch) bool { is, _ := w.Live(); return is && w.Steps() == 11 }) {
		t.Error("never all answered")
	}
	f.Look(func(w *Watch) {
		if len(w.way.lanes) != 2 || w.Unjudged()[0] != "few are under way" {
			t.Errorf("lanes %v, unjudged %q", w.way.lanes, w.Unjudged())
		}
	})
	if err := h.Stop(); err != nil {
		t.Error(err)
	}
	f.Close()
	if got := found(); !strings.HasPrefix(got, `"never a third" does not hold after step `) || !strings.HasSuffix(got, "a third came\n") || strings.Count(got, "\n") != 1 {
		t.Errorf("found %q", got)
	}
}

// A message is under way if it was sent and is neither delivered nor known to be lost.
func TestUnderWay(t *testing.T) {
	u := underway{map[lane][]wayfarer{}}
	p, _ := echoes.Resolve(sim.Params{Nodes: 2})
	a := &mirror{}
	if err := a.begin(echoes, p, p.Addr(0), &record.Beginning{}); err != nil {
		t.Fatal(err)
	}
	step := func(e record.Event, links ...sim.Link) {
		a.retold.step = &record.Step{}
		env := a.m.envs.Next(false)
		a.m.step.Begin()
		a.m.step.Run(env, false)
		for _, l := range links {
			port := map[sim.Link]sim.Port{sim.LinkTCP: env.TCP(), sim.LinkUDP: env.UDP(), sim.LinkSet: env.Set(), sim.LinkBag: env.Bag()}[l]
			port.Send(p.Addr(1), number{int(a.m.sends)})
			a.m.sends++
		}
		u.step(0, a, &record.Step{Event: e, Sends: a.m.sends}, 1000)
	}
	far := func(link sim.Link, serial uint64) { // n1 gets it
		u.step(1, &mirror{retold: retold{m: &machine{}}}, &record.Step{Event: record.Event{Kind: sim.KindMessage, Link: link, From: p.Addr(0), Serial: serial}}, 1000)
	}
	want := func(what string, now int64, counted, all int) {
		t.Helper()
		n, m := 0, 0
		for range u.all(now, false) {
			n++
		}
		for range u.all(now, true) {
			m++
		}
		if n != counted || m != all {
			t.Errorf("%s: %d and %d with sets are under way, not %d and %d", what, n, m, counted, all)
		}
	}
	step(record.Event{}, sim.LinkTCP, sim.LinkTCP, sim.LinkUDP, sim.LinkSet, sim.LinkBag)
	want("sent", 1000, 4, 5)
	far(sim.LinkTCP, 1)
	far(sim.LinkSet, 4)
	want("two came", 1000, 3, 4)
	step(record.Event{Kind: sim.KindError, From: p.Addr(1)}, sim.LinkTCP)
	want("the connection broke, and another message was sent", 1000, 3, 4)
	want("a datagram is late", 1000+2*lostAfter, 2, 3)
	far(sim.LinkBag, 5)
	want("the bag is empty", 1000, 1, 2)
	u.forget(0)
	want("it died", 1000, 0, 0)
}
