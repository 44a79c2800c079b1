package trace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"macemc/choose"
	"macemc/internal/wording"
	"macemc/sim"
)

// EffectKind is the kind of an Effect.
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
	EffectWrite // a write to the store
	EffectSync
	EffectCrash // the node crashed here; later effects of the handler did not happen
	EffectDown  // the node failed here for good; later effects of the handler did not happen
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

// Effect is one thing that a handler did. The effects of a handler are applied after it has
// returned.
type Effect struct {
	Kind  EffectKind
	Link  sim.Link      // for a send: the link
	To    sim.Addr      // for a send: the receiver
	Delay time.Duration // for a timer: its duration
	Value any           // the message, timer, task, fact, or line of a log; for the store, a description of the write
	Lost  bool          // the datagram was lost because its channel was full
	// Number identifies a message in its run, if steps are recorded. Messages are numbered from 1
	// in the order in which they are sent. If the same message is already in the set, it keeps its
	// number. 0 means that the message was never under way.
	Number int32
}

// Text returns the effect as one line. It calls value to get the text of the effect's Value.
func (e Effect) Text(value func(any) string) string {
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

// Fact is a question that a handler asked about the state, and the answer.
type Fact struct {
	Asked  string // the kind of question: "scheduled", or "whether" for a comparison of times; a refused send is an effect and not a fact
	About  any
	Answer bool
}

// Step is an event that happened, with everything that it did.
type Step struct {
	Index    int       // the number of the step, from 1; 0 for the starts of the nodes
	Node     sim.Addr  // the node where it happened
	Event    sim.Event // the event; zero for a start
	Identity string    // the event's identity as text; "n0 start" for a start
	Causes   []int     // the steps that sent, scheduled or posted the message, timer or task of the event; 0 stands for the starts
	Took     []int     // the numbers of the messages that the event took off their links, or copied: see Effect.Number
	Copy     int       // the number of the copy, if the event duplicated a datagram
	Lost     []int     // the numbers of the messages that were lost with connections in this step
	Possible int       // the number of events that were possible
	Spent    []int     // the budgets of the faults that happened as the event or within the step, once for each fault: see sim.Faults.Budget
	Coins    []choose.Choice
	Effects  []Effect
	Facts    []Fact
	Cut      bool // the service failed in the step: Effects lists what it did until then, and not all of that was applied
}

// crashWithin is a part of the text of the coin by which a run decides whether a node crashes within
// a step. The text that follows it says how much of the step happens before the crash.
const crashWithin = " crash within the step: "

// CrashedWithin returns how much of the step happened before its node crashed within it, such as
// "after effect 2, sync log", or "" if the node did not. The handler's later calls had no effect.
func (s *Step) CrashedWithin() string {
	for _, c := range s.Coins {
		if _, after, is := strings.Cut(c.What, crashWithin); is && c.Pick != 0 {
			return after
		}
	}
	return ""
}

// Cause returns the first of the Causes, or -1 if there is none.
func (s *Step) Cause() int {
	if len(s.Causes) == 0 {
		return -1
	}
	return s.Causes[0]
}

// Expired reports whether a timer fired in the step and was not set again.
func (s *Step) Expired() bool {
	return s.Event.Kind == sim.KindTimer && !slices.ContainsFunc(s.Effects, func(e Effect) bool {
		return e.Kind == EffectAfter && e.Value == s.Event.Value
	})
}

// Fails reports whether the node fails in the step, either as the event itself or in the
// middle of its handler.
func (s *Step) Fails() bool {
	return s.Event.Kind.Fails() || s.Event.Leaves() ||
		slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Kind == EffectCrash || e.Kind == EffectDown })
}

// Trace is the result of a run: the starts of the nodes, then the steps.
type Trace struct {
	Starts    []Step
	Steps     []Step
	Byzantine []sim.Byzantine // the nodes that do not keep to the protocol
}

// Facts returns the facts that the nodes emitted, in order. A nil Trace has none.
func (t *Trace) Facts() (facts []sim.Emitted) {
	if t == nil {
		return nil
	}
	for _, list := range [2][]Step{t.Starts, t.Steps} {
		for _, s := range list {
			for _, e := range s.Effects {
				if e.Kind == EffectEmit {
					facts = append(facts, sim.Emitted{At: s.Node, Step: s.Index, Fact: e.Value})
				}
			}
		}
	}
	return facts
}

// Shown returns the text of the step's event for people. It is the event's identity, in which the
// value is written by its String method, if it has one, and otherwise by text.
func (s *Step) Shown(text func(any) string) string {
	return wording.ShownEvent(text, s.Identity, s.Event)
}

// Shown returns the effect in the form for people, with values written as by Step.Shown.
func (e Effect) Shown(text func(any) string) string {
	return e.Text(func(v any) string { return wording.Shown(text, v) })
}
