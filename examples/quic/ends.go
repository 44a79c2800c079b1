package quic

import (
	"fmt"
	"strings"
	"time"

	"github.com/quic-go/quic-go/bridge"
	"macemc/sim"
)

// end is one end of a connection.
type end struct {
	now     time.Time
	sent    bridge.Sent
	got     bridge.Received
	flight  time.Duration // the time that an acknowledgement is under way
	queue   []int         // frames that are to be sent, or sent again
	acked   []bool        // by frame: whether it was acknowledged
	arrived []bool        // by frame: whether it has arrived
	failed  string
}

// These are the messages, and the alarm.
type (
	packet struct {
		Number bridge.Number
		Frame  int // the number of the frame, or ping
	}
	ack   struct{ Ranges string }
	alarm struct{} // the alarm of the loss detection
	pace  struct{} // the timer of the pacer
)

const ping = -1

func (p packet) String() string {
	if p.Frame == ping {
		return fmt.Sprintf("packet %d: ping", p.Number)
	}
	return fmt.Sprintf("packet %d: frame %d", p.Number, p.Frame)
}

func (a ack) String() string { return "ack " + a.Ranges }

var handlers = sim.Handle(
	sim.OnInit((*end).begin), sim.OnSignal((*end).alarm), sim.OnSignal((*end).pace), sim.OnMessage((*end).packet), sim.OnMessage((*end).ack),
)

func newEnd(frames int, flight time.Duration) *end {
	e := &end{flight: flight, now: time.Unix(1000, 0), acked: make([]bool, frames), arrived: make([]bool, frames)}
	e.sent, e.got = bridge.New()
	return e
}

// Moment returns the present time of the end. macemc compares times in its state by their distance
// from that time.
func (e *end) Moment() time.Time { return e.now }

func (e *end) begin(env sim.Env) {
	if env.Self().Index() == 0 {
		for frame := range e.acked {
			e.queue = append(e.queue, frame)
		}
		e.send(env)
	}
}

// send sends as many frames as it may, and sets the alarm.
func (e *end) send(env sim.Env) {
	for {
		frame := ping
		switch mode := e.sent.SendMode(e.now); {
		case mode == bridge.SendProbe:
			if len(e.queue) == 0 {
				bridge.Probe(e.sent)
			}
		case mode != bridge.SendAny || len(e.queue) == 0:
			e.wait(env, alarm{}, e.sent.GetLossDetectionTimeout())
			later := time.Time{}
			if mode == bridge.SendLater && len(e.queue) > 0 {
				later = e.sent.TimeUntilSend()
			}
			e.wait(env, pace{}, later)
			return
		}
		var data bridge.Frame = &bridge.Ping{}
		if len(e.queue) > 0 {
			frame, e.queue = e.queue[0], e.queue[1:]
			data = &bridge.Data{Data: []byte{byte(frame)}}
		}
		env.UDP().Send(env.Peers()[0], packet{bridge.Send(e.sent, e.now, data, fate{e}), frame})
	}
}

// wait sets the timer to fire at the time until. If until is the zero time, it cancels the timer.
func (e *end) wait(env sim.Env, timer sim.Signal, until time.Time) {
	env.Cancel(timer)
	if !until.IsZero() {
		env.After(max(0, until.Sub(e.now)), timer)
	}
}

// pass advances the time of the end to until, unless that is already past.
func (e *end) pass(until time.Time) {
	if e.now.Before(until) {
		e.now = until
	}
}

// fate is the handler that the library calls for a frame: with OnAcked once the frame is
// acknowledged, or with OnLost once it counts as lost.
type fate struct{ end *end }

func (f fate) OnAcked(frame bridge.Frame) {
	if data, is := frame.(*bridge.Data); is {
		f.end.acked[data.Data[0]] = true
	}
}

func (f fate) OnLost(frame bridge.Frame) {
	if data, is := frame.(*bridge.Data); is {
		f.end.queue = append(f.end.queue, int(data.Data[0]))
	}
}

func (e *end) alarm(env sim.Env, _ alarm) {
	e.pass(e.sent.GetLossDetectionTimeout())
	e.note(e.sent.OnLossDetectionTimeout(e.now))
	e.send(env)
}

func (e *end) pace(env sim.Env, _ pace) {
	e.pass(e.sent.TimeUntilSend())
	e.send(env)
}

func (e *end) note(err error) {
	if err != nil {
		e.failed = err.Error()
	}
}

func (e *end) packet(env sim.Env, from sim.Addr, p packet) {
	a, fresh, err := bridge.Receive(e.got, e.now, p.Number)
	e.note(err)
	if fresh && p.Frame != ping {
		e.arrived[p.Frame] = true
	}
	if a != nil {
		var ranges []string
		for _, r := range a.AckRanges {
			ranges = append(ranges, fmt.Sprintf("%d-%d", r.Smallest, r.Largest))
		}
		env.UDP().Send(from, ack{strings.Join(ranges, " ")})
	}
}

func (e *end) ack(env sim.Env, _ sim.Addr, a ack) {
	e.pass(e.now.Add(e.flight))
	f := &bridge.Ack{}
	for _, text := range strings.Fields(a.Ranges) {
		var r bridge.Range
		if _, err := fmt.Sscanf(text, "%d-%d", &r.Smallest, &r.Largest); err != nil {
			panic(err)
		}
		f.AckRanges = append(f.AckRanges, r)
	}
	e.note(bridge.Acked(e.sent, e.now, f))
	e.send(env)
}
