package verify

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"macemc/internal/known"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// is reports whether c describes the critical step of finding f.
func is(f *search.Finding, p sim.Params, c known.Critical) bool {
	at := f.Critical.Step
	if at == 0 || c.Kind == 0 {
		return at == 0 && c.Kind == 0
	}
	if f.Trace == nil || at > len(f.Trace.Steps) {
		return false
	}
	step := &f.Trace.Steps[at-1]
	if c.Refused != "" && !slices.ContainsFunc(step.Effects, func(e trace.Effect) bool {
		return e.Kind == trace.EffectRefused && kindOf(e.Value) == c.Refused
	}) {
		return false
	}
	e := step.Event
	return e.Kind == c.Kind && kindOf(e.Value) == c.Message && plays(f.Trace.Steps[:at-1], e.Node, p, c.Role)
}

// kindOf returns the name of the type of a message or signal.
func kindOf(value any) string {
	if value == nil {
		return ""
	}
	return reflect.TypeOf(value).Name()
}

// plays reports whether a node has a role, such as known.Restarted, after the steps in
// before.
func plays(before []trace.Step, node sim.Addr, p sim.Params, role known.Role) bool {
	switch role {
	case known.Anyone:
		return true
	case known.First:
		return node == p.Addr(0)
	case known.Other:
		return !node.IsZero() && node != p.Addr(0)
	case known.Restarted:
		for _, s := range before {
			if s.Event.Kind == sim.KindRestart && s.Node == node {
				return true
			}
		}
		return false
	default:
		panic(fmt.Sprintf("macemc bug: verify: no role %q", role))
	}
}

func told(c *search.Critical) string {
	if c.Step == 0 {
		return "the start"
	}
	return fmt.Sprintf("step %d, %s", c.Step, c.Event)
}

func either(all []known.Critical) string {
	var texts []string
	for _, c := range all {
		texts = append(texts, c.String())
	}
	return strings.Join(texts, ", or ")
}
