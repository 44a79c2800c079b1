package merge

import (
	"bytes"
	"io"
	"testing"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/setting"
	"macemc/live"
	"macemc/sim"
)

// adder adds up the numbers of its requests after the first request of its script, and sends the sum to
// its peer.
type adder struct {
	open bool
	sum  int
}

type (
	opens struct{}
	add   struct{ n int }
	told  struct{ sum int }
)

func (a *adder) Init(sim.Env) {}

func (a *adder) Opens(s sim.Signal) bool {
	_, is := s.(add)
	return a.open || !is
}

func (a *adder) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case opens:
		a.open = true
	case add:
		a.sum += s.n
		env.TCP().Send(env.Peers()[0], told{a.sum})
		env.Emit(a.sum)
	}
}

func (a *adder) Deliver(_ sim.Env, _ sim.Addr, m sim.Message) { a.sum += m.(told).sum }

var adders = &sim.System{
	Name: "adders", Doc: "Two nodes that add.",
	Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
	New:    func(sim.Params, sim.Addr) sim.Node { return &adder{} },
	Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{opens{}, add{1}} },
}

// TestRequestsAreInThePath checks that requests which ordinary goroutines made of live nodes are in the merged path, in
// whichever life they were made, and that the simulator takes them like requests of the script.
func TestRequestsAreInThePath(t *testing.T) {
	kept := new(tapes)
	h, err := live.Start(adders, live.Config{Record: kept.keep})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(i, n int) {
		if err := h.Node(i).Request(t.Context(), add{n}); err != nil {
			t.Fatal(err)
		}
	}
	ask(0, 100)
	ask(1, 10)
	if err := h.Kill(0); err != nil {
		t.Fatal(err)
	}
	if err := h.Restart(0); err != nil {
		t.Fatal(err)
	}
	ask(0, 1000)
	ask(1, 10_000)
	if err := h.Stop(); err != nil {
		t.Fatal(err)
	}
	r, err := Merge(adders, kept.readers())
	if err != nil {
		t.Fatal(err)
	}
	if r.Parted || r.Failure != nil || len(r.Path.All(setting.KeyOpening)) == 0 {
		t.Fatalf("parted %q; failure %+v; openings %q", r.Differences, r.Failure, r.Path.All(setting.KeyOpening))
	}
	var text bytes.Buffer
	if _, err := r.Path.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	path, err := choose.Parse(io.Reader(&text))
	if err != nil {
		t.Fatal(err)
	}
	sys, err := SystemOf(adders, path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := search.Replay(sys, path, search.Options{})
	if err != nil || !again.Reproduced {
		t.Errorf("the path comes to %+v, %v", again, err)
	}
	if _, err := search.Replay(adders, path, search.Options{}); err == nil {
		t.Error("the path is taken without what the nodes were asked for")
	}
	for _, bad := range []string{"n0 0", "n0 x AA==", "n0 0 !", "n0 0 AA=="} {
		if _, err := SystemOf(adders, &choose.Path{Header: []choose.Field{{Key: setting.KeyOpening, Value: bad}}}); err == nil {
			t.Errorf("an opening of %q is read", bad)
		}
	}
}
