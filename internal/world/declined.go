package world

import (
	"fmt"
	"strings"

	"macemc/netsim"
	"macemc/sim"
)

// declinedMost is how many messages Declined names.
const declinedMost = 3

// Declined says which messages are under way to nodes that are up and decline
// them now: of a channel its head, which blocks what is behind it; and which openings
// of scripts are declined. "": none.
func (w *World) Declined() string {
	var words []string
	n, behind := 0, 0
	ask := func(link sim.Link, from, to int, p *netsim.Packet, queued int) {
		if w.nodes[to].life != lifeUp || w.environ.severed(from, to) || w.nodes[to].guards.accept(addrOf(from), p.Message) {
			return
		}
		if behind += queued - 1; len(words) < declinedMost {
			words = append(words, fmt.Sprintf("%s from %s by %s at %s", w.walker.Text(p.Message), addrOf(from), link, addrOf(to)))
		}
		n++
	}
	for c := range w.n * w.n {
		from, to := w.links.tcp.Ends(c)
		if all := w.links.tcp.Packets(c); len(all) > 0 {
			ask(sim.LinkTCP, from, to, &all[0], len(all))
		}
		if all := w.links.udp.Packets(c); len(all) > 0 {
			ask(sim.LinkUDP, from, to, &all[0], len(all))
		}
	}
	for to := range w.nodes {
		for _, m := range w.links.set.For(to) {
			if m.Count > 0 { // what is in a set may stay there
				ask(sim.LinkBag, m.From, to, &m.Packet, 1)
			}
		}
	}
	shut := w.shut()
	if n == 0 {
		return shut
	}
	text := "declined by Accepts: " + strings.Join(words, ", ")
	if n > declinedMost {
		text += fmt.Sprintf(" and %d more", n-declinedMost)
	}
	if behind > 0 {
		text += fmt.Sprintf("; %d behind it", behind)
	}
	if shut != "" {
		text += "; " + shut
	}
	return text
}

// shut says which openings of scripts their nodes decline now. "": none.
func (w *World) shut() string {
	var words []string
	for i := range w.nodes {
		if ns := &w.nodes[i]; ns.life == lifeUp && ns.next < len(ns.script) && !ns.guards.opens(ns.script, ns.next) {
			words = append(words, fmt.Sprintf("%s of the script of %s", w.walker.Text(ns.script[ns.next]), addrOf(i)))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "declined by Opens: " + strings.Join(words, ", ")
}
