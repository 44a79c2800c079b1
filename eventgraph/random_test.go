package eventgraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// randomPlay returns a play of nodes with random commands, under every fault.
func randomPlay(r *rand.Rand, nodes int) play {
	faults := sim.Faults{Crash: 3, Down: 1, Reset: 4, Loss: 3, Dup: 3, Reorder: 3, Partition: 1, OneWay: 1, Pause: 2, Wipe: 1}
	p := play{nodes: nodes, faults: faults, scripts: map[string][]sim.Signal{}}
	var commands func(depth int) string
	commands = func(depth int) string {
		var all []string
		for range 1 + r.IntN(3) {
			to, text := r.IntN(nodes), fmt.Sprint(r.IntN(3))
			if depth > 0 && r.IntN(2) == 0 {
				text += " [" + commands(depth-1) + "]"
			}
			all = append(all, [...]string{
				fmt.Sprintf("tcp n%d %s", to, text), fmt.Sprintf("tcp n%d %s", to, text), fmt.Sprintf("udp n%d %s", to, text),
				fmt.Sprintf("set n%d %s", to, text), "after " + text, "after " + text, "post " + text, "cancel " + text,
				fmt.Sprintf("reset n%d", to), fmt.Sprintf("room n%d", to), "flushed",
			}[r.IntN(11)])
		}
		return strings.Join(all, "; ")
	}
	for i := range nodes {
		for range 4 + r.IntN(4) {
			node := fmt.Sprintf("n%d", i)
			p.scripts[node] = append(p.scripts[node], do(commands(3)))
		}
	}
	return p
}

// At the end of a run the graph agrees with the world about the network: the number of
// messages on each channel, the messages in each set, the timers
// and tasks. And every message that a step took is known.
func TestShadow(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := randomPlay(r, 2+r.IntN(3))
		w := p.world(t)
		src := choose.NewWalk(seed)
		src.Rare, src.Uniform = true, true
		heal := r.IntN(150)
		w.Protect(func() {
			w.Start(src)
			for progress := world.Stepped; progress == world.Stepped && w.Run.Steps() < 150; {
				if progress = w.Step(src); w.Run.Steps() == heal {
					w.Heal(src)
				}
			}
		})
		if f := w.Run.Failed(); f != nil {
			t.Fatalf("seed %d: %s: %s", seed, f.Identity, f.Message)
		}
		g := New(w.Run.Trace(), w.Walker().Text, Marks{})
		if want, got := inWorld(w), inGraph(g, w); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("seed %d: after %d steps the graph knows of\n%v\nand the world of\n%v", seed, w.Run.Steps(), got, want)
		}
		for i := range g.points {
			at := &g.points[i]
			switch at.Event.Kind {
			case sim.KindMessage, sim.KindQuorum, sim.KindReorder, sim.KindLose, sim.KindDuplicate:
				if sent := g.sentAt(at); len(sent) == 0 || !slices.Equal(sent, at.Causes) {
					t.Errorf("seed %d: step %d, %s: the graph knows messages of the steps %v, and the trace %v", seed, at.Index, at.Identity, sent, at.Causes)
				}
			case sim.KindTimer, sim.KindTask:
				if len(at.causes) == 0 || at.Event.Kind == sim.KindTimer && g.number(at.causes[0].from) != at.Cause() {
					t.Errorf("seed %d: step %d, %s: the graph knows another cause than the trace: %v", seed, at.Index, at.Identity, at.causes)
				}
			case sim.KindError:
				if len(at.causes) == 0 {
					t.Errorf("seed %d: step %d, %s: the graph knows no cause", seed, at.Index, at.Identity)
				}
			}
		}
	}
}

// inWorld returns the numbers of messages under way, of timers and of tasks in a world.
func inWorld(w *world.World) map[string]int {
	all := map[string]int{}
	for _, l := range w.Text.Lines() {
		path, _, _ := strings.Cut(l.Path, "[")
		switch {
		case strings.Contains(l.Path, "[") && (strings.HasPrefix(path, "tcp") || strings.HasPrefix(path, "udp")), strings.HasPrefix(path, "set"):
			all[path]++
		case strings.HasSuffix(path, " timer"):
			all[path+" "+l.Value]++
		case strings.HasSuffix(path, " task"):
			value, times, several := strings.Cut(l.Value, ", ")
			n := 1
			if several {
				fmt.Sscanf(times, "%d times", &n)
			}
			all[path+" "+value] += n
		}
	}
	return all
}

func inGraph(g *Graph, w *world.World) map[string]int {
	all := map[string]int{}
	for _, m := range g.messages {
		path := fmt.Sprintf("%s %s->%s", m.link, g.nodes[m.from], g.nodes[m.to])
		switch {
		case m.copies > 0:
			all[path] += m.copies
		case m.kept && m.same == none:
			all[path]++
		}
	}
	for i := range g.points {
		at := &g.points[i]
		for k, d := range at.did {
			if d.fate != "" {
				continue
			}
			value := clean(trace.Effect{Kind: trace.EffectPost, Value: at.Effects[k].Value}.Text(w.Walker().Text))
			value = strings.TrimPrefix(value, "post ")
			switch d.kind {
			case trace.EffectAfter:
				all[fmt.Sprintf("%s timer %s", g.nodes[at.lane], value)]++
			case trace.EffectPost:
				all[fmt.Sprintf("%s task %s", g.nodes[at.lane], value)]++
			}
		}
	}
	return all
}
