package finding

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/numerals"
	"macemc/internal/report"
	"macemc/internal/world"
	"macemc/search"
	"macemc/sim"
)

const (
	aheadWalks = 8   // that are taken from a dead end, and as many from the last recoverable state
	aheadSteps = 300 // of a walk from a dead end
	lacksMost  = 6   // events that are told
	agreeMost  = 12  // lines of the state
	valuesMost = 3   // values of one line
)

// ahead is what comes of the end of a dead run, and of the last state from which
// it could recover: random walks from both, to be compared.
type ahead struct {
	dead, live []outlook
	steps      int // the longest of the dead ones
}

// outlook is one walk: its end, and what happened in it.
type outlook struct {
	end   []canon.Line
	waits world.Waiting // at its end
	did   map[deed]bool
	more  int // steps after the run's own, save the healing
}

// deed is a kind of event, or of effect, with the type of what it is about.
type deed struct {
	node sim.Addr // nobody: at any
	kind sim.Kind
	sent bool
	what string
}

// lookAhead takes the walks. Nil: they could not be taken.
func (t *tale) lookAhead() *ahead {
	f := t.f
	if f.Verdict != sim.VerdictDead || f.Trace == nil {
		return nil
	}
	lab, err := search.NewLab(t.r.System, f.Path, search.Options{Walks: t.r.Options.Walks, WalkSteps: t.r.Options.WalkSteps})
	if err != nil {
		return nil
	}
	defer lab.Close()
	of, err := lab.Take(f.Path)
	if err != nil {
		return nil
	}
	a := &ahead{}
	end := of.Steps()
	if a.dead = t.walks(lab, of, search.Walks{From: end, Count: aheadWalks, Steps: aheadSteps, All: true, Survive: true}, end); len(a.dead) == 0 {
		return nil
	}
	for _, o := range a.dead {
		a.steps = max(a.steps, o.more)
	}
	if c := f.Critical; c != nil && c.Step > 0 {
		a.live = t.walks(lab, of, search.Walks{From: c.Step - 1, Count: aheadWalks, Steps: lab.Options().WalkSteps, All: true}, c.Step-1)
	}
	return a
}

// walks takes some walks and then each again, to see what happens in it after
// the first so many steps.
func (t *tale) walks(lab *search.Lab, of *search.Case, q search.Walks, from int) (all []outlook) {
	walked, err := lab.Walk(of, q)
	if err != nil {
		return nil
	}
	for _, s := range walked.Success {
		path, err := lab.PathOf(of, s)
		if err != nil {
			return nil
		}
		path.Header = conditions(t.f.Path)
		o := outlook{did: map[deed]bool{}}
		again, err := search.Replay(t.r.System, path, search.Options{See: func(w *world.World) {
			if w.Steps() == len(path.Steps) {
				o.end, o.waits = w.Lines(), w.Waiting()
			}
		}})
		if err != nil || again.Finding.Trace == nil {
			return nil
		}
		for i := range again.Finding.Trace.Steps {
			if s := &again.Finding.Trace.Steps[i]; s.Index > from && s.Event.Kind != sim.KindHeal {
				o.more++
				o.note(s)
			}
		}
		all = append(all, o)
	}
	return all
}

// conditions are the header of a path without what its run came to.
func conditions(path *choose.Path) []choose.Field {
	return slices.DeleteFunc(slices.Clone(path.Header), func(f choose.Field) bool {
		return slices.Contains([]string{"verdict", "violates", "state", "critical"}, f.Key)
	})
}

func (o *outlook) note(s *sim.Step) {
	switch s.Event.Kind {
	case sim.KindMessage, sim.KindReorder, sim.KindTimer, sim.KindTask, sim.KindScript, sim.KindAction:
		o.add(deed{s.Node, min(s.Event.Kind, sim.KindTimer), false, typeOf(s.Event.Value)})
	}
	for _, e := range s.Effects {
		if e.Kind == sim.EffectSend {
			o.add(deed{s.Node, sim.KindMessage, true, typeOf(e.Value)})
		}
	}
}

