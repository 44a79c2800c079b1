package f3

import (
	"context"
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

// BenchmarkWalk takes walks until all members have decided, and reports steps in a second of processor time.
func BenchmarkWalk(b *testing.B) {
	params, err := System.Configure(4, []string{"proposals=same"}, nil)
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

// BenchmarkBare makes the same calls of the library in a random order, without macemc.
func BenchmarkBare(b *testing.B) {
	params, err := System.Configure(4, []string{"proposals=same"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	type delivery struct {
		to int
		vote
	}
	draw, steps, began := rand.New(rand.NewPCG(1, 1)), 0, checker.Processor().Seconds()
	for b.Loop() {
		var members []*member
		var under []delivery
		call := func(i int, do func() error) {
			m := members[i]
			if m.host.decided != nil {
				return
			}
			if err := do(); err != nil {
				b.Fatal(err)
			}
			for _, out := range m.host.outgoing {
				for to := range members {
					under = append(under, delivery{to, vote{out}})
				}
			}
			m.host.outgoing = nil
		}
		for i := range params.Nodes {
			members = append(members, newMember(params, params.Addr(i)))
		}
		for i, m := range members {
			call(i, func() error { return m.participant.StartInstanceAt(0, m.host.now) })
		}
		for left := len(members); left > 0; steps++ {
			left = 0
			for _, m := range members {
				if m.host.decided == nil {
					left++
				}
			}
			if k := draw.IntN(len(under)*10 + len(members)); k < len(under)*10 {
				d := under[k/10]
				under[k/10] = under[len(under)-1]
				under = under[:len(under)-1]
				call(d.to, func() error { return members[d.to].participant.ReceiveMessage(context.Background(), d.vote) })
			} else if m := members[k-len(under)*10]; !m.host.alarm.IsZero() {
				m.host.now, m.host.alarm = m.host.alarm, time.Time{}
				call(k-len(under)*10, func() error { return m.participant.ReceiveAlarm(context.Background()) })
			}
		}
	}
	b.ReportMetric(float64(steps)/(checker.Processor().Seconds()-began), "steps/s")
}

// bare is a member without the method Moment.
type bare struct{ sim.Node }

func (b bare) Upper() sim.Node { return b.Node }

// BenchmarkSearch visits states of the system as it is, and without its declarations about the library's state.
// It reports the number of different states, and transitions in a second of processor time.
func BenchmarkSearch(b *testing.B) {
	without := *System
	without.Immutable = nil
	without.Opaque = append(slices.Clone(System.Opaque), "gpbft.options.rebroadcastAfter")
	without.New = func(p sim.Params, self sim.Addr) sim.Node { return bare{System.New(p, self)} }
	for name, sys := range map[string]*sim.System{"declared": System, "without": &without} {
		b.Run(name, func(b *testing.B) {
			params, err := sys.Configure(0, nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			transitions, began := 0, checker.Processor().Seconds()
			for b.Loop() {
				r, err := search.Search(sys, search.Options{Params: params, Depth: 4, NoWalks: true, Workers: 1})
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
