package randtree

import (
	"fmt"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/transcript"
	"macemc/internal/world"
	"macemc/sim"
)

// TestTranscripts runs testdata. Its commands:
//
//	start [nodes=n] [faults=a+b] [param=a=1+b=2] [bug=..]    begin a run
//	take     take the events in the input: each line is the beginning of the one
//	         event that is meant, with .. for omitted parts; after a bar, coins
//	heal     the environment stops misbehaving
//	tree     each node: its state, root, parent, children; and what does not hold
func TestTranscripts(t *testing.T) {
	transcript.RunFresh(t, "testdata", func() transcript.Handler { return (&desk{}).handle })
}

type desk struct{ w *world.World }

func (k *desk) handle(t *testing.T, d *transcript.Data) string {
	switch d.Cmd {
	case "start":
		transcript.Allow(t, d, "nodes", "faults", "param", "bug")
		return k.start(t, d)
	case "take":
		transcript.Allow(t, d)
		var b strings.Builder
		for line := range strings.Lines(d.Input) {
			if !k.take(&b, strings.TrimSpace(line)) {
				break
			}
		}
		return b.String()
	case "heal":
		transcript.Allow(t, d)
		k.w.Heal(choose.NewFixed())
		return ""
	case "tree":
		transcript.Allow(t, d)
		return k.tree()
	default:
		d.Fatalf(t, "no command %q", d.Cmd)
		return ""
	}
}

func (k *desk) start(t *testing.T, d *transcript.Data) string {
	list := func(key string) (all []string) {
		if word := transcript.Word(d, key, ""); word != "" {
			all = strings.Split(word, "+")
		}
		return all
	}
	p, err := System.Configure(transcript.Int(t, d, "nodes", 3), list("param"), list("bug"))
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	var faults sim.Faults
	if each := list("faults"); len(each) > 0 {
		if faults, err = sim.ParseFaults(strings.Join(each, "=all,") + "=all"); err != nil {
			d.Fatalf(t, "%v", err)
		}
	}
	if k.w, err = world.New(System, p, world.Config{Trace: true, Conditions: sim.Conditions{Faults: &faults}}); err != nil {
		d.Fatalf(t, "%v", err)
	}
	k.w.Protect(func() { k.w.Start(choose.NewFixed()) })
	return ""
}

// take takes one event, prints what its node did, and reports whether the run continues.
func (k *desk) take(b *strings.Builder, line string) bool {
	line, after, _ := strings.Cut(line, "|")
	line = strings.TrimSpace(line)
	var meant, possible []string
	at := 0
	for i := range k.w.Events.Count() {
		text := k.w.Events.At(i).Text(k.w.Walker().Text, 3)
		possible = append(possible, text)
		if matches(text, strings.Split(line, " .. ")) {
			meant, at = append(meant, text), i
		}
	}
	if len(meant) != 1 {
		fmt.Fprintf(b, "%q may be %q; possible are\n  %s\n", line, meant, strings.Join(possible, "\n  "))
		return false
	}
	var answers []int
	if len(possible) > 1 {
		answers = append(answers, at)
	}
	for _, coin := range strings.Fields(after) {
		var n int
		fmt.Sscan(coin, &n)
		answers = append(answers, n)
	}
	failure := k.w.Protect(func() { k.w.Step(choose.NewFixed(answers...)) })
	if failure == nil {
		failure = k.w.Judge.Check()
	}
	steps := k.w.Run.Trace().Steps
	fmt.Fprintln(b, steps[len(steps)-1].Identity)
	for _, e := range steps[len(steps)-1].Effects {
		fmt.Fprintf(b, "  %s\n", e.Text(k.w.Walker().Text))
	}
	if failure != nil {
		fmt.Fprintf(b, "%s: %s%s\n", failure.Verdict, failure.Property, failure.Message)
	}
	return failure == nil
}

// matches reports whether an event begins with the first of the pieces, and has
// the others after it.
func matches(event string, pieces []string) bool {
	for i, piece := range pieces {
		at := strings.Index(event, piece)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		event = event[at+len(piece):]
	}
	return true
}

func (k *desk) tree() string {
	values := map[string]string{}
	for _, line := range k.w.Text.Lines() {
		node, field, _ := strings.Cut(line.Path, ".")
		field, _, list := strings.Cut(field, "[")
		if list {
			values[node+field] += " " + line.Value
		} else if line.Value != "nil" {
			values[node+field] = line.Value
		}
	}
	var b strings.Builder
	for i := range k.w.Params().Nodes {
		a := fmt.Sprint("n", i)
		fmt.Fprintf(&b, "%s %s: root %s, parent %s; kids%s; siblings%s\n", a, strings.Trim(values[a+"state"], `"`),
			values[a+"root"], values[a+"parent"], values[a+"kids"], values[a+"siblings"])
	}
	_, why := k.w.Judge.NotLive()
	for _, w := range why {
		fmt.Fprintf(&b, "not live: %s\n", w)
	}
	return b.String()
}
