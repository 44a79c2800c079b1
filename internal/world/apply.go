package world

import (
	"fmt"
	"slices"

	"macemc/internal/canon"
	"macemc/netsim"
	"macemc/sim"
)

// apply carries out the effects of the handler that ran on node i.
func (w *World) apply(i int) {
	timers := w.clocked
	w.audit.checkHanded(w)
	for k := range w.effects {
		e := &w.effects[k]
		switch e.Kind {
		case sim.EffectSend:
			w.send(i, e)
		case sim.EffectAfter:
			w.arm(i, timers[0])
			timers = timers[1:]
		case sim.EffectCancel:
			w.disarm(i, timers[0].timer)
			timers = timers[1:]
		case sim.EffectPost:
			w.post(i, e.Value)
		case sim.EffectEmit:
			w.emit(i, e.Value)
		case sim.EffectReset:
			w.links.tcp.Close(i, e.To.Index())
			w.links.disturbed = true
			w.bothEnds(w.links.tcp.Channel(i, e.To.Index()))
		case sim.EffectAskClear:
			c := w.links.tcp.Channel(i, e.To.Index())
			w.links.tcp.AskClear(c)
			w.bothEnds(c)
			if w.cover != nil {
				w.cover.kinds[sim.KindClear].possible++
			}
		case sim.EffectAskFlushed:
			w.links.tcp.AskFlushed(i)
			if w.cover != nil {
				w.cover.kinds[sim.KindFlushed].possible++
			}
		case sim.EffectRefused:
			if w.cover != nil {
				w.cover.refused++
			}
		case sim.EffectCrash:
			w.cutShort(i, lifeAway)
		case sim.EffectDown:
			w.cutShort(i, lifeGone)
		case sim.EffectWrite, sim.EffectSync, sim.EffectLog:
		default:
			panic(fmt.Sprintf("macemc bug: sim: cannot apply %s", e.Kind))
		}
	}
}

func (w *World) send(i int, e *sim.Effect) {
	to := e.To.Index()
	p := netsim.Packet{Message: e.Value, Step: int32(w.step)}
	switch {
	case w.audit.on:
		p.Sum = w.audit.tell(w, e.Value)
	case e.Link == sim.LinkSet, e.Link == sim.LinkBag:
		p.Sum = w.sum(e.Value)
	}
	w.links.used[e.Link] = true
	if w.cover != nil {
		w.cover.of(e.Value).of[sim.KindMessage].possible++
	}
	switch e.Link {
	case sim.LinkTCP:
		c := w.links.tcp.Channel(i, to)
		w.links.tcp.Push(c, p)
		w.sums.tcp(c)
	case sim.LinkUDP:
		c := w.links.udp.Channel(i, to)
		if len(w.links.udp.Packets(c)) >= w.links.net.UDPCapacity {
			e.Lost = true
			if w.cover != nil {
				w.cover.overflows++
			}
			return
		}
		w.links.udp.Push(c, p)
		w.sums.udp(c)
	case sim.LinkSet:
		if w.links.set.Add(i, to, p) {
			w.sums.set(to)
		}
	case sim.LinkBag:
		w.links.set.Put(i, to, p)
		w.sums.set(to)
	default:
		panic(fmt.Sprintf("macemc bug: sim: cannot send by %s", e.Link))
	}
	w.links.dirty |= 1 << to
}

// sum is a value's identity; a value that cannot be walked stops the run.
func (w *World) sum(v any) canon.Hash {
	h, err := w.walker.Sum(v)
	if err != nil {
		panic(unsupported(err.Error()))
	}
	return h
}

func (w *World) post(i int, task sim.Signal) {
	ns := &w.nodes[i]
	if w.cover != nil {
		w.cover.of(task).of[sim.KindTask].possible++
	}
	sum, at := w.sum(task), 0
	for at < len(ns.tasks) && netsim.CompareSums(ns.tasks[at].sum, sum) < 0 {
		at++
	}
	if at < len(ns.tasks) && ns.tasks[at].sum == sum {
		ns.tasks[at].count++
		return
	}
	ns.tasks = slices.Insert(ns.tasks, at, posted{task, sum, 1, int32(w.step)})
	w.tasks++
}

func (w *World) emit(i int, fact any) {
	if w.cover != nil {
		w.cover.facts++
	}
	for k := range w.monitors {
		m := &w.monitors[k]
		if w.audit.on {
			w.checkMonitors()
		}
		w.telling = m
		err := m.Observe(i, fact)
		w.telling = nil
		if w.audit.on {
			w.audit.remember(w, k)
		}
		if err != nil {
			if w.failure == nil {
				w.failure = w.fail(sim.VerdictSafety, m.Name, err.Error())
			}
		}
		w.sums.rest()
	}
}
