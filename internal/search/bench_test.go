package search

import (
	"testing"

	"macemc/choose"
	"macemc/internal/observe"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/jointree"
)

// benchWalk is the number of steps of a benchmark's walks. They share the cost of starting the
// run.
const benchWalk = 1000

// BenchmarkWalk measures one step of the walk: bare, with the properties of
// every state, and with the hash of every state besides.
func BenchmarkWalk(b *testing.B) {
	for _, s := range []struct {
		name     string
		sys      *sim.System
		settings []string
	}{
		{"brokentree", brokentree.System, nil},
		{"ping", pingSystem, nil},
		{"small", jointree.System, nil},
		{"1KB", jointree.System, []string{"ballast=1KB"}},
		{"20KB", jointree.System, []string{"ballast=20KB"}},
	} {
		for _, do := range []struct {
			name             string
			properties, hash bool
			cover            *observe.Coverage
		}{{"bare", false, false, nil}, {"properties", true, false, nil}, {"covered", true, false, new(observe.Coverage)}, {"hash", true, true, nil}} {
			b.Run(s.name+"/"+do.name, func(b *testing.B) {
				params, err := s.sys.Configure(0, s.settings, nil)
				if err != nil {
					b.Fatal(err)
				}
				w, err := world.New(s.sys, params, world.Config{Sprint: true, Coverage: do.cover})
				if err != nil {
					b.Fatal(err)
				}
				src := choose.NewWalk(1)
				b.ReportAllocs()
				cpu := Processor()
				failure := w.Protect(func() {
					for i, walk := 0, uint64(0); i < b.N; walk++ {
						src.Restart(1, walk)
						w.Start(src)
						for range benchWalk {
							if w.Step(src) != world.Stepped {
								break
							}
							i++
							if do.properties {
								if w.Judge.Check() != nil {
									return
								}
								w.Judge.Live()
							}
							if do.hash {
								w.State.Hash()
							}
						}
					}
				})
				if failure != nil {
					b.Fatal(failure.Message)
				}
				b.ReportMetric(float64(Processor()-cpu)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

type ping struct{}

type pinger struct{ n int }

func (p *pinger) Init(env sim.Env) { env.After(1, ping{}); env.TCP().Send(env.Peers()[0], ping{}) }
func (p *pinger) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	p.n ^= 1
	env.TCP().Send(from, m)
}
func (p *pinger) Handle(env sim.Env, s sim.Signal) { env.After(1, ping{}) }

var pingSystem = &sim.System{Name: "ping", Doc: "Ping.", New: func(sim.Params, sim.Addr) sim.Node { return &pinger{} },
	Properties: []sim.Property{sim.Always("small", func(v sim.View[*pinger]) bool {
		for _, p := range v.Nodes() {
			if p.n > 1 {
				return false
			}
		}
		return true
	})},
}
