package world

import (
	"fmt"
	"math"

	"macemc/choose"
	"macemc/internal/state"
	"macemc/sim"
)

// weigh calls System.Weight for every possible event and lists the weights in es.runs.
func (es *Events) weigh(n int) {
	es.runs = es.runs[:0]
	es.asks("System.Weight")
	if es.filtered() {
		es.weighs(n, func(k int) int { return int(es.free[k]) })
	} else {
		es.weighSpans()
	}
	es.asks("")
}

// weighs appends the weights of n events to es.runs. at(k) is the index in es.spans of the k-th of them.
func (es *Events) weighs(n int, at func(k int) int) {
	for k := range n {
		var h happening
		es.find(at(k), &h)
		es.weighOne(&h.Event, h.Kind.Weight())
	}
}

// weighSpans appends the weights of all events in es.spans to es.runs. It lists tasks, datagrams and timers by
// itself, since there may be many and finding each by its index is slow.
func (es *Events) weighSpans() {
	first := 0
	for _, s := range es.spans {
		switch {
		case s.of == sectionTask:
			e, weight := sim.Event{Kind: sim.KindTask}, sim.KindTask.Weight()
			for i := range es.nodes.at {
				e.Node = state.AddrOf(i)
				tasks := es.nodes.at[i].tasks
				for k := range tasks {
					e.Value = tasks[k].signal
					es.weighOne(&e, weight)
				}
			}
		case s.of == sectionUDP:
			e, weight := sim.Event{Kind: sim.KindMessage, Link: sim.LinkUDP}, sim.KindMessage.Weight()
			l, open, n, to := es.links.UDP(), es.links.OpenUDP(), es.n, 0
			for c := open.Next(0); c >= 0; c = open.Next(c + 1) {
				for c >= (to+1)*n {
					to++
				}
				e.Node, e.From, e.Value = state.AddrOf(to), state.AddrOf(c-to*n), l.Head(c).Message
				es.weighOne(&e, weight)
			}
		case s.of == sectionTimer && es.pace == nil:
			e, weight := sim.Event{Kind: sim.KindTimer}, sim.KindTimer.Weight()
			for i := range es.nodes.at {
				e.Node = state.AddrOf(i)
				timers := es.nodes.at[i].seen.Timers[:es.fires(i)]
				for k := range timers {
					e.Value = timers[k].Signal
					es.weighOne(&e, weight)
				}
			}
		default:
			es.weighs(s.count, func(k int) int { return first + k })
		}
		first += s.count
	}
}

// weighOne appends the weight of event e to es.runs. It is the product of kind, which is the weight
// of all events of that kind, and of what System.Weight returns for e.
func (es *Events) weighOne(e *sim.Event, kind float64) {
	factor := es.sys.Weight(*e)
	if !(factor >= 0 && factor <= math.MaxFloat64) {
		es.asks("")
		panic(fmt.Sprintf("macemc: system %s: Weight of %s is %v; a weight is 0 or more, and finite", es.sys.Name, es.timers.text(*e), factor))
	}
	weight := factor * kind
	if last := len(es.runs) - 1; last >= 0 && es.runs[last].Weight == weight {
		es.runs[last].N++
		return
	}
	es.runs = append(es.runs, choose.Run{N: 1, Weight: weight})
}
