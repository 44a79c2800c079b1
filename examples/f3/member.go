package f3

import (
	"context"
	"fmt"
	"time"

	"github.com/filecoin-project/go-f3/gpbft"
	"macemc/sim"
)

// member is a node, which takes part in one instance of consensus.
type member struct {
	host        host
	participant *gpbft.Participant
	failed      string // the last error that the participant returned
}

// These are the signals: the alarm, and the messages that a member sends to itself.
type (
	alarm struct{}
	own   struct{ vote }
)

// vote is a message of the protocol. It does not change once it is sent.
type vote struct{ *gpbft.GMessage }

// String returns the vote as reports show it.
func (v vote) String() string {
	text := fmt.Sprintf("%s round %d for %s", v.Vote.Phase, v.Vote.Round, headOf(v.Vote.Value))
	if j := v.Justification; j != nil {
		text += fmt.Sprintf(" since %s round %d for %s", j.Vote.Phase, j.Vote.Round, headOf(j.Vote.Value))
	}
	return text
}

// Message returns the message of the vote. It makes vote a gpbft.ValidatedMessage, the type of
// messages that gpbft does not check again.
func (v vote) Message() *gpbft.GMessage { return v.GMessage }

var handlers = sim.Handle(
	sim.OnInit((*member).begin), sim.OnSignal((*member).alarm), sim.OnSignal((*member).own), sim.OnMessage((*member).vote),
)

// Moment returns the present time of the member. macemc compares times in its state by their distance
// from that time.
func (m *member) Moment() time.Time { return m.host.now }

func newMember(p sim.Params, self sim.Addr) *member {
	m := &member{host: host{
		id: gpbft.ActorID(self.Index()), now: time.Unix(0, 0), chain: proposal(p, self),
		members: committee(p), sent: map[gpbft.Instant]*gpbft.GMessage{},
	}}
	var err error
	m.participant, err = gpbft.NewParticipant(&m.host,
		gpbft.WithDelta(time.Second), gpbft.WithRebroadcastBackoff(1.3, 0, 3*time.Second, 30*time.Second))
	if err != nil {
		panic(err)
	}
	return m
}

func (m *member) begin(env sim.Env) {
	m.call(env, func() error { return m.participant.StartInstanceAt(0, m.host.now) })
}

func (m *member) alarm(env sim.Env, _ alarm) {
	if m.host.now.Before(m.host.alarm) {
		m.host.now = m.host.alarm
	}
	m.host.alarm = time.Time{}
	m.call(env, func() error { return m.participant.ReceiveAlarm(context.Background()) })
}

func (m *member) own(env sim.Env, o own)               { m.receive(env, o.vote) }
func (m *member) vote(env sim.Env, _ sim.Addr, v vote) { m.receive(env, v) }

func (m *member) receive(env sim.Env, v vote) {
	if m.host.decided != nil {
		return // it would belong to the instance before
	}
	m.call(env, func() error { return m.participant.ReceiveMessage(context.Background(), v) })
}

// call calls do, which calls a method of the participant. Afterwards it carries out the actions that the
// participant has asked its host for.
func (m *member) call(env sim.Env, do func() error) {
	if m.host.decided != nil {
		return // the next instance is not checked
	}
	if err := do(); err != nil {
		m.failed = err.Error()
		env.Logf("it returns: %v", err)
	}
	for _, out := range m.host.outgoing {
		env.Post(own{vote{out}})
		for _, peer := range env.Peers() {
			env.Bag().Send(peer, vote{out})
		}
	}
	m.host.outgoing = nil
	if m.host.decided != nil {
		m.host.alarm = time.Time{}
		env.Emit(decision{headOf(m.host.decided)})
	}
	if env.Cancel(alarm{}); !m.host.alarm.IsZero() {
		env.After(max(0, m.host.alarm.Sub(m.host.now)), alarm{})
	}
}
