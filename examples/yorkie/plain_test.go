package yorkie_test

import (
	"fmt"
	"testing"

	"github.com/yorkie-team/yorkie/pkg/document"
	"github.com/yorkie-team/yorkie/pkg/document/change"
	"github.com/yorkie-team/yorkie/pkg/document/json"
	"github.com/yorkie-team/yorkie/pkg/document/presence"
	"github.com/yorkie-team/yorkie/pkg/document/time"
)

type edit struct {
	name string
	on   func(*json.Tree)
}

func remove(from, to int) edit {
	return edit{fmt.Sprintf("Edit(%d,%d)", from, to), func(t *json.Tree) { t.Edit(from, to, nil, 0) }}
}

func style(from, to int) edit {
	return edit{fmt.Sprintf("Style(%d,%d)", from, to), func(t *json.Tree) { t.Style(from, to, map[string]string{"bold": "true"}) }}
}

func split(at int) edit {
	return edit{fmt.Sprintf("split(%d)", at), func(t *json.Tree) { t.Edit(at, at, nil, 1) }}
}

func insert(at int) edit {
	return edit{fmt.Sprintf("insert(%d)", at), func(t *json.Tree) { t.Edit(at, at, &json.TreeNode{Type: "text", Value: "x"}, 0) }}
}

// The replicas also differ without macemc. Each of two clients makes one edit of <r><p>ab</p><p>cd</p></r> at
// the same time, and then applies the other's. They show different trees from then on, or one cannot apply the
// other's edit at all.
func TestReplicasDiffer(t *testing.T) {
	for _, c := range []struct{ a, b edit }{
		{split(1), style(1, 2)},
		{split(1), remove(1, 5)},
		{remove(1, 4), remove(1, 5)},
		{remove(0, 1), remove(0, 2)},
		{style(0, 2), remove(0, 1)},
		{insert(1), remove(0, 1)},
	} {
		t.Run(c.a.name+" beside "+c.b.name, func(t *testing.T) {
			first := client(t, 0)
			must(t, first.Update(func(root *json.Object, _ *presence.Presence) error {
				root.SetNewTree("tree", &json.TreeNode{Type: "r", Children: []json.TreeNode{
					{Type: "p", Children: []json.TreeNode{{Type: "text", Value: "ab"}}},
					{Type: "p", Children: []json.TreeNode{{Type: "text", Value: "cd"}}},
				}})
				return nil
			}))
			a, b := client(t, 1), client(t, 2)
			must(t, apply(a, first))
			must(t, apply(b, first))
			for _, one := range []struct {
				doc  *document.Document
				edit edit
			}{{a, c.a}, {b, c.b}} {
				must(t, one.doc.Update(func(root *json.Object, _ *presence.Presence) error {
					one.edit.on(root.GetTree("tree"))
					return nil
				}))
			}
			errA, errB := apply(a, b), apply(b, a)
			x, y := a.Root().GetTree("tree").ToXML(), b.Root().GetTree("tree").ToXML()
			if errA == nil && errB == nil && x == y {
				t.Fatalf("both show %s: the library is mended", x)
			}
			t.Logf("%s shows %s (error: %v), %s shows %s (error: %v)", c.a.name, x, errA, c.b.name, y, errB)
		})
	}
}

func client(t *testing.T, n int) *document.Document {
	id, err := time.ActorIDFromHex(fmt.Sprintf("%024x", n))
	must(t, err)
	doc := document.New("document", document.WithDisableGC())
	doc.SetActor(id)
	return doc
}

// apply applies the local changes of one document to another.
func apply(to, from *document.Document) (err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("panic: %v", why)
		}
	}()
	return to.ApplyChangePack(change.NewPack("document", change.InitialCheckpoint, from.CreateChangePack().Changes, nil, nil))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