func (o *outlook) add(d deed) {
	o.did[d] = true
	d.node = sim.Addr{}
	o.did[d] = true
}

// typeOf is the name of a value's type, without its package.
func typeOf(v any) string {
	t := reflect.TypeOf(v)
	for t != nil && t.Name() == "" && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return ""
	}
	return cmp.Or(t.Name(), t.String())
}

// why tells what the dead runs have in common, and lack.
func (t *tale) why(p *page) {
	a := t.lookAhead()
	if a == nil {
		return
	}
	facts := slices.Concat(a.stillness(t), a.lacks(), a.strangers(t))
	rows := a.agreed()
	if len(facts)+len(rows) == 0 {
		return
	}
	p.head("Why it stays so")
	if !a.quiet() {
		p.say("%s of at most %s were taken on from the end of this run. What they have in common:", numerals.Many(len(a.dead), "random walk"), numerals.Many(a.steps, "step"))
	}
	p.list(facts)
	if len(rows) > 0 {
		p.say("%s", a.compared())
		p.b.WriteString(report.Table([]string{"state", "at every dead end", "where it recovers"}, rows) + "\n")
	}
}

// quiet reports whether nothing happens after a dead end.
func (a *ahead) quiet() bool {
	return !slices.ContainsFunc(a.dead, func(o outlook) bool { return len(o.did) > 0 })
}

// compared says with what the dead ends are compared.
func (a *ahead) compared() string {
	return fmt.Sprintf("From before the critical step, %s became live. In these lines the states where they did so differ from every dead end:", numerals.Many(len(a.live), "random walk"))
}

// stillness tells what can wake nobody up at the end of any dead walk.
func (a *ahead) stillness(t *tale) (facts []string) {
	under, tasks := false, false
	for _, o := range a.dead {
		under, tasks = under || o.waits.UnderWay, tasks || o.waits.Tasks
	}
	nodes := t.r.Params.Addrs()
	var still []string
	for _, node := range nodes {
		if !slices.ContainsFunc(a.dead, func(o outlook) bool { return o.waits.SetAt(node) }) {
			still = append(still, report.Code(node.String()))
		}
	}
	slices.Sort(still)
	nobody := len(still) == len(nodes)
	switch {
	case a.quiet() && nobody && !under && !tasks:
		return []string{"Nothing can happen any more: no message is under way, no timer is set, no task waits."}
	case nobody && !under:
		facts = append(facts, "No message is under way and no timer is set.")
	case nobody:
		facts = append(facts, "No timer is set at any node.")
	case len(still) > 0:
		facts = append(facts, fmt.Sprintf("No timer is set at %s.", report.List(still)))
	}
	if !under && !nobody {
		facts = append(facts, "No message is under way.")
	}
	return facts
}

