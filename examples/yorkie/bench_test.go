package yorkie

import (
	"math/rand/v2"
	"testing"

	"macemc/choose"
	checker "macemc/internal/search"
	"macemc/internal/world"
	"macemc/search"
	"macemc/sim"
)

// BenchmarkWalk takes walks to their ends, and reports steps in a second of processor time.
func BenchmarkWalk(b *testing.B) {
	params, err := System.Configure(2, []string{"edits=insert"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	w, err := world.New(System, params, world.Config{})
	if err != nil {
		b.Fatal(err)
	}
	walk, steps, began := choose.NewWalk(1), 0, checker.Processor().Seconds()
	for i := uint64(0); b.Loop(); i++ {
		walk.Restart(1, i)
		if f := w.Protect(func() {
			for w.Start(walk); w.Judge.Check() == nil && w.Step(walk) == world.Stepped; {
			}
		}); f != nil {
			b.Fatal(f.Message)
		}
		steps += w.Run.Steps()
	}
	b.ReportMetric(float64(steps)/(checker.Processor().Seconds()-began), "steps/s")
}

// BenchmarkBare makes the edits of a search of that system on yorkie's replicas directly, without macemc. Each run
// of an edit goes on with the replica as the edit before left it.
func BenchmarkBare(b *testing.B) {
	menu := edits([]string{"insert"}, last)
	draw, steps, began := rand.New(rand.NewPCG(1, 1)), 0, checker.Processor().Seconds()
	for b.Loop() {
		replicas := []replica{newReplica(1, []deed{{Wire: first}}), newReplica(2, []deed{{Wire: first}})}
		var changes []wire
		for _, r := range replicas {
			if steps++; r.edit(menu[draw.IntN(len(menu))]) == nil {
				changes = append(changes, r.last())
			} else {
				changes = append(changes, "")
			}
		}
		for i, r := range replicas {
			if w := changes[1-i]; w != "" {
				steps++
				if err := r.hear(w); err != nil {
					b.Fatal(err)
				}
			}
			_ = r.xml()
		}
	}
	b.ReportMetric(float64(steps)/(checker.Processor().Seconds()-began), "steps/s")
}

// holder is a client whose state is the document itself. The state of client is the list of its edits and
// changes.
type holder struct {
	Actor int
	Menu  []edit
	Doc   replica
	Shows string
}

var holders = sim.Handle(sim.OnInit((*holder).begin), sim.OnSignal((*holder).change), sim.OnMessage((*holder).hear))

func (h *holder) begin(sim.Env) { h.Shows = h.Doc.xml() }

func (h *holder) change(env sim.Env, _ request) {
	if err := h.Doc.edit(h.Menu[env.Choose(len(h.Menu), "which edit")]); err != nil {
		return
	}
	h.Shows = h.Doc.xml()
	for _, peer := range env.Peers() {
		env.TCP().Send(peer, h.Doc.last())
	}
}

func (h *holder) hear(_ sim.Env, _ sim.Addr, w wire) {
	if err := h.Doc.hear(w); err != nil {
		h.Shows = err.Error()
	} else {
		h.Shows = h.Doc.xml()
	}
}

// BenchmarkSearch visits states that consist of lists of edits, and states that consist of documents. It
// reports the number of different states, and transitions in a second of processor time.
func BenchmarkSearch(b *testing.B) {
	document := *System
	document.New = func(p sim.Params, self sim.Addr) sim.Node {
		return holders.Node(&holder{
			Actor: self.Index() + 1, Menu: edits(kinds(p.Word(Edits)), last), Doc: newReplica(self.Index()+1, []deed{{Wire: first}}),
		})
	}
	document.Properties = []sim.Property{sim.Always("nothing", func(sim.View[*holder]) bool { return true })}
	document.Opaque = []string{"document.Document.broadcastEventHandlers", "document.Document.broadcastResponses", "document.Document.broadcastRequests", "document.Document.events", "document.InternalDocument.onlineClients", "innerpresence.Map.presences"}
	for name, sys := range map[string]*sim.System{"edits": System, "document": &document} {
		b.Run(name, func(b *testing.B) {
			params, err := sys.Configure(2, []string{"edits=delete"}, nil)
			if err != nil {
				b.Fatal(err)
			}
			transitions, began := 0, checker.Processor().Seconds()
			for b.Loop() {
				r, err := search.Search(sys, search.Options{Params: params, Depth: 3, NoWalks: true, Workers: 1})
				if err != nil || r.Finding != nil {
					b.Fatal(err, r)
				}
				transitions += r.Stats.Executed
				b.ReportMetric(float64(r.Stats.States), "states/"+r.Stats.Engine)
			}
			b.ReportMetric(float64(transitions)/(checker.Processor().Seconds()-began), "transitions/s")
		})
	}
}
