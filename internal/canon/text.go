package canon

import "strings"

// Line is one leaf of a value as text: the path to it, and its own text. The path is empty
// if the root itself is a leaf.
type Line struct {
	Path, Value string
	Tag         uint32 // for code that combines the lines of several values; canon does not use it
}

// Text returns v on one line. Values with different hashes have different texts. If v
// cannot be walked, the text says why.
func (w *Walker) Text(v any) string {
	n, err := w.tree(v)
	if err != nil {
		return unwalkable(err)
	}
	return n.text()
}

// Lines returns the leaves of v, in an order that depends on v alone. If an interface holds
// a value with children, a line with the name of its type comes before them. The type of v
// itself has no line.
func (w *Walker) Lines(v any) []Line { return w.LinesOf(v, nil) }

func unwalkable(err error) string {
	reason := strings.TrimPrefix(err.Error(), "cannot walk ")
	return "<cannot walk: " + reason + ">"
}

// text returns the tree on one line.
func (n *node) text() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	b.WriteString(n.name)
	open, shut := "{", "}"
	switch n.shape {
	case shapeLeaf:
		b.WriteString(n.leaf)
		return
	case shapeList:
		open, shut = "[", "]"
	}
	b.WriteString(open)
	for i, k := range n.kids {
		if i > 0 {
			b.WriteString(", ")
		}
		if n.shape != shapeList {
			b.WriteString(k.label + ": ")
		}
		k.node.write(b)
	}
	b.WriteString(shut)
}

// lines appends the leaves of the tree to out; path is the path of the tree's root.
func (n *node) lines(path string, out []Line) []Line {
	if n.shape == shapeLeaf {
		if n.leaf == skippedPart {
			return out
		}
		return append(out, Line{Path: path, Value: n.name + n.leaf})
	}
	if n.name != "" {
		out = append(out, Line{Path: path, Value: n.name})
	}
	for _, k := range n.kids {
		out = k.node.lines(n.step(path, k.label), out)
	}
	return out
}

// step returns the path of the child of n that has a label; path is that of n.
func (n *node) step(path, label string) string {
	switch {
	case n.shape != shapeStruct:
		return path + "[" + label + "]"
	case path == "":
		return label
	default:
		return path + "." + label
	}
}
