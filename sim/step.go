package sim

import (
	"fmt"
	"slices"
	"time"

	"macemc/choose"
	"macemc/internal/canon"
)

// EffectKind is what a handler did.
type EffectKind uint8

// The kinds of effects.
const (
	EffectSend EffectKind = iota + 1
	EffectAfter
	EffectCancel
	EffectPost
	EffectEmit
	EffectLog
	EffectRefused // a send that the link refused
	EffectReset
	EffectAskClear
	EffectAskFlushed
	EffectWrite // to the store
	EffectSync
	EffectCrash // the node crashed here: nothing of what the handler did later happened
	EffectDown  // likewise, for good
	effectKinds
)

var effectNames = [effectKinds]string{
	EffectSend: "send", EffectAfter: "after", EffectCancel: "cancel",
	EffectPost: "post", EffectEmit: "emit", EffectLog: "log",
	EffectRefused: "refused", EffectReset: "reset",
	EffectAskClear: "request to send", EffectAskFlushed: "notify flushed",
	EffectWrite: "write", EffectSync: "sync", EffectCrash: "crash", EffectDown: "down",
}

func (k EffectKind) String() string {
	if k == 0 || k >= effectKinds {
		return fmt.Sprintf("effect %d", uint8(k))
	}
	return effectNames[k]
}

// Effect is one thing that a handler did, applied by the World when the
// handler has returned.
type Effect struct {
	Kind  EffectKind
	Link  Link          // sends
	To    Addr          // sends
	Delay time.Duration // timers
	Value any           // message, timer, task, fact, the line of a log, or what of the store, in words
	Lost  bool          // a datagram for which there was no capacity
	// Number tells a message from all others of its run, where steps are recorded. Messages
	// have numbers from 1, in the order in which they are sent; one that is in the set
	// already has the number that it has there. 0: it never was under way.
	Number int32
}

// Text is the effect as one line.
func (e Effect) Text(walker *canon.Walker) string { return e.told(walker.Text) }

func (e Effect) told(value func(any) string) string {
	switch e.Kind {
	case EffectSend:
		if e.Lost {
			return fmt.Sprintf("send %s to %s by %s: lost, the channel is full", value(e.Value), e.To, e.Link)
		}
		return fmt.Sprintf("send %s to %s by %s", value(e.Value), e.To, e.Link)
	case EffectAfter:
		return fmt.Sprintf("after %s %s", e.Delay, value(e.Value))
	case EffectCancel, EffectPost, EffectEmit:
		return fmt.Sprintf("%s %s", e.Kind, value(e.Value))
	case EffectRefused:
		return fmt.Sprintf("send %s to %s by %s: refused, the buffer is full", value(e.Value), e.To, e.Link)
	case EffectReset:
		return fmt.Sprintf("reset the connection with %s", e.To)
	case EffectAskClear:
		return fmt.Sprintf("request to send to %s", e.To)
	case EffectAskFlushed:
		return "notify when flushed"
	case EffectWrite:
		return fmt.Sprintf("%s", e.Value)
	case EffectSync:
		return fmt.Sprintf("sync %s", e.Value)
	case EffectCrash:
		if e.Value == "" {
			return "crash"
		}
		return fmt.Sprintf("crash; of the disk survives: %s", e.Value)
	case EffectDown:
		return "down"
	case EffectLog:
		return fmt.Sprintf("log %s", e.Value)
	default:
		panic(fmt.Sprintf("macemc bug: sim: no text for %s", e.Kind))
	}
}

// Fact is one question about the state that a handler asked, and its answer.
type Fact struct {
	Asked  string // "scheduled"; that a send was refused is an effect
	About  any
	Answer bool
}

// Step is an event that did happen, with all that it did.
type Step struct {
	Index    int    // 1 for the first; 0 for the starts of the nodes
	Node     Addr   // where it happened
	Event    Event  // zero for a start
	Identity string // the event's identity as text; "n0 start" for a start
	Causes   []int  // the steps that sent, scheduled or posted what was consumed; 0 is the starts
	Took     []int  // the numbers of the messages that the event took off their links, or copied: see Effect.Number
	Copy     int    // the number of the copy, of a datagram that the event has doubled
	Lost     []int  // the numbers of the messages that were lost with connections, in the event and in what its handler did
	Possible int    // how many events were possible
	Coins    []choose.Choice
	Effects  []Effect
	Facts    []Fact
	Cut      bool // the service failed within it: what it did up to there, not all of it applied
}

// Cause is the first of the Causes; -1 if there is none.
func (s *Step) Cause() int {
	if len(s.Causes) == 0 {
		return -1
	}
	return s.Causes[0]
}

// Expired reports whether a timer fired in the step, and was not set again.
func (s *Step) Expired() bool {
	return s.Event.Kind == KindTimer && !slices.ContainsFunc(s.Effects, func(e Effect) bool {
		return e.Kind == EffectAfter && e.Value == s.Event.Value
	})
}

// Fails reports whether the node fails in the step: as the event, or in the middle
// of what its handler did.
func (s *Step) Fails() bool {
	return s.Event.Kind == KindCrash || s.Event.Kind == KindDown || s.Event.Leaves() ||
		slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Kind == EffectCrash || e.Kind == EffectDown })
}

// Trace is what came out of a run: the starts of the nodes, then the steps.
type Trace struct {
	Starts []Step
	Steps  []Step
}
