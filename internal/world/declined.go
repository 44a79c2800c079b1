package world

import (
	"cmp"
	"fmt"
	"strings"

	"macemc/internal/state"
	"macemc/internal/wording"
	"macemc/netsim"
	"macemc/sim"
)

// declinedMost is the largest number of messages that Declined names.
const declinedMost = 3

// Declined describes the messages that running nodes decline now, and the requests of scripts that they
// decline. It returns "" if there are none. For a channel it names only the first message, which blocks the
// others.
func (x *Text) Declined() string {
	var words []string
	n, behind := 0, 0
	waiting := ""
	ask := func(link sim.Link, from, to int, p *netsim.Packet, queued int) {
		if x.nodes.at[to].life == lifeUp && x.nodes.at[to].guards.Awaits(p.Message) {
			waiting = "waiting for others of an OnQuorum"
		}
		if x.nodes.at[to].life != lifeUp || x.environ.severed(from, to) || x.nodes.at[to].guards.Accept(state.AddrOf(from), p.Message) {
			return
		}
		if behind += queued - 1; len(words) < declinedMost {
			words = append(words, fmt.Sprintf("%s from %s by %s at %s", wording.Shown(x.walker.Text, p.Message), state.AddrOf(from), link, state.AddrOf(to)))
		}
		n++
	}
	for c := range x.n * x.n {
		from, to := x.links.Ends(c)
		if all := x.links.TCP().Packets(c); len(all) > 0 {
			ask(sim.LinkTCP, from, to, &all[0], len(all))
		}
		if all := x.links.UDP().Packets(c); len(all) > 0 {
			ask(sim.LinkUDP, from, to, &all[0], len(all))
		}
	}
	for to := range x.nodes.at {
		for _, m := range x.links.Set().For(to) {
			if m.Count > 0 { // a message in a set, unlike one in a bag, may stay there for ever
				ask(sim.LinkBag, m.From, to, &m.Packet, 1)
			}
		}
	}
	shut := x.shut()
	if n == 0 {
		return shut
	}
	text := cmp.Or(waiting, "declined by Accepts") + ": " + strings.Join(words, ", ")
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

// shut describes the next requests of scripts that their nodes decline now, or returns "" if there
// are none.
func (x *Text) shut() string {
	var words []string
	for i := range x.nodes.at {
		if ns := &x.nodes.at[i]; ns.life == lifeUp && ns.next < len(ns.script) && !ns.opens() {
			words = append(words, fmt.Sprintf("%s of the script of %s", wording.Shown(x.walker.Text, ns.script[ns.next]), state.AddrOf(i)))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "declined by Opens: " + strings.Join(words, ", ")
}
