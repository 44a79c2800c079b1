package mdb

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"macemc/internal/canon"
	"macemc/sim"
	"macemc/trace"
)

// field is the name of a part of a state. It selects the line whose path equals the name, and all lines below
// it: n2.parent selects n2.parent and n2.parent.port. A name without a node, such as parent, selects that field
// on every node, at any depth.
type field struct {
	text string
	node int // the index of its node; -1 means no node, or all of them
	bare bool
}

var (
	nodeName = regexp.MustCompile(`^n(\d+)($|[.\[ ])`)
	indexed  = regexp.MustCompile(`^([A-Za-z_]\w*)\[(\d+)\](.*)$`)
	bareName = regexp.MustCompile(`^\*?\.?([A-Za-z_][\w.\[\]]*)$`)
)

// parseField reads the name of a field: n2.parent, randtree[2].parent, parent,
// "n2 timer", "tcp n0->n1", "faults left".
func (r *run) parseField(text string) (field, error) {
	if text == "" {
		return field{}, fmt.Errorf("name a field, as n0.parent, or parent for all nodes")
	}
	if m := indexed.FindStringSubmatch(text); m != nil && r.isSystem(m[1]) {
		text = "n" + m[2] + m[3]
	}
	if m := nodeName.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		if nodes := r.nodes(); err != nil || n >= nodes {
			return field{}, fmt.Errorf("there is no node n%s; there are n0 to n%d", m[1], nodes-1)
		}
		return field{text: text, node: n}, nil
	}
	if text == "timer" || text == "task" || text == "script" {
		return field{text: " " + text, node: -1, bare: true}, nil
	}
	if m := bareName.FindStringSubmatch(text); m != nil && !slices.Contains(networks, m[1]) {
		return field{text: "." + m[1], node: -1, bare: true}, nil
	}
	return field{text: text, node: -1}, nil
}

// networks are the first words of lines that belong to no node.
var networks = []string{"tcp", "udp", "set", "bag", "faults", "early", "partition"}

// isSystem reports whether a word stands for the nodes of the system: its name,
// or the name of the type of its nodes.
func (r *run) isSystem(name string) bool {
	w := r.player.World()
	if name == w.System().Name || name == "n" || name == "node" {
		return true
	}
	kind := fmt.Sprintf("%T", w.System().New(w.Params(), w.Params().Addrs()[0]))
	return name == kind[strings.LastIndexByte(kind, '.')+1:]
}

func (r *run) nodes() int { return r.player.World().Params().Nodes }

// matches reports whether the line at a path belongs to the field.
func (f field) matches(path string) bool {
	if !f.bare {
		return begins(path, f.text)
	}
	m := nodeName.FindString(path)
	if m == "" {
		return false
	}
	rest := path[len(strings.TrimRight(m, ".[ ")):]
	for {
		at := strings.Index(rest, f.text)
		if at < 0 {
			return false
		}
		if rest = rest[at:]; begins(rest, f.text) {
			return true
		}
		rest = rest[1:]
	}
}

// wanted reports whether any line at path, or below it, may belong to the field. path is the place of a value
// within a node, and fields is true if that value has fields. Values for which wanted is false need not be
// written: see canon.Wanted.
func (f field) wanted(path string, fields bool) bool {
	if path != "" && path[0] != '[' {
		path = "." + path
	}
	if !f.bare {
		text := strings.TrimPrefix(f.text, strings.TrimRight(nodeName.FindString(f.text), ".[ "))
		return strings.HasPrefix(text, path) || strings.HasPrefix(path, text)
	}
	if fields {
		return true
	}
	for at := strings.IndexByte(path, f.text[0]); at >= 0; {
		if rest := path[at:]; strings.HasPrefix(rest, f.text) || strings.HasPrefix(f.text, rest) {
			return true
		}
		next := strings.IndexByte(path[at+1:], f.text[0])
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return false
}

// begins reports whether path is name, or is below it.
func begins(path, name string) bool {
	rest, ok := strings.CutPrefix(path, name)
	return ok && (rest == "" || strings.ContainsRune(".[ -", rune(rest[0])) || strings.HasSuffix(name, "]"))
}

// of returns the lines that belong to the field.
func (f field) of(lines []canon.Line) (out []canon.Line) {
	for _, l := range lines {
		if f.matches(l.Path) {
			out = append(out, l)
		}
	}
	return out
}

// touched reports whether step s may have changed the state of a node: whether it happened at this node, or at
// no node, as a step of the network does.
func touched(s *trace.Step, node sim.Addr) bool { return s.Node.IsZero() || s.Node == node }

// unknown returns the error for a field to which none of these lines, the whole state,
// belongs. It suggests the nearest name.
func (f field) unknown(lines []canon.Line) error {
	var names []string
	for _, l := range lines {
		if m := nodeName.FindString(l.Path); strings.HasSuffix(m, ".") {
			name, _, _ := strings.Cut(l.Path[len(m):], "[")
			name, _, _ = strings.Cut(name, ".")
			if name, _, _ = strings.Cut(name, " "); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return fmt.Errorf("no line of the state is %s; the nodes have %s", strings.TrimLeft(f.text, ". "), strings.Join(names, ", "))
}

// brief returns the lines of the field as one line.
func (f field) brief(lines []canon.Line) string {
	var parts []string
	for _, l := range lines {
		if l.Path == f.text || f.bare {
			parts = append(parts, l.Value)
			continue
		}
		parts = append(parts, strings.TrimPrefix(strings.TrimPrefix(l.Path, f.text), ".")+" = "+l.Value)
	}
	if len(parts) == 0 {
		return "(absent)"
	}
	return strings.Join(parts, ", ")
}