// lacks are what happens in every live walk and in no dead one.
func (a *ahead) lacks() (facts []string) {
	if len(a.live) == 0 {
		return nil
	}
	var lacking []deed
	for d := range a.live[0].did {
		if everyOne(a.live, d) && !anyOne(a.dead, d) {
			lacking = append(lacking, d)
		}
	}
	// What is lacking at one node only is told of that node.
	lacking = slices.DeleteFunc(lacking, func(d deed) bool {
		return d.node.IsZero() && slices.ContainsFunc(lacking, func(other deed) bool {
			return !other.node.IsZero() && other.kind == d.kind && other.sent == d.sent && other.what == d.what
		})
	})
	slices.SortFunc(lacking, func(x, y deed) int {
		return cmp.Or(x.node.Compare(y.node), cmp.Compare(x.kind, y.kind), strings.Compare(x.what, y.what), compareBools(x.sent, y.sent))
	})
	for i, d := range lacking {
		if i == lacksMost {
			facts = append(facts, fmt.Sprintf("And %d more of the kind.", len(lacking)-i))
			break
		}
		facts = append(facts, d.text())
	}
	return facts
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

func everyOne(all []outlook, d deed) bool {
	return !slices.ContainsFunc(all, func(o outlook) bool { return !o.did[d] })
}

func anyOne(all []outlook, d deed) bool {
	return slices.ContainsFunc(all, func(o outlook) bool { return o.did[d] })
}

// text says that something never happens any more.
func (d deed) text() string {
	node, what := "no node", report.Code(d.what)
	if !d.node.IsZero() {
		node = report.Code(d.node.String())
	}
	never := map[bool]string{true: " ever", false: " never"}[d.node.IsZero()]
	does := ""
	switch {
	case d.sent:
		does = "sends " + some(d.what)
	case d.kind == sim.KindMessage:
		does = "receives " + some(d.what)
	case d.kind == sim.KindTimer:
		does = "has its timer " + what + " fire"
	case d.kind == sim.KindTask:
		does = "does a task " + what
	case d.kind == sim.KindScript:
		does = "is asked for " + what
	case d.kind == sim.KindAction:
		does = "takes the action " + what
	default:
		panic("macemc bug: finding: no words for a deed of " + d.kind.String())
	}
	return sentence(node + never + " " + does + map[bool]string{true: "; in every run that recovers one does", false: "; in every run that recovers it does"}[d.node.IsZero()])
}

// some is one of a kind, with its article.
func some(what string) string {
	if what != "" && strings.ContainsRune("aeiouAEIOU", rune(what[0])) {
		return "an " + report.Code(what)
	}
	return "a " + report.Code(what)
}

// agreed are the lines of nodes that have one value at the end of all dead
// walks, and another at the end of each live one.
func (a *ahead) agreed() (rows [][]string) {
	if len(a.live) == 0 {
		return nil
	}
	dead, live := valuesOf(a.dead), valuesOf(a.live)
	more := 0
	for _, path := range slices.SortedFunc(maps.Keys(merged(dead, live)), naturally) {
		v, others := dead[path], live[path]
		if strings.Contains(path, " ") || len(v) > 1 || slices.ContainsFunc(others, func(x string) bool { return slices.Contains(v, x) }) {
			continue
		}
		if len(v) == 1 && a.sometimes(a.dead, path) || len(others) > 0 && len(v) == 0 && a.sometimes(a.live, path) {
			continue // one of them has no such line
		}
		if len(rows) == agreeMost {
			more++
			continue
		}
		rows = append(rows, []string{report.Code(path), cells(v), cells(others)})
	}
	if more > 0 {
		rows = append(rows, []string{fmt.Sprintf("and %d more", more), "", ""})
	}
	return rows
}

// sometimes reports whether a line is there at the end of some walks only.
func (a *ahead) sometimes(all []outlook, path string) bool {
	n := 0
	for _, o := range all {
		if slices.ContainsFunc(o.end, func(l canon.Line) bool { return l.Path == path }) {
			n++
		}
	}
	return n > 0 && n < len(all)
}

// valuesOf are the values that a line has at the ends of walks.
func valuesOf(all []outlook) map[string][]string {
	values := map[string][]string{}
	for _, o := range all {
		for _, l := range o.end {
			if !slices.Contains(values[l.Path], l.Value) {
				values[l.Path] = append(values[l.Path], l.Value)
			}
		}
	}
	return values
}

func merged(a, b map[string][]string) map[string]bool {
	all := map[string]bool{}
	for _, m := range []map[string][]string{a, b} {
		for path := range m {
			all[path] = true
		}
	}
	return all
}

// naturally orders the names of nodes by their numbers: n2 before n10.
func naturally(a, b string) int {
	x, y := strings.IndexAny(a+".", ".["), strings.IndexAny(b+".", ".[")
	return cmp.Or(cmp.Compare(x, y), strings.Compare(a, b))
}

func cells(values []string) string {
	if len(values) == 0 {
		return "–"
	}
	values = slices.Sorted(slices.Values(values))
	var parts []string
	for i, v := range values {
		if i == valuesMost {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, report.Code(v))
	}
	return strings.Join(parts, " or ")
}
