package yorkie

import (
	"fmt"

	"github.com/yorkie-team/yorkie/pkg/document/json"
)

// edit is one edit of a tree, between two positions of the tree. The beginning and the end of an
// element count as positions too.
type edit struct {
	Kind     string // split, insert, delete or style
	From, To int
}

// String returns the edit in the notation of the library's tests.
func (e edit) String() string { return fmt.Sprintf("%s(%d,%d)", e.Kind, e.From, e.To) }

func (e edit) on(tree *json.Tree) {
	switch e.Kind {
	case "split":
		tree.Edit(e.From, e.To, nil, 1)
	case "insert":
		tree.Edit(e.From, e.To, &json.TreeNode{Type: "text", Value: "x"}, 0)
	case "delete":
		tree.Edit(e.From, e.To, nil, 0)
	case "style":
		tree.Style(e.From, e.To, map[string]string{"bold": "true"})
	default:
		panic(fmt.Sprintf("yorkie: there is no edit %q", e.Kind))
	}
}

// edits returns all edits of these kinds between positions up to length.
func edits(kinds []string, length int) (all []edit) {
	for _, kind := range kinds {
		for from := range length + 1 {
			for to := from; to <= length; to++ {
				if point := from == to; point != (kind == "split") && kind != "insert" {
					continue
				}
				if kind == "insert" && from != to {
					continue
				}
				all = append(all, edit{kind, from, to})
			}
		}
	}
	return all
}
