package history

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"

	"macemc/sim"
)

// never is the output of an operation that did not return. It matches any output.
type never struct{}

// converted returns the model in porcupine's form.
func (m Model) converted() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return m.init },
		Step: func(state, input, output any) (bool, any) {
			next, out, can := m.apply(state, input)
			if !can {
				// It has to wait. An operation that never returned may as well not have
				// happened.
				return output == never{}, state
			}
			return output == never{} || out == output, next
		},
		DescribeOperation: func(input, output any) string {
			if (output == never{}) {
				return plain.Replace(word(input)) + " never returns"
			}
			if output == nil {
				return plain.Replace(word(input))
			}
			return plain.Replace(word(input) + ": " + word(output))
		},
		DescribeState: func(state any) string { return plain.Replace(word(state)) },
	}
}

// plain replaces the characters of a value that the HTML page of porcupine would take for markup.
var plain = strings.NewReplacer("<", "\u2039", ">", "\u203a", "&", "+", `"`, "'")

// tale is the history of one object, in porcupine's form.
type tale struct {
	events  []porcupine.Event
	pending map[caller]int
	last    int
}

// call adds an operation that begins.
func (t *tale) call(who caller, input any) {
	t.last++
	t.pending[who] = t.last
	t.events = append(t.events, porcupine.Event{ClientId: who.at.Index(), Kind: porcupine.CallEvent, Value: input, Id: t.last})
}

// returns ends the operation of a caller, if the caller has one on this object.
func (t *tale) returns(who caller, output any) {
	if id, is := t.pending[who]; is {
		delete(t.pending, who)
		t.events = append(t.events, porcupine.Event{ClientId: who.at.Index(), Kind: porcupine.ReturnEvent, Value: output, Id: id})
	}
}

// tales returns the histories of all objects, in the order of their first calls.
func tales(m Model, facts []sim.Emitted) (list []*tale) {
	of := map[object]*tale{}
	for _, f := range facts {
		if !m.about(f.Fact) {
			continue
		}
		switch fact := f.Fact.(type) {
		case called:
			key := object{name: fact.Object}
			if m.part != nil {
				key.part = m.part(fact.Input)
			}
			t := of[key]
			if t == nil {
				t = &tale{pending: map[caller]int{}}
				of[key] = t
				list = append(list, t)
			}
			for other, t := range of {
				if other.name == fact.Object {
					delete(t.pending, caller{f.At, fact.ID})
				}
			}
			t.call(caller{f.At, fact.ID}, fact.Input)
		case returned:
			for key, t := range of {
				if key.name == fact.Object {
					t.returns(caller{f.At, fact.ID}, fact.Output)
				}
			}
		}
	}
	for _, t := range list {
		t.end()
	}
	return list
}

// end completes the history for porcupine: for each operation that did not return, it adds a return
// at the end, with the output never.
func (t *tale) end() {
	open := map[int]int{} // the number of the client that runs each operation
	for _, e := range t.events {
		if e.Kind == porcupine.CallEvent {
			open[e.Id] = e.ClientId
		} else {
			delete(open, e.Id)
		}
	}
	for _, id := range sim.Keys(open) {
		t.events = append(t.events, porcupine.Event{ClientId: open[id], Kind: porcupine.ReturnEvent, Value: never{}, Id: id})
	}
}

// picture returns a page that shows the history of the first object that porcupine finds
// not linearizable, or nil if all are.
func picture(m Model, facts []sim.Emitted) ([]byte, error) {
	for _, t := range tales(m, facts) {
		model := m.converted()
		result, info := porcupine.CheckEventsVerbose(model, t.events, 0)
		if result != porcupine.Illegal {
			continue
		}
		var page bytes.Buffer
		if err := porcupine.Visualize(model, info, &page); err != nil {
			return nil, fmt.Errorf("porcupine's picture of a history: %w", err)
		}
		return page.Bytes(), nil
	}
	return nil, nil
}
