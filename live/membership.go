package live

import (
	"errors"
	"math/rand/v2"
	"time"

	"macemc/internal/record"
	"macemc/sim"
)

// membership records whether a node has joined or left, for nodes whose scripts have a Join or a Leave.
type membership struct {
	late bool      // it has yet to join
	left bool      // it has left for good
	turn time.Time // the earliest time of the first entry of its script; the zero time if it is not drawn yet
}

// errLeft is the error of killing or starting a node that has left.
var errLeft = errors.New("the node has left for good")

// late reports whether a node with this script has to join first.
func late(script []sim.Signal) bool {
	if len(script) == 0 {
		return false
	}
	_, is := script[0].(sim.Join)
	return is
}

// waits reports whether s, the next entry of the script, has to wait, and until when. Only a Join or a Leave
// waits: when it becomes the next entry, waits chooses a random time for it, between now and most after now.
func (m *membership) waits(s sim.Signal, now time.Time, dice *rand.Rand, most time.Duration) (until time.Time, is bool) {
	switch s.(type) {
	case sim.Join, sim.Leave:
	default:
		return until, false
	}
	if m.turn.IsZero() {
		m.turn = now.Add(time.Duration(dice.Int64N(int64(most) + 1)))
	}
	return m.turn, now.Before(m.turn)
}

// stepped updates the membership after the step of event e.
func (m *membership) stepped(e *record.Event) {
	switch {
	case of(e).Joins():
		m.late, m.turn = false, time.Time{}
	case of(e).Leaves():
		m.left = true
	}
}

// An event is the next one that a node handles.
type event struct {
	record.Event
	came time.Time // the time since which it has waited; zero if it did not wait
}

func of(e *record.Event) sim.Event { return sim.Event{Kind: e.Kind, Value: e.Value} }
