package merge

import (
	"fmt"

	"macemc/internal/record"
	"macemc/sim"
	"macemc/trace"
)

func (m *merger) differ(format string, args ...any) {
	m.out.Differences = append(m.out.Differences, fmt.Sprintf(format, args...))
}

// knot explains why the entries of the nodes cannot be put in an order.
const knot = "the steps of the nodes have no order in which a connection breaks at both ends at once and a send is refused only if there is no room; docs/live.md explains these differences"

// part ends the path, since the simulation cannot do what the record of the i-th node says next. The text
// describes the difference, which the result then lists.
func (m *merger) part(i int, format string, args ...any) {
	m.stopped = true
	m.out.Parted = true
	text := fmt.Sprintf("n%d, entry %d: %s", i, m.nodes[i].at+1, fmt.Sprintf(format, args...))
	if m.knotted {
		text += "; " + knot
	}
	m.differ("%s", text)
}

func (m *merger) eventText(i int, v *record.Event) string {
	link := v.Link
	if link == 0 {
		link = sim.LinkTCP
	}
	step := trace.Step{Event: sim.Event{Node: m.params.Addr(i), Kind: v.Kind, From: v.From, Link: link, Value: v.Value}}
	step.Identity = step.Event.Text(m.w.Walker().Text, m.params.Nodes)
	return step.Shown(m.w.Walker().Text)
}

// compare compares the state of the i-th node in the simulation with the state that the entry e
// records. If they differ, it ends the path.
func (m *merger) compare(i int, e *record.Entry, a *answered) {
	m.out.step()
	n := m.nodes[i]
	state, err := m.walker.Sum(n.node)
	switch {
	case a.strayed != "":
		m.part(i, "in %s: %s", m.stepText(i, e), a.strayed)
	case err != nil:
		m.part(i, "the state of the node cannot be written: %v", err)
	case n.sends[n.life] != e.Step.Sends:
		m.part(i, "after %s it had sent %d messages, and %d in the simulation", m.stepText(i, e), e.Step.Sends, n.sends[n.life])
	case state != e.Step.State:
		m.part(i, "after %s its state was %s, and in the simulation it is %s", m.stepText(i, e), e.Step.State, state)
	}
}

func (m *merger) stepText(i int, e *record.Entry) string {
	if e.Step.Event.Kind == 0 {
		return "its start"
	}
	return m.eventText(i, &e.Step.Event)
}
