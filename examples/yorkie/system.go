package yorkie

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yorkie-team/yorkie/pkg/document/json"
	"macemc/sim"
)

// Edits selects the kinds of edits that are made.
var Edits = &sim.Param{
	Name: "edits", Doc: "which kinds of edits are made: all, or some, to leave out those that are known to differ",
	Words: []string{"all", "split-style", "split-delete", "delete", "style-delete", "insert-delete", "insert", "insert-style"},
}

// Each is the number of edits that a client makes.
var Each = &sim.Param{Name: "each", Doc: "how many edits each client makes", Range: sim.Range{Default: 1, Least: 1, Most: 3}}

// kinds returns the kinds of edits for a value of Edits.
func kinds(word string) []string {
	if word == "all" {
		return []string{"split", "style", "delete", "insert"}
	}
	return strings.Split(word, "-")
}

// client is a node whose user edits its replica of the tree.
type client struct {
	actor int
	deeds []deed
	menu  []edit
	shows string // the tree, or the error by which the change of another client has failed
}

// request is the request of the application for an edit.
type request struct{ Number int }

// first is the change that makes the tree <r><p>ab</p><p>cd</p></r>, whose last position is 8.
var first = beginning(json.TreeNode{Type: "r", Children: []json.TreeNode{
	{Type: "p", Children: []json.TreeNode{{Type: "text", Value: "ab"}}},
	{Type: "p", Children: []json.TreeNode{{Type: "text", Value: "cd"}}},
}})

const last = 8

var handlers = sim.Handle(sim.OnInit((*client).begin), sim.OnSignal((*client).change), sim.OnMessage((*client).hear))

func (c *client) replica() replica { return newReplica(c.actor, c.deeds) }

func (c *client) begin(sim.Env) { c.shows = c.replica().xml() }

// change makes one of the possible edits, and sends it to the others.
func (c *client) change(env sim.Env, _ request) {
	if strings.HasPrefix(c.shows, "an error") {
		return // the replica is lost
	}
	e := c.menu[env.Choose(len(c.menu), "which edit")]
	r := c.replica()
	if err := r.edit(e); err != nil {
		env.Logf("not possible: %v", err)
		return
	}
	env.Logf("%s", e)
	w := r.last()
	c.deeds, c.shows = append(c.deeds, deed{Edit: e}), r.xml()
	for _, peer := range env.Peers() {
		env.TCP().Send(peer, w)
	}
}

// hear applies another client's change.
func (c *client) hear(_ sim.Env, _ sim.Addr, w wire) {
	if strings.HasPrefix(c.shows, "an error") {
		return
	}
	r := c.replica()
	err := r.hear(w)
	c.deeds = append(c.deeds, deed{Wire: w})
	if c.shows = r.xml(); err != nil {
		c.shows = fmt.Sprintf("an error (%v)", err)
	}
}

// System is two or more clients that edit a tree.
var System = &sim.System{
	Name:   "yorkie",
	Doc:    "A tree that several edit: replicas of yorkie. Those that have made the same changes show the same tree.",
	Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 3} },
	Params: []*sim.Param{Edits, Each},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		return handlers.Node(&client{
			actor: self.Index() + 1, menu: edits(kinds(p.Word(Edits)), last), deeds: []deed{{Wire: first}},
		})
	},
	Script: func(p sim.Params, _ sim.Addr, _ int) (all []sim.Signal) {
		for k := range p.Int(Each) {
			all = append(all, request{k})
		}
		return all
	},
	Properties: []sim.Property{
		sim.Always("who has made the same changes shows the same tree", alike, explain),
	},
	Opaque: []string{"yorkie.client.menu"}, // as New makes it
}

// alike reports whether the trees of all clients are equal. It is true while a message is under way:
// only afterwards all clients have made the same changes.
func alike(v sim.View[*client]) bool {
	if v.InFlight() > 0 {
		return true
	}
	shows := ""
	for _, c := range v.Nodes() {
		if shows == "" {
			shows = c.shows
		}
		if c.shows != shows {
			return false
		}
	}
	return true
}

// explain returns a text that begins with the edits. They are in the order of their texts, whoever
// made them, so that a known pair can be left out: --ignore 'because=delete(0,1) beside delete(0,2)'.
func explain(v sim.View[*client]) string {
	var own, text []string
	for at, c := range v.Nodes() {
		own, text = append(own, c.own()), append(text, fmt.Sprintf("%s shows %s after %s", at, c.shows, c.own()))
	}
	slices.Sort(own)
	return strings.Join(own, " beside ") + ": " + strings.Join(text, "; ")
}

// own describes the client's own edits.
func (c *client) own() string {
	var text []string
	for _, d := range c.deeds {
		if d.Edit.Kind != "" {
			text = append(text, d.Edit.String())
		}
	}
	if text == nil {
		return "no edit"
	}
	return strings.Join(text, " ")
}
