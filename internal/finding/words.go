package finding

import (
	"fmt"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/report"
	"macemc/sim"
)

// teller tells the events of one system in sentences of Markdown.
type teller struct {
	walker *canon.Walker
	nodes  int
}

// Event says what happened in a step, without a full stop.
func (t teller) event(s *sim.Step) string {
	e := &s.Event
	node, from := report.Code(e.Node.String()), report.Code(e.From.String())
	switch e.Kind {
	case sim.KindScript:
		return fmt.Sprintf("the application asks %s for %s", node, t.value(e.Value))
	case sim.KindAction:
		return fmt.Sprintf("%s takes its action %s", node, t.value(e.Value))
	case sim.KindTask:
		return fmt.Sprintf("%s does its task %s%s", node, t.value(e.Value), since(s, "posted"))
	case sim.KindTimer:
		return fmt.Sprintf("the timer %s of %s fires%s", t.value(e.Value), node, since(s, "set"))
	case sim.KindMessage:
		return fmt.Sprintf("%s receives %s from %s%s", node, t.value(e.Value), from, since(s, "sent"))
	case sim.KindClear:
		return fmt.Sprintf("%s has room again to send to %s", node, from)
	case sim.KindFlushed:
		return fmt.Sprintf("everything that %s sent was handed over", node)
	case sim.KindError:
		return fmt.Sprintf("%s hears that its connection with %s broke", node, from)
	case sim.KindRefused:
		if e.Link == sim.LinkTCP {
			return fmt.Sprintf("%s hears that %s refuses the connection", node, from)
		}
		return fmt.Sprintf("%s from %s does not reach %s%s", t.value(e.Value), from, node, since(s, "sent"))
	case sim.KindBreak:
		return fmt.Sprintf("%s gives the connection with %s up, across the partition", node, from)
	case sim.KindMend:
		return "the partition ends"
	case sim.KindRestart:
		return fmt.Sprintf("%s starts again", node)
	case sim.KindCrash:
		return fmt.Sprintf("%s crashes; it may start again", node)
	case sim.KindDown:
		return fmt.Sprintf("%s fails for good", node)
	case sim.KindReset:
		return fmt.Sprintf("the connection between %s and %s breaks", node, from)
	case sim.KindLose:
		return fmt.Sprintf("the network loses %s from %s to %s%s", t.value(e.Value), from, node, since(s, "sent"))
	case sim.KindDuplicate:
		return fmt.Sprintf("the network duplicates %s from %s to %s%s", t.value(e.Value), from, node, since(s, "sent"))
	case sim.KindReorder:
		return fmt.Sprintf("%s receives %s from %s before older ones%s", node, t.value(e.Value), from, since(s, "sent"))
	case sim.KindPartition, sim.KindOneWay:
		return "the network is cut: " + report.Code(e.Text(t.walker, t.nodes))
	case sim.KindHeal:
		return "the environment heals: partitions end, and no more faults happen"
	default:
		panic("macemc bug: finding: no words for a " + e.Kind.String())
	}
}

func (t teller) value(v any) string { return report.Code(t.walker.Text(v)) }

// since is when what is consumed was made.
func since(s *sim.Step, verb string) string {
	switch {
	case s.Cause > 0:
		return fmt.Sprintf(", %s in step %d", verb, s.Cause)
	case s.Cause == 0:
		return fmt.Sprintf(", %s when the node started", verb)
	default:
		return ""
	}
}

// effect says what a handler did.
func (t teller) effect(e sim.Effect) string {
	to := report.Code(e.To.String())
	switch e.Kind {
	case sim.EffectSend:
		if e.Lost {
			return fmt.Sprintf("sends %s to %s by %s, which is lost: the channel is full", t.value(e.Value), to, e.Link)
		}
		return fmt.Sprintf("sends %s to %s by %s", t.value(e.Value), to, e.Link)
	case sim.EffectRefused:
		return fmt.Sprintf("wants to send %s to %s by %s, and is refused: the buffer is full", t.value(e.Value), to, e.Link)
	case sim.EffectAfter:
		return fmt.Sprintf("sets the timer %s", t.value(e.Value))
	case sim.EffectCancel:
		return fmt.Sprintf("stops the timer %s", t.value(e.Value))
	case sim.EffectPost:
		return fmt.Sprintf("posts the task %s", t.value(e.Value))
	case sim.EffectEmit:
		return fmt.Sprintf("emits the fact %s", t.value(e.Value))
	case sim.EffectLog:
		return "logs " + report.Code(fmt.Sprint(e.Value))
	case sim.EffectReset:
		return fmt.Sprintf("breaks its connection with %s", to)
	case sim.EffectAskClear:
		return fmt.Sprintf("asks to be told of room to send to %s", to)
	case sim.EffectAskFlushed:
		return "asks to be told when everything is handed over"
	default:
		panic("macemc bug: finding: no words for the effect " + e.Kind.String())
	}
}

// sentence makes a sentence of its parts: a capital, a full stop.
func sentence(text string) string {
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text + "."
}
