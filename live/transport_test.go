package live

import (
	"fmt"
	"testing"
	"time"

	"macemc/internal/long"
	"macemc/sim"
	"macemc/systems/transport"
)

// flow sends numbered messages to the last node, as fast as its port takes them, or is that
// node and takes them.
type flow struct {
	left, sent int
	got        map[sim.Addr]int
	wrong      int // that were not the next of their sender
	errors     int // that were heard of
	all        int // the number of messages of each sender
}

type (
	item struct {
		number int
		text   string
	}
	pump1 struct{ messages int }
	// taken is the fact that the last node has received all messages of a sender.
	taken struct{ from sim.Addr }
)

func (f *flow) Init(sim.Env) {}

func (f *flow) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case pump1:
		f.left += s.messages
	case sim.ClearToSend:
	case sim.PeerError:
		f.errors++
		return
	default:
		return
	}
	peers := env.Peers()
	to := peers[len(peers)-1]
	for ; f.left > 0; f.left-- {
		if !env.TCP().Send(to, item{f.sent + 1, payload}) {
			env.TCP().RequestToSend(to)
			return
		}
		f.sent++
	}
}

func (f *flow) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	i, is := m.(item)
	if !is {
		return
	}
	if f.got[from]++; i.number != f.got[from] || i.text != payload {
		f.wrong++
	}
	if f.got[from] == f.all {
		env.Emit(taken{from})
	}
}

// flows returns a system of senders, each of which sends by the transport over UDP or by TCP,
// and a receiver.
func flows(all int, overUDP ...bool) *sim.System {
	n := len(overUDP) + 1
	return &sim.System{
		Name: "flows", Doc: "Nodes that send to the last one.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: n, Least: n, Most: n} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			f := &flow{got: map[sim.Addr]int{}, all: all}
			if i := self.Index(); i < len(overUDP) && !overUDP[i] {
				return f
			}
			return transport.Over(f, transport.Options{})
		},
	}
}

// carry lets all senders send, and returns for each the time until all of its messages had arrived.
func carry(t testing.TB, all int, c Config, overUDP ...bool) (took []time.Duration) {
	t.Helper()
	last := len(overUDP)
	facts := make(chan taken, last)
	c.Facts = func(_ sim.Addr, fact any) {
		if done, is := fact.(taken); is {
			facts <- done
		}
	}
	h, err := Start(flows(all, overUDP...), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Stop(); err != nil {
			t.Error(err)
		}
	}()
	began := time.Now()
	for i := range last {
		if err := h.Node(i).Request(t.Context(), pump1{all}); err != nil {
			t.Fatal(err)
		}
	}
	took = make([]time.Duration, last)
	for range last {
		select {
		case done := <-facts:
			took[done.from.Index()] = time.Since(began)
		case <-time.After(2 * patience):
			var at string
			_ = h.Node(last).Look(func(n sim.Node) { at = fmt.Sprint(under(n).got) })
			t.Fatalf("not all of %d messages came: %s", all, at)
		}
	}
	for i := range last + 1 {
		if err := h.Node(i).Look(func(n sim.Node) {
			if f := under(n); f.wrong > 0 || f.errors > 0 {
				t.Errorf("n%d: %d messages out of order, %d errors", i, f.wrong, f.errors)
			}
		}); err != nil {
			t.Error(err)
		}
	}
	return took
}

func under(n sim.Node) *flow {
	if l, is := n.(*transport.Layer); is {
		n = l.Upper()
	}
	return n.(*flow)
}

// rough is weather in which datagrams get lost, come twice and out of order.
var rough = Climate{Loss: 0.05, Dup: 0.05, Reorder: 0.05}

// Messages that the transport carries over UDP arrive once and in order, though datagrams are
// lost, doubled and reordered. With -long there are ten thousand messages.
func TestTransportIsReliable(t *testing.T) {
	all := long.Of(2000, 10_000)
	took := carry(t, all, Config{Pace: 0.005, Weather: NewWeather(1, rough)}, true)
	t.Logf("%d messages in %v: %.0f a second", all, took[0], float64(all)/took[0].Seconds())
}

// BenchmarkFlows measures two flows of 20,000 messages each to one node: both by the transport over UDP, both
// by TCP, and one by each. It reports their fairness as Jain's index, which is 1 if both have the same
// throughput. With b.N it repeats them one after the other.
func BenchmarkFlows(b *testing.B) {
	const all = 20_000
	for _, of := range []struct {
		name    string
		weather *Weather
		overUDP []bool
	}{
		{"one by transport", nil, []bool{true}},
		{"one by transport, rough", NewWeather(1, rough), []bool{true}},
		{"one by tcp", nil, []bool{false}},
		{"two by transport", nil, []bool{true, true}},
		{"two by transport, rough", NewWeather(1, rough), []bool{true, true}},
		{"two by tcp", nil, []bool{false, false}},
		{"one by each", nil, []bool{true, false}},
	} {
		b.Run(of.name, func(b *testing.B) {
			var sum, squares, rate float64
			for range b.N {
				sum, squares = 0, 0
				for _, d := range carry(b, all, Config{Pace: 0.005, Weather: of.weather}, of.overUDP...) {
					x := all / d.Seconds()
					sum, squares = sum+x, squares+x*x
				}
				rate += sum
			}
			b.ReportMetric(rate/float64(b.N), "messages/s")
			b.ReportMetric(sum*sum/squares/float64(len(of.overUDP)), "Jain")
		})
	}
}
