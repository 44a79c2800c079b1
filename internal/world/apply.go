package world

import (
	"fmt"

	"macemc/netsim"
	"macemc/sim"
	"macemc/trace"
)

// apply carries out the effects of the handler that ran on node i.
func (w *World) apply(i int) {
	timers := w.Run.did.Timers()
	effects := w.Run.Effects()
	if w.audit != nil {
		w.audit.CheckHanded(effects)
	}
	if len(effects) > 0 { // a message may point into the node
		w.nodes.at[i].sheds()
	}
	for k := range effects {
		e := &effects[k]
		switch e.Kind {
		case trace.EffectSend:
			w.send(i, e)
		case trace.EffectAfter:
			w.nodes.arm(i, timers[0].Timer, timers[0].Due)
			timers = timers[1:]
		case trace.EffectCancel:
			w.nodes.disarm(i, timers[0].Timer)
			timers = timers[1:]
		case trace.EffectPost:
			w.nodes.post(i, e.Value)
		case trace.EffectEmit:
			w.emit(i, e.Value)
		case trace.EffectReset:
			w.Links.Reset(i, e.To.Index())
		case trace.EffectAskClear:
			w.Links.AskClear(i, e.To.Index())
			if w.cover != nil {
				w.cover.Possible(sim.KindClear, 1)
			}
		case trace.EffectAskFlushed:
			w.Links.AskFlushed(i)
			if w.cover != nil {
				w.cover.Possible(sim.KindFlushed, 1)
			}
		case trace.EffectRefused:
			if w.cover != nil {
				w.cover.Refused()
			}
		case trace.EffectCrash:
			w.disks.cutShort(i, lifeAway)
		case trace.EffectDown:
			w.disks.cutShort(i, lifeGone)
		case trace.EffectWrite, trace.EffectSync, trace.EffectLog:
		default:
			panic(fmt.Sprintf("macemc bug: sim: cannot apply %s", e.Kind))
		}
	}
}

func (w *World) send(i int, e *trace.Effect) {
	to := e.To.Index()
	p := netsim.Packet{Message: e.Value, Origin: netsim.Origin{Step: int32(w.Run.step)}}
	switch {
	case w.audit != nil:
		p.Sum = w.audit.Tell(e.Value)
	case e.Link == sim.LinkSet, e.Link == sim.LinkBag:
		p.Sum = w.sum(e.Value)
	}
	if w.cover != nil {
		w.cover.Offered(sim.KindMessage, e.Value)
	}
	if e.Number = w.Links.Send(e.Link, i, to, p); e.Number == 0 {
		e.Lost = true
		if w.cover != nil {
			w.cover.Overflow()
		}
	}
}

func (w *World) emit(i int, fact any) {
	if w.cover != nil {
		w.cover.Emitted()
	}
	for k := range w.Judge.Monitors() {
		if w.audit != nil {
			w.audit.CheckMonitors(w.Run.acting)
		}
		cold, err := w.Judge.Observe(k, i, fact)
		if cold >= 0 {
			w.Run.cools(cold)
		}
		if w.audit != nil {
			w.audit.Remember(k)
		}
		if err != nil {
			w.Run.finds(w.Run.fail(trace.VerdictSafety, w.Judge.Monitors()[k].Name, err.Error()))
		}
		w.sums.Touch(w.sums.Monitor(k))
	}
}
