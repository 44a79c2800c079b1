package mdb

import (
	"fmt"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/sim"
)

func (s Look) state(args []word) (Page, error) {
	lines, err := s.lines()
	if err != nil {
		return nil, err
	}
	var fields []field
	for _, a := range args {
		f, err := s.run.parseField(a.text)
		if err != nil {
			return nil, err
		}
		if len(f.of(lines)) == 0 {
			return nil, f.unknown(lines)
		}
		fields = append(fields, f)
	}
	return s.StatePage(fields...)
}

// markedLine is a line of a state, marked with ~ if the step changed it, + if it is new, and a
// blank otherwise.
type markedLine struct {
	canon.Line
	mark string
}

// marked returns the lines of the state with their marks, and the nodes that are down and
// so have lost their memory.
func (s Look) marked() (all []markedLine, down []sim.Addr, err error) {
	after, err := s.lines()
	if err != nil {
		return nil, nil, err
	}
	before := after
	if s.step > 0 {
		if before, err = s.run.lines(s.here, s.step-1); err != nil {
			return nil, nil, err
		}
	}
	_, down = observe.Went(observe.Diff(nil, after))
	known, paths := map[canon.Line]int{}, map[string]bool{}
	for _, l := range before {
		known[l]++
		paths[l.Path] = true
	}
	for _, l := range observe.Without(after, down) { // in the place of a node that is down there is a new one, which has not begun
		m := markedLine{l, " "}
		if known[l] == 0 {
			m.mark = "+"
			if paths[l.Path] {
				m.mark = "~"
			}
		}
		known[l]--
		all = append(all, m)
	}
	return all, down, nil
}

// StatePage shows the state, or some fields of it. Lines that the step has changed are
// marked.
func (s Look) StatePage(fields ...field) (p Page, err error) {
	all, down, err := s.marked()
	if err != nil {
		return nil, err
	}
	last := ""
	for _, l := range all {
		if len(fields) > 0 && !matchesAny(fields, l.Path) {
			continue
		}
		if part := partOf(l.Path); part != last && last != "" && len(fields) == 0 {
			p.add(Plain, "")
		}
		last = partOf(l.Path)
		style := map[string]Style{"~": Changed, "+": Added}[l.mark]
		p.line(Span{style, l.mark + " "}, plain("%s: ", l.Path), Span{style, s.run.reading(l.Path, l.Value)})
	}
	if len(p) == 0 && len(down) > 0 {
		p.add(Plain, "  nothing: what a node that is down kept in memory is gone")
	}
	return p, nil
}

func matchesAny(fields []field, path string) bool {
	for _, f := range fields {
		if f.matches(path) {
			return true
		}
	}
	return false
}

// partOf returns the part of the state to which the line at a path belongs: the name of a
// node, or the first word of the path, such as tcp.
func partOf(path string) string {
	if m := nodeName.FindStringSubmatch(path); m != nil {
		return "n" + m[1]
	}
	word, _, _ := strings.Cut(path, " ")
	return word
}

func (s Look) fieldOfAll(args []word) (Page, error) {
	if len(args) == 0 {
		return nil, usageOf("field")
	}
	f, err := s.run.parseField(texts(args))
	if err != nil {
		return nil, err
	}
	lines, err := s.lines()
	if err != nil {
		return nil, err
	}
	if f.node >= 0 { // the field of one node is given; show it of all nodes
		f.text, f.bare, f.node = f.text[len(fmt.Sprint("n", f.node)):], true, -1
	}
	if len(f.of(lines)) == 0 {
		return nil, f.unknown(lines)
	}
	var p Page
	for _, name := range s.Nodes() {
		var own []canon.Line
		for _, l := range f.of(lines) {
			if partOf(l.Path) == name {
				own = append(own, l)
			}
		}
		p.line(strong("%-4s", name), plain("%s", sideBySide(f.text, own, s.run.reading)))
	}
	return p, nil
}

// sideBySide joins the lines of one field of a node into a single line. name is the name of the
// field. sideBySide calls told to write a value in the form for people.
func sideBySide(name string, lines []canon.Line, told func(path, value string) string) string {
	var parts []string
	for _, l := range lines {
		_, below, _ := strings.Cut(l.Path, name)
		switch {
		case below == "":
			parts = append(parts, told(l.Path, l.Value))
		case l.Value == "true":
			parts = append(parts, below)
		default:
			parts = append(parts, below+" = "+told(l.Path, l.Value))
		}
	}
	if len(parts) == 0 {
		return "(absent)"
	}
	return strings.Join(parts, "  ")
}

// PendingPage shows everything that is pending: messages, connections, timers, tasks, requests of
// scripts, and the faults that are still possible.
func (s Look) PendingPage() (p Page, err error) {
	lines, err := s.lines()
	if err != nil {
		return nil, err
	}
	for _, g := range []struct {
		name string
		of   func(path string) bool
	}{
		{"messages", func(path string) bool {
			word, _, _ := strings.Cut(path, " ")
			return word == "set" || word == "bag" || (word == "tcp" || word == "udp") && strings.HasSuffix(path, "]")
		}},
		{"connections", func(path string) bool { return strings.HasPrefix(path, "tcp ") && !strings.HasSuffix(path, "]") }},
		{"timers", nodesOwn("timer")},
		{"tasks", nodesOwn("task")},
		{"openings", nodesOwn("script")},
		{"environment", func(path string) bool {
			return strings.HasSuffix(path, " is") || strings.HasSuffix(path, " waits") || strings.HasSuffix(path, " restarts") ||
				strings.HasSuffix(path, " left") || path == "partition"
		}},
	} {
		first := true
		for _, l := range lines {
			if !g.of(l.Path) {
				continue
			}
			if first {
				p.add(Strong, "%s:", g.name)
				first = false
			}
			p.add(Plain, "  %s: %s", l.Path, s.run.reading(l.Path, l.Value))
		}
	}
	if err := s.run.seek(s.here, s.step); err != nil {
		return nil, err
	}
	if declined := s.run.player.World().Text.Declined(); declined != "" && (s.here.failure == nil || s.step < s.Len()) {
		p.add(Bad, "%s", declined)
	}
	if len(p) == 0 {
		p.add(Plain, "nothing is under way")
	}
	return p, nil
}

func nodesOwn(what string) func(path string) bool {
	return func(path string) bool {
		m := nodeName.FindString(path)
		return strings.HasSuffix(m, " ") && path[len(m):] == what
	}
}
