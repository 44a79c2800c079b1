package world

import (
	"fmt"
	"strings"

	"macemc/choose"
	"macemc/sim"
)

// Action returns a name for the message, task or timer that the k-th possible event consumes. For a channel
// the name stands for whatever message comes next on it. must says that a fair run takes the event if it
// stays possible for ever. Action may be called after Count.
func (es *Events) Action(k int) (name string, must bool) {
	if es.Rare(k) {
		return "", false
	}
	e, _ := es.event(k)
	return action(e, es.timers.text)
}

// LastAction returns for the event of the last step what Events.Action returns for a possible event. The
// event must not have been rare.
func (r *Run) LastAction() (name string, must bool) {
	return action(r.current.Event, func(sim.Event) string { return r.identity() })
}

func action(e sim.Event, identity func(sim.Event) string) (name string, must bool) {
	switch {
	case e.Kind == 0 || e.Kind.Fault() || e.Kind == sim.KindHeal || e.Kind == sim.KindScript || e.Kind == sim.KindAction:
		return "", false
	case e.Kind == sim.KindMessage && (e.Link == sim.LinkTCP || e.Link == sim.LinkUDP):
		return fmt.Sprint("the next message from ", e.From, " to ", e.Node, " by ", e.Link), true
	}
	return identity(e), true
}

// FairCoins calls yield for each coin of the last step whose purpose is listed in System.Fair. choice is
// the index of that purpose in System.Fair.
func (r *Run) FairCoins(yield func(choice int, coin choose.Choice)) {
	for _, c := range r.coins {
		for k, why := range r.sys.Fair {
			if strings.HasPrefix(c.What, why+": ") {
				yield(k, c)
			}
		}
	}
}
