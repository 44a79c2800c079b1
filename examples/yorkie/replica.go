package yorkie

import (
	"fmt"
	"strings"

	"github.com/yorkie-team/yorkie/api/converter"
	api "github.com/yorkie-team/yorkie/api/yorkie/v1"
	"github.com/yorkie-team/yorkie/pkg/document"
	"github.com/yorkie-team/yorkie/pkg/document/change"
	"github.com/yorkie-team/yorkie/pkg/document/json"
	"github.com/yorkie-team/yorkie/pkg/document/presence"
	"github.com/yorkie-team/yorkie/pkg/document/time"
	"google.golang.org/protobuf/proto"
)

// A deed is one change of a replica: an edit that its client has made, or a change
// that it has received.
type deed struct {
	Edit edit // the zero edit if the change was received
	Wire wire
}

// wire is an encoded change, as it is sent.
type wire string

// String returns the kinds of the operations in the change.
func (w wire) String() string {
	var names []string
	for _, c := range w.pack().Changes {
		for _, o := range c.Operations() {
			_, name, _ := strings.Cut(fmt.Sprintf("%T", o), ".")
			names = append(names, name)
		}
	}
	return fmt.Sprintf("%s, %d bytes", strings.Join(names, " "), len(w))
}

func (w wire) pack() *change.Pack {
	var encoded api.ChangePack
	must(proto.Unmarshal([]byte(w), &encoded))
	pack, err := converter.FromChangePack(&encoded)
	must(err)
	return pack
}

// replica is a document of the library.
type replica struct{ doc *document.Document }

// newReplica returns a replica of the client with number actor, after these deeds.
func newReplica(actor int, deeds []deed) replica {
	r := replica{document.New("document", document.WithDisableGC())}
	id, err := time.ActorIDFromHex(fmt.Sprintf("%024x", actor))
	must(err)
	r.doc.SetActor(id)
	for _, d := range deeds {
		if d.Edit.Kind != "" {
			must(r.edit(d.Edit))
		} else {
			must(r.hear(d.Wire))
		}
	}
	return r
}

// edit makes an edit. It returns an error if the edit is not possible in the
// present tree.
func (r replica) edit(e edit) (err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("%s: %v", e, why)
		}
	}()
	return r.doc.Update(func(root *json.Object, _ *presence.Presence) error {
		e.on(root.GetTree("tree"))
		return nil
	})
}

// last returns the change that the replica made last.
func (r replica) last() wire {
	changes := r.doc.CreateChangePack().Changes
	pack, err := converter.ToChangePack(change.NewPack("document", change.InitialCheckpoint, changes[len(changes)-1:], nil, nil))
	must(err)
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(pack)
	must(err)
	return wire(data)
}

// hear applies a change that another replica has made.
func (r replica) hear(w wire) error {
	return r.doc.ApplyChangePack(w.pack())
}

func (r replica) xml() string {
	return r.doc.Root().GetTree("tree").ToXML()
}

// beginning returns the change that makes the tree that all clients have at the
// beginning.
func beginning(tree json.TreeNode) wire {
	r := newReplica(0, nil)
	must(r.doc.Update(func(root *json.Object, _ *presence.Presence) error {
		root.SetNewTree("tree", &tree)
		return nil
	}))
	return r.last()
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("yorkie: %v", err))
	}
}
