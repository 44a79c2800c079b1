package report

import (
	"fmt"
	"io"
	"strings"

	"macemc/internal/numerals"
	"macemc/sim"
)

// Systems writes a list of systems, as text.
func Systems(w io.Writer, systems []*sim.System) error {
	p := &printer{w: w}
	for i, sys := range systems {
		if i > 0 {
			p.blank()
		}
		p.line("%s  (%s)", sys.Name, nodes(sys))
		p.row(2, 0, "", Sentence(sys.Doc))
		p.members(sys, Sentence)
	}
	return p.err
}

// System writes everything that is known about one system, as text.
func System(w io.Writer, sys *sim.System) error {
	p := &printer{w: w}
	p.line("%s  (%s)", sys.Name, nodes(sys))
	p.row(2, 0, "", sys.Doc)
	p.members(sys, func(text string) string { return text })
	if !sys.Within.IsZero() {
		p.row(2, labels, "within", fmt.Sprintf("%q", sys.Within.Name))
	}
	if !sys.Assume.IsZero() {
		p.row(2, labels, "assume", fmt.Sprintf("%q", sys.Assume.Name))
	}
	return p.err
}

// members writes the parameters, properties and bugs of a system. doc shortens the
// description of each.
func (p *printer) members(sys *sim.System, doc func(string) string) {
	var names, kinds, ids []string
	for _, q := range sys.Params {
		names = append(names, q.Name+"="+initial(q))
	}
	for _, prop := range sys.Properties {
		kinds = append(kinds, prop.Kind())
	}
	for _, b := range sys.Bugs {
		ids = append(ids, string(b.ID))
	}
	for i, q := range sys.Params {
		p.member("params", i, names, fmt.Sprintf("(%s) %s", possible(q), doc(q.Doc)))
	}
	for i, prop := range sys.Properties {
		p.member("properties", i, kinds, fmt.Sprintf("%q", prop.Name))
	}
	for i, b := range sys.Bugs {
		p.member("bugs", i, ids, doc(b.Story))
	}
}

// member writes the i-th member of a group, such as a property. Only the first row of a
// group has the group's label.
func (p *printer) member(group string, i int, names []string, text string) {
	if i > 0 {
		group = ""
	}
	width := 0
	for _, n := range names {
		width = max(width, len(n))
	}
	p.row(2, labels+width+2, fmt.Sprintf("%-*s%-*s", labels, group, width+2, names[i]), text)
}

func nodes(sys *sim.System) string {
	r := sys.NodeRange(sim.Params{})
	if r.Least == r.Most {
		return numerals.Many(r.Default, "node")
	}
	return fmt.Sprintf("%s, from %d to %d", numerals.Many(r.Default, "node"), r.Least, r.Most)
}

func initial(q *sim.Param) string {
	if len(q.Words) > 0 {
		return q.Words[0]
	}
	return fmt.Sprint(q.Range.Default)
}

func possible(q *sim.Param) string {
	if len(q.Words) > 0 {
		return strings.Join(q.Words, ", ")
	}
	return fmt.Sprintf("%d to %d", q.Range.Least, q.Range.Most)
}
