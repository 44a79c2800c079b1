package world

import (
	"fmt"

	"macemc/netsim"
	"macemc/sim"
)

// apply carries out the effects of the handler that ran on node i.
func (w *World) apply(i int) {
	timers := w.Run.did.Timers()
	w.audit.checkHanded()
	effects := w.Run.Effects()
	for k := range effects {
		e := &effects[k]
		switch e.Kind {
		case sim.EffectSend:
			w.send(i, e)
		case sim.EffectAfter:
			w.nodes.arm(i, timers[0].Timer, timers[0].Due)
			timers = timers[1:]
		case sim.EffectCancel:
			w.nodes.disarm(i, timers[0].Timer)
			timers = timers[1:]
		case sim.EffectPost:
			w.nodes.post(i, e.Value)
		case sim.EffectEmit:
			w.emit(i, e.Value)
		case sim.EffectReset:
			w.Links.tcp.Close(i, e.To.Index())
			w.Links.disturbed = true
			w.Links.bothEnds(w.Links.tcp.Channel(i, e.To.Index()))
		case sim.EffectAskClear:
			c := w.Links.tcp.Channel(i, e.To.Index())
			w.Links.tcp.AskClear(c)
			w.Links.bothEnds(c)
			if w.cover != nil {
				w.cover.kinds[sim.KindClear].possible++
			}
		case sim.EffectAskFlushed:
			w.Links.tcp.AskFlushed(i)
			if w.cover != nil {
				w.cover.kinds[sim.KindFlushed].possible++
			}
		case sim.EffectRefused:
			if w.cover != nil {
				w.cover.refused++
			}
		case sim.EffectCrash:
			w.disks.cutShort(i, lifeAway)
		case sim.EffectDown:
			w.disks.cutShort(i, lifeGone)
		case sim.EffectWrite, sim.EffectSync, sim.EffectLog:
		default:
			panic(fmt.Sprintf("macemc bug: sim: cannot apply %s", e.Kind))
		}
	}
}

func (w *World) send(i int, e *sim.Effect) {
	to := e.To.Index()
	p := netsim.Packet{Message: e.Value, Step: int32(w.Run.step)}
	switch {
	case w.auditing:
		p.Sum = w.audit.tell(e.Value)
	case e.Link == sim.LinkSet, e.Link == sim.LinkBag:
		p.Sum = w.sum(e.Value)
	}
	w.Links.used[e.Link] = true
	if w.cover != nil {
		w.cover.of(e.Value).of[sim.KindMessage].possible++
	}
	switch e.Link {
	case sim.LinkTCP:
		c := w.Links.tcp.Channel(i, to)
		w.Links.tcp.Push(c, p)
		w.sums.tcp(c)
	case sim.LinkUDP:
		c := w.Links.udp.Channel(i, to)
		if len(w.Links.udp.Packets(c)) >= w.Links.net.UDPCapacity {
			e.Lost = true
			if w.cover != nil {
				w.cover.overflows++
			}
			return
		}
		w.Links.udp.Push(c, p)
		w.sums.udp(c)
	case sim.LinkSet:
		if w.Links.set.Add(i, to, p) {
			w.sums.set(to)
		}
	case sim.LinkBag:
		w.Links.set.Put(i, to, p)
		w.sums.set(to)
	default:
		panic(fmt.Sprintf("macemc bug: sim: cannot send by %s", e.Link))
	}
	w.Links.dirty |= 1 << to
}

func (w *World) emit(i int, fact any) {
	if w.cover != nil {
		w.cover.facts++
	}
	for k := range w.Judge.monitors {
		m := &w.Judge.monitors[k]
		if w.auditing {
			w.audit.monitors()
		}
		w.Judge.telling = m
		err := m.Observe(i, fact)
		w.Judge.telling = nil
		if w.auditing {
			w.audit.remember(k)
		}
		if err != nil {
			if w.Run.failure == nil {
				w.Run.failed(w.Run.fail(sim.VerdictSafety, m.Name, err.Error()))
			}
		}
		w.sums.rest()
	}
}
