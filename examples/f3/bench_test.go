package f3

import (
	"context"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/world"
)

// processor returns the processor time of this process, in seconds.
func processor(b *testing.B) float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
}

// Walks by macemc until all have decided: steps of a second of processor time.
func BenchmarkWalk(b *testing.B) {
	params, err := System.Configure(4, []string{"proposals=same"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	w, err := world.New(System, params, world.Config{})
	if err != nil {
		b.Fatal(err)
	}
	walk, steps, began := choose.NewWalk(1), 0, processor(b)
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
	b.ReportMetric(float64(steps)/(processor(b)-began), "steps/s")
}

// The same calls of the library, in a random order, without macemc.
func BenchmarkBare(b *testing.B) {
	params, err := System.Configure(4, []string{"proposals=same"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	type delivery struct {
		to int
		vote
	}
	draw, steps, began := rand.New(rand.NewPCG(1, 1)), 0, processor(b)
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
	b.ReportMetric(float64(steps)/(processor(b)-began), "steps/s")
}
