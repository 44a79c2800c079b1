package quic

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"macemc/choose"
	checker "macemc/internal/search"
	"macemc/internal/world"
	"macemc/search"
	"macemc/sim"
)

// BenchmarkWalk takes walks until all frames are acknowledged, and reports steps in a second of processor time.
func BenchmarkWalk(b *testing.B) {
	params, err := System.Configure(0, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	w, err := world.New(System, params, world.Config{})
	if err != nil {
		b.Fatal(err)
	}
	walk, steps, began := choose.NewWalk(1), 0, checker.Processor().Seconds()
	for i := uint64(0); b.Loop(); i++ {
		walk.Restart(1, i)
		if f := w.Protect(func() {
			for w.Start(walk); !w.Judge.Live(); w.Step(walk) {
			}
		}); f != nil {
			b.Fatal(f.Message)
		}
		steps += w.Run.Steps()
	}
	b.ReportMetric(float64(steps)/(checker.Processor().Seconds()-began), "steps/s")
}

// link does what the world does for both ends, without macemc: it carries packets and acknowledgements, and
// fires two timers, in a random order.
type link struct {
	sim.Env
	sim.Port
	self   sim.Addr
	other  []sim.Addr
	under  *[]delivery
	timers map[sim.Signal]bool
}

type delivery struct {
	to int
	m  sim.Message
}

func (l *link) Self() sim.Addr                      { return l.self }
func (l *link) Peers() []sim.Addr                   { return l.other }
func (l *link) UDP() sim.Port                       { return l }
func (l *link) After(_ time.Duration, s sim.Signal) { l.timers[s] = true }
func (l *link) Cancel(s sim.Signal)                 { delete(l.timers, s) }
func (l *link) Send(to sim.Addr, m sim.Message) bool {
	*l.under = append(*l.under, delivery{to.Index(), m})
	return true
}

// BenchmarkBare runs the same handlers, with the same calls of the library, without macemc.
func BenchmarkBare(b *testing.B) {
	params, err := System.Configure(0, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	at := params.Addrs()
	draw, steps, began := rand.New(rand.NewPCG(1, 1)), 0, checker.Processor().Seconds()
	for b.Loop() {
		var under []delivery
		var ends [2]*end
		var links [2]*link
		for i := range ends {
			ends[i] = newEnd(params.Int(Frames), time.Duration(params.Int(Flight))*time.Millisecond)
			links[i] = &link{self: at[i], other: at[1-i : 2-i], under: &under, timers: map[sim.Signal]bool{}}
			ends[i].begin(links[i])
		}
		for ; slices.Contains(ends[0].acked, false); steps++ {
			k := draw.IntN(len(under) + len(links[0].timers))
			if k >= len(under) {
				if timers := links[0].timers; timers[pace{}] {
					delete(timers, pace{})
					ends[0].pace(links[0], pace{})
				} else {
					delete(timers, alarm{})
					ends[0].alarm(links[0], alarm{})
				}
				continue
			}
			d := under[k]
			under = slices.Delete(under, k, k+1)
			switch m := d.m.(type) {
			case packet:
				ends[d.to].packet(links[d.to], at[1-d.to], m)
			case ack:
				ends[d.to].ack(links[d.to], at[1-d.to], m)
			}
		}
	}
	b.ReportMetric(float64(steps)/(checker.Processor().Seconds()-began), "steps/s")
}

// bare is an end without the method Moment.
type bare struct{ sim.Node }

func (b bare) Upper() sim.Node { return b.Node }

// BenchmarkSearch visits states of the system as it is, and without its declarations about the library's state.
// It reports the number of different states, and transitions in a second of processor time.
func BenchmarkSearch(b *testing.B) {
	without := *System
	without.Immutable, without.Remade = nil, nil
	without.Opaque = append(slices.Clone(System.Opaque), "congestion.pacer.adjustedBandwidth")
	without.New = func(p sim.Params, self sim.Addr) sim.Node { return bare{System.New(p, self)} }
	for name, sys := range map[string]*sim.System{"declared": System, "without": &without} {
		b.Run(name, func(b *testing.B) {
			params, err := sys.Configure(0, nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			transitions, began := 0, checker.Processor().Seconds()
			for b.Loop() {
				r, err := search.Search(sys, search.Options{Params: params, Depth: 5, NoWalks: true, Workers: 1})
				if err != nil || r.Finding != nil {
					b.Fatal(err, r)
				}
				transitions += r.Stats.Executed
				b.ReportMetric(float64(r.Stats.States), "states/"+r.Stats.Engine)
			}
			b.ReportMetric(float64(transitions)/(checker.Processor().Seconds()-began), "transitions/s")
		})
	}
}
