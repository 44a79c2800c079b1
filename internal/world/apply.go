package world

import (
	"fmt"

	"macemc/netsim"
	"macemc/sim"
)

// apply carries out the effects of the handler that ran on node i.
func (w *World) apply(i int) {
	timers := w.Run.did.Timers()
	if w.auditing {
		w.audit.checkHanded()
	}
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
			w.Links.reset(i, e.To.Index())
		case sim.EffectAskClear:
			c := w.Links.tcp.Channel(i, e.To.Index())
			w.Links.tcp.AskClear(c)
			w.Links.oneEnd(c)
			if w.cover != nil {
				w.cover.kinds[sim.KindClear].can(1)
			}
		case sim.EffectAskFlushed:
			w.Links.tcp.AskFlushed(i)
			if w.cover != nil {
				w.cover.kinds[sim.KindFlushed].can(1)
			}
		case sim.EffectRefused:
			if w.cover != nil {
				w.cover.turnedAway()
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
	p := netsim.Packet{Message: e.Value, Origin: w.Run.origin()}
	switch {
	case w.auditing:
		p.Sum = w.audit.tell(e.Value)
	case e.Link == sim.LinkSet, e.Link == sim.LinkBag:
		p.Sum = w.sum(e.Value)
	}
	if w.cover != nil {
		w.cover.of(e.Value).of[sim.KindMessage].can(1)
	}
	if e.Number = w.Links.send(e.Link, i, to, p); e.Number == 0 {
		e.Lost = true
		if w.cover != nil {
			w.cover.overflowed()
		}
	}
}

func (w *World) emit(i int, fact any) {
	if w.cover != nil {
		w.cover.emitted()
	}
	for k := range w.Judge.monitors {
		if w.auditing {
			w.audit.monitors()
		}
		err := w.Judge.tell(k, i, fact)
		if w.auditing {
			w.audit.remember(k)
		}
		if err != nil {
			w.Run.finds(w.Run.fail(sim.VerdictSafety, w.Judge.monitors[k].Name, err.Error()))
		}
		w.sums.Touch(w.sums.Monitor(k))
	}
}
