package live

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"macemc/internal/canon"
	"macemc/internal/record"
	"macemc/internal/sight"
	"macemc/sim"
	"macemc/trace"
)

// underway has the messages that were sent and not delivered, according to the records. A
// message is removed when its loss is reported to its sender. The loss of a datagram is
// not reported; one that has not arrived for a second counts as lost.
type underway struct{ lanes map[lane][]wayfarer }

// lane is the direction of a link from one node to another.
type lane struct {
	link     sim.Link
	to, from int
}

type wayfarer struct {
	life, serial uint64
	at           int64 // when it was sent, by the sender's clock
	message      sim.Message
	sum          canon.Hash // for a message of a set: its identity
}

const lostAfter = int64(time.Second)

// step removes the message that step s of node i delivered, and adds those that it sent.
// at is the time of the step.
func (u *underway) step(i int, n *mirror, s *record.Step, at int64) {
	e := &s.Event
	switch {
	case e.Kind == sim.KindMessage && e.Link != sim.LinkSet: // what is in a set stays there
		l := lane{e.Link, i, e.From.Index()}
		u.lanes[l] = slices.DeleteFunc(u.lanes[l], func(w wayfarer) bool { return w.life == e.Life && w.serial == e.Serial })
	case e.Kind == sim.KindError || e.Kind == sim.KindRefused:
		delete(u.lanes, lane{sim.LinkTCP, e.From.Index(), i})
	}
	serial := s.Sends
	effects := n.m.step.Effects()
	for k := range effects {
		if effects[k].Kind == trace.EffectSend {
			serial--
		}
	}
	for k := range effects {
		f := &effects[k]
		switch f.Kind {
		case trace.EffectReset:
			delete(u.lanes, lane{sim.LinkTCP, f.To.Index(), i})
		case trace.EffectSend:
			serial++
			l := lane{f.Link, f.To.Index(), i}
			w := wayfarer{life: n.life, serial: serial, at: at, message: f.Value}
			if f.Link == sim.LinkSet {
				w.sum, _ = n.m.walker.Sum(f.Value)
				if slices.ContainsFunc(u.lanes[l], func(o wayfarer) bool { return o.sum == w.sum }) {
					continue
				}
			}
			u.lanes[l] = append(u.lanes[l], w)
		}
	}
}

// forget removes the messages that node i has sent. It is dead, and they are lost with
// its process.
func (u *underway) forget(i int) {
	for l := range u.lanes {
		if l.from == i {
			delete(u.lanes, l)
		}
	}
}

// all yields the messages that are under way at the time now, in the order of
// sight.Runtime. It yields messages of sets only if sets is true.
func (u *underway) all(now int64, sets bool) iter.Seq[sight.Sent] {
	return func(yield func(sight.Sent) bool) {
		var lanes []lane
		for l := range u.lanes {
			lanes = append(lanes, l)
		}
		slices.SortFunc(lanes, func(a, b lane) int {
			return cmp.Or(cmp.Compare(a.link, b.link), cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from))
		})
		for _, l := range lanes {
			if l.link == sim.LinkUDP {
				u.lanes[l] = slices.DeleteFunc(u.lanes[l], func(w wayfarer) bool { return now-w.at > lostAfter })
			}
			for _, w := range u.lanes[l] {
				if (l.link != sim.LinkSet || sets) && !yield(sight.Sent{From: l.from, To: l.to, Link: uint8(l.link), Message: w.message}) {
					return
				}
			}
		}
	}
}
