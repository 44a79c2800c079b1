// Package pingpong is two nodes that play: one serves, the other returns.
package pingpong

import (
	"fmt"

	"macemc/sim"
)

// Rounds is the number of rounds that the nodes play.
const Rounds = 3

type (
	serve struct{} // a signal: the application asks for it
	ping  struct{ Round int }
	pong  struct{ Round int }
)

type player struct{ Round int }

var handlers = sim.Handle(sim.OnSignal((*player).serve), sim.OnMessage((*player).ping), sim.OnMessage((*player).pong))

func (p *player) serve(env sim.Env, _ serve) {
	env.TCP().Send(env.Peers()[0], ping{1})
}

func (p *player) ping(env sim.Env, from sim.Addr, m ping) {
	p.Round = m.Round
	env.TCP().Send(from, pong(m))
}

func (p *player) pong(env sim.Env, from sim.Addr, m pong) {
	p.Round = m.Round
	if m.Round < Rounds {
		env.TCP().Send(from, ping{m.Round + 1})
	}
}

// System is what macemc checks.
var System = &sim.System{
	Name:  "pingpong",
	Doc:   "Two nodes that play.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
	New:   func(sim.Params, sim.Addr) sim.Node { return handlers.Node(&player{}) },
	Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
		if self == p.Addr(0) {
			return []sim.Signal{serve{}}
		}
		return nil
	},
	Properties: []sim.Property{
		sim.Always("nobody is more than a round ahead", func(v sim.View[*player]) bool {
			least, most := Rounds, 0
			for _, p := range v.Nodes() {
				least, most = min(least, p.Round), max(most, p.Round)
			}
			return most-least <= 1
		}),
		sim.Eventually("all rounds are played", func(v sim.View[*player]) bool {
			for _, p := range v.Nodes() {
				if p.Round < Rounds {
					return false
				}
			}
			return true
		}, func(v sim.View[*player]) string {
			var rounds []int
			for _, p := range v.Nodes() {
				rounds = append(rounds, p.Round)
			}
			return fmt.Sprint("played are ", rounds)
		}),
	},
}
