package search

import (
	"fmt"
	"testing"

	"macemc/internal/long"
	"macemc/sim"
	"macemc/trace"
)

// player returns every ball.
type player struct{ Points int }

type serve struct{}

func (p *player) Init(sim.Env) {}
func (p *player) Deliver(env sim.Env, from sim.Addr, ball sim.Message) {
	env.TCP().Send(from, ball)
}
func (p *player) Handle(env sim.Env, _ sim.Signal) { env.TCP().Send(env.Peers()[0], word(0)) }

// A service that sends messages back and forth for ever and never becomes live is dead, though it
// never rests. It has four states: before the ball is served, and with the ball on its way there,
// on its way back, and on its way there by an open connection.
func TestLivelockIsDead(t *testing.T) {
	for _, faults := range []sim.Faults{{}, {Reset: 1}} {
		for _, engine := range []Engine{EngineLocal, EngineMemo} {
			sys := &sim.System{
				Name: "rally", Doc: "Two players return every ball.",
				Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
				New:   func(sim.Params, sim.Addr) sim.Node { return &player{} },
				Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
					if self == p.Addr(0) {
						return []sim.Signal{serve{}}
					}
					return nil
				},
				Properties: []sim.Property{sim.Eventually("somebody wins a point", func(sim.View[*player]) bool { return false })},
			}
			if !faults.IsZero() { // a broken connection ends the rally, since the player that notices it gives up
				sys.Assume = sim.While("the rally goes on", func(v sim.View[*player]) bool { return v.InFlight() > 0 || v.Len() < 2 })
			}
			res, err := Search(sys, Options{Engine: engine, Conditions: sim.Conditions{Faults: &faults, Properties: nil}, NoWalks: true})
			if err != nil {
				t.Fatal(err)
			}
			f := res.Finding
			if f == nil || f.Verdict != trace.VerdictDead || !f.Proved || f.Critical == nil || !f.Critical.Exact || f.Critical.Step > f.Step {
				t.Fatalf("%s, faults %s: found is %+v", engine, faults, f)
			}
			if faults.IsZero() && (f.Step != 0 || f.Critical.Step != 0 || res.Safety.State != StateExhausted || res.Stats.States != 4 || res.Stats.Transitions != 4) {
				t.Errorf("%s: dead at step %d, critical is %d; safety %s, %d states, %d transitions",
					engine, f.Step, f.Critical.Step, res.Safety.State, res.Stats.States, res.Stats.Transitions)
			}
			replayed(t, sys, f, false)
		}
	}
}

// wheel goes round and round. At one position a door leads off it to two places, from which nothing
// leads back.
type wheel struct {
	At   int // below 0: behind the door
	size int `mc:"-"`
	door int `mc:"-"` // the position of the door; -3 means that there is none
}

type (
	turn  struct{}
	leave struct{}
)

func (w *wheel) Init(sim.Env)                           {}
func (w *wheel) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (w *wheel) Offers(offer func(sim.Signal)) {
	offer(turn{})
	if w.At == w.door {
		offer(leave{})
	}
}

func (w *wheel) Handle(_ sim.Env, s sim.Signal) {
	switch s.(type) {
	case turn:
		if w.At < 0 {
			w.At = -3 - w.At // -1 and -2
		} else {
			w.At = (w.At + 1) % w.size
		}
	case leave:
		w.At = -2
	default:
		panic(fmt.Sprintf("wheel: no case for the signal %T", s))
	}
}

// rounds returns a system of wheels of this size, the first of which has a door. With three wheels
// it has (size+2)*size*size states. It is live when all wheels are at 0.
func rounds(size, door int) *sim.System {
	return &sim.System{
		Name: "rounds", Doc: "Wheels turn.",
		New: func(p sim.Params, self sim.Addr) sim.Node {
			w := &wheel{size: size, door: -3}
			if self == p.Addr(0) {
				w.door = door
			}
			return w
		},
		Properties: []sim.Property{sim.Eventually("all wheels are at 0", func(v sim.View[*wheel]) bool {
			for _, w := range v.Nodes() {
				if w.At != 0 {
					return false
				}
			}
			return true
		})},
	}
}

// In a large space, a livelock that is reached by one step from few states is proved, and the run
// to it is the shortest.
func TestLivelockBehindADoor(t *testing.T) {
	sizes := []int{9, 10}
	if *long.On {
		sizes = append(sizes, 100)
	}
	for _, size := range sizes {
		door := size * 4 / 7
		for _, engine := range []Engine{EngineLocal, EngineMemo} {
			if size == 100 && engine == EngineLocal {
				continue
			}
			t.Run(fmt.Sprint(size, "/", engine), func(t *testing.T) {
				res, err := Search(rounds(size, door), Options{Engine: engine, Effort: 1 << 40, NoWalks: true})
				if err != nil {
					t.Fatal(err)
				}
				states := (size + 2) * size * size
				f := res.Finding
				if res.Stats.States != states || f == nil || f.Verdict != trace.VerdictDead || !f.Proved {
					t.Fatalf("%d states, and should be %d; found is %+v", res.Stats.States, states, f)
				}
				if f.Step != door+1 || f.Critical == nil || !f.Critical.Exact || f.Critical.Step != door+1 {
					t.Errorf("found is a state %d steps away, critical %+v; the door is %d steps away", f.Step, f.Critical, door)
				}
				if len(f.Path.Steps) != door+1 {
					t.Errorf("the path has %d steps", len(f.Path.Steps))
				}
			})
		}
	}
}
