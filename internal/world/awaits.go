package world

import (
	"macemc/internal/state"
	"macemc/netsim"
	"macemc/sim"
)

// Awaits calls yield with everything in a part that may become an event of a node: the next request of its
// script, the actions that it offers, its tasks and timers, and the messages to it, whether it accepts them
// now or not. It leaves out actions that depend on messages in the node's set: see Gathers.
func (b *Bank) Awaits(place int, id uint32, yield func(kind sim.Kind, link sim.Link, from int, value any)) {
	message := func(link sim.Link, from int, p *netsim.Packet) { yield(sim.KindMessage, link, from, p.Message) }
	sort, at := b.at.At(place)
	switch of := b.part(place, id).(type) {
	case *nodePart:
		if of.next < len(of.script) {
			yield(sim.KindScript, 0, at, of.script[of.next])
		}
		of.guards.Offer(func(s sim.Signal) { yield(sim.KindAction, 0, at, s) })
		for _, t := range of.tasks.items {
			yield(sim.KindTask, 0, at, t.signal)
		}
		for _, t := range of.timers.items {
			yield(sim.KindTimer, 0, at, t.Signal)
		}
	case *connectionPart:
		for k := range of.packets {
			message(sim.LinkTCP, at%b.n, &of.packets[k])
		}
	case []netsim.Packet:
		for k := range of {
			message(sim.LinkUDP, at%b.n, &of[k])
		}
	case []netsim.Member:
		for k := range of {
			link := sim.LinkSet
			if of[k].Count > 0 {
				link = sim.LinkBag
			}
			message(link, of[k].From, &of[k].Packet)
		}
	default:
		if sort < state.Budget && of != nil {
			panic("macemc bug: world: a part of a node or a channel is of a type that nobody knows")
		}
	}
}
