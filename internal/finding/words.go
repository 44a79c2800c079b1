package finding

import (
	"fmt"
	"strconv"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/kinds"
	"macemc/internal/report"
	"macemc/internal/wording"
	"macemc/trace"
)

// teller describes the events of one system in sentences, as Markdown.
type teller struct {
	walker *canon.Walker
	nodes  int
}

// event describes a step in words, as a sentence without its full stop.
func (t teller) event(s *trace.Step) string {
	e := &s.Event
	return kinds.Fill(contract.Row(e).Tells, func(gap string) string {
		switch gap {
		case "node":
			return report.Code(e.Node.String())
		case "from":
			return report.Code(e.From.String())
		case "value":
			return t.value(e.Value)
		case "identity":
			return report.Code(e.Text(t.walker.Text, t.nodes))
		default:
			return since(s, gap)
		}
	})
}

func (t teller) value(v any) string { return report.Code(wording.Shown(t.walker.Text, v)) }

// since returns a clause that names the step in which the message, timer or task that s consumes was made.
// verb says how.
func since(s *trace.Step, verb string) string {
	if len(s.Causes) > 1 {
		var steps []string
		for _, cause := range s.Causes {
			steps = append(steps, strconv.Itoa(cause))
		}
		return fmt.Sprintf(", %s in the steps %s", verb, strings.Join(steps, ", "))
	}
	switch cause := s.Cause(); {
	case cause > 0:
		return fmt.Sprintf(", %s in step %d", verb, cause)
	case cause == 0:
		return fmt.Sprintf(", %s when the node started", verb)
	default:
		return ""
	}
}

// effect describes an effect of a handler in words.
func (t teller) effect(e trace.Effect) string {
	to := report.Code(e.To.String())
	switch e.Kind {
	case trace.EffectSend:
		if e.Lost {
			return fmt.Sprintf("sends %s to %s by %s, which is lost: the channel is full", t.value(e.Value), to, e.Link)
		}
		return fmt.Sprintf("sends %s to %s by %s", t.value(e.Value), to, e.Link)
	case trace.EffectRefused:
		return fmt.Sprintf("wants to send %s to %s by %s, and is refused: the buffer is full", t.value(e.Value), to, e.Link)
	case trace.EffectAfter:
		return fmt.Sprintf("sets the timer %s", t.value(e.Value))
	case trace.EffectCancel:
		return fmt.Sprintf("stops the timer %s", t.value(e.Value))
	case trace.EffectPost:
		return fmt.Sprintf("posts the task %s", t.value(e.Value))
	case trace.EffectEmit:
		return fmt.Sprintf("emits the fact %s", t.value(e.Value))
	case trace.EffectLog:
		return "logs " + report.Code(fmt.Sprint(e.Value))
	case trace.EffectReset:
		return fmt.Sprintf("breaks its connection with %s", to)
	case trace.EffectAskClear:
		return fmt.Sprintf("asks for an event when there is room to send to %s", to)
	case trace.EffectAskFlushed:
		return "asks for an event when everything was delivered"
	case trace.EffectWrite:
		return "writes to its store: " + report.Code(fmt.Sprint(e.Value))
	case trace.EffectSync:
		return fmt.Sprintf("syncs %s", e.Value)
	case trace.EffectCrash:
		return "crashes here, before it does anything else" + survives(e.Value)
	case trace.EffectDown:
		return "goes down here for good, before it does anything else"
	default:
		panic("macemc bug: finding: no words for the effect " + e.Kind.String())
	}
}

// survives returns a clause on the data that a crash left on the disk, or "" if the crash had only one
// outcome.
func survives(told any) string {
	if told == "" {
		return ""
	}
	return "; of its disk survives " + report.Code(fmt.Sprint(told))
}

// sentence returns a text with a capital at its beginning and a full stop at its end.
func sentence(text string) string {
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text + "."
}
