package account

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/search"
	"macemc/sim"
)

const (
	aheadWalks = 8   // that are taken from a dead end, and as many from the last recoverable state
	aheadSteps = 300 // of a walk from a dead end
)

// Ahead is what comes of the end of a dead run: random walks from there, and as
// many that recover, from before the critical step. What is told is true of all of
// one kind and of none of the other.
type Ahead struct {
	Dead, Live int  // walks that were taken; Live is 0 where the run was dead from its start
	Steps      int  // of the longest of the dead ones
	Quiet      bool // nothing happened in any dead one

	// At the ends of the dead ones.
	Still    []sim.Addr // nodes at which no timer is set at any
	UnderWay bool       // a message is under way at some
	Tasks    bool       // a task waits at some

	Lacks     []Deed        // what happens in every live walk, and in no dead one
	Strangers [][2]sim.Addr // the first knows the second and is not known by it, at every dead end; wherever the run recovers they know each other
	Agreed    []Agreed      // lines of nodes with one value at all dead ends, and others where the run recovers
}

// Deed is a kind of event, or of effect, with the type of what it is about.
type Deed struct {
	Node sim.Addr // nobody: at any
	Kind sim.Kind // a timer's is KindTimer, that of any message KindMessage
	Sent bool     // it was not delivered but sent
	What string
}

// Agreed is a line of the state. No values: there is no such line.
type Agreed struct {
	Path       string
	Dead, Live []string
}

// outlook is one walk: its end, and what happened in it.
type outlook struct {
	end   []canon.Line
	waits world.Waiting // at its end
	knows map[[2]sim.Addr]bool
	did   map[Deed]bool
	more  int // steps after the run's own, save the healing
}

// outlooks are walks of both kinds.
type outlooks struct{ dead, live []outlook }

// Ahead takes the walks, once. Nil: the run is not dead, or they could not be
// taken.
func (a *Account) Ahead() *Ahead {
	if !a.looked {
		a.looked = true
		if f := a.Finding; f.Verdict == sim.VerdictDead && f.Trace != nil {
			if o, err := a.lookAhead(); err == nil && len(o.dead) > 0 {
				a.ahead = o.told(a.Params.Addrs())
			}
		}
	}
	return a.ahead
}

func (a *Account) lookAhead() (o outlooks, err error) {
	f := a.Finding
	lab, err := search.NewLab(a.System, f.Path, search.Options{Walks: a.Walking.Walks, WalkSteps: a.Walking.WalkSteps, Stop: a.stop})
	if err != nil {
		return o, err
	}
	defer lab.Close()
	of, err := lab.Take(f.Path)
	if err != nil {
		return o, err
	}
	o.dead, err = walks(lab, of, search.Walks{From: of.Steps(), Count: aheadWalks, Steps: aheadSteps, All: true, Survive: true})
	if c := f.Critical; err == nil && len(o.dead) > 0 && c != nil && c.Step > 0 {
		o.live, err = walks(lab, of, search.Walks{From: c.Step - 1, Count: aheadWalks, Steps: lab.Options().WalkSteps, All: true})
	}
	return o, err
}

// walks takes some walks, and then each again to see what happens in it.
func walks(lab *search.Lab, of *search.Case, q search.Walks) (all []outlook, err error) {
	walked, err := lab.Walk(of, q)
	if err != nil {
		return nil, err
	}
	for _, s := range walked.Success {
		o := outlook{did: map[Deed]bool{}}
		err := lab.Show(of, s, func(w *world.World, last bool) {
			if e := w.Run.LastEvent(); w.Run.Steps() > q.From && e.Kind != sim.KindHeal {
				o.more++
				o.note(e, w.Run.Effects())
			}
			if last {
				o.end, o.waits, o.knows = w.Text.Lines(), w.State.Waiting(), acquaintances(w)
			}
		})
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// acquaintances are the pairs of nodes of which the first has the address of the
// second in its fields.
func acquaintances(w *world.World) map[[2]sim.Addr]bool {
	pairs := map[[2]sim.Addr]bool{}
	for _, one := range w.Params().Addrs() {
		for _, other := range w.State.Knows(one) {
			pairs[[2]sim.Addr{one, other}] = true
		}
	}
	return pairs
}

func (o *outlook) note(e sim.Event, effects []sim.Effect) {
	switch e.Kind {
	case sim.KindMessage, sim.KindReorder, sim.KindTimer, sim.KindTask, sim.KindScript, sim.KindAction:
		o.add(Deed{e.Node, min(e.Kind, sim.KindTimer), false, typeOf(e.Value)})
	}
	for _, did := range effects {
		if did.Kind == sim.EffectSend {
			o.add(Deed{e.Node, sim.KindMessage, true, typeOf(did.Value)})
		}
	}
}

func (o *outlook) add(d Deed) {
	o.did[d] = true
	d.Node = sim.Addr{}
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

// told is what the walks have in common, among these nodes.
func (o outlooks) told(nodes []sim.Addr) *Ahead {
	a := &Ahead{Dead: len(o.dead), Live: len(o.live), Quiet: true}
	for _, one := range o.dead {
		a.Steps = max(a.Steps, one.more)
		a.Quiet = a.Quiet && len(one.did) == 0
		a.UnderWay = a.UnderWay || one.waits.UnderWay
		a.Tasks = a.Tasks || one.waits.Tasks
	}
	for _, node := range nodes {
		if !slices.ContainsFunc(o.dead, func(one outlook) bool { return one.waits.SetAt(node) }) {
			a.Still = append(a.Still, node)
		}
	}
	if len(o.live) > 0 {
		a.Lacks, a.Strangers, a.Agreed = o.lacks(), o.strangers(nodes), o.agreed()
	}
	return a
}

// lacks are what happens in every live walk and in no dead one. What is lacking at
// one node only is told of that node.
func (o outlooks) lacks() (lacking []Deed) {
	for d := range o.live[0].did {
		if every(o.live, d) && !some(o.dead, d) {
			lacking = append(lacking, d)
		}
	}
	lacking = slices.DeleteFunc(lacking, func(d Deed) bool {
		return d.Node.IsZero() && slices.ContainsFunc(lacking, func(other Deed) bool {
			return !other.Node.IsZero() && other.Kind == d.Kind && other.Sent == d.Sent && other.What == d.What
		})
	})
	slices.SortFunc(lacking, func(x, y Deed) int {
		return cmp.Or(x.Node.Compare(y.Node), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.What, y.What), cmp.Compare(number(x.Sent), number(y.Sent)))
	})
	return lacking
}

func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

func every(all []outlook, d Deed) bool {
	return !slices.ContainsFunc(all, func(o outlook) bool { return !o.did[d] })
}

func some(all []outlook, d Deed) bool {
	return slices.ContainsFunc(all, func(o outlook) bool { return o.did[d] })
}

// strangers are peers that disagree about what they are to each other.
func (o outlooks) strangers(nodes []sim.Addr) (pairs [][2]sim.Addr) {
	count := func(all []outlook, one, other sim.Addr) (n int) {
		for i := range all {
			if all[i].knows[[2]sim.Addr{one, other}] {
				n++
			}
		}
		return n
	}
	for _, one := range nodes {
		for _, other := range nodes {
			if one != other && count(o.dead, one, other) == len(o.dead) && count(o.dead, other, one) == 0 &&
				count(o.live, one, other) == len(o.live) && count(o.live, other, one) == len(o.live) {
				pairs = append(pairs, [2]sim.Addr{one, other})
			}
		}
	}
	return pairs
}

// agreed are the fields of nodes that have one value at the end of all dead walks,
// and another at the end of each live one.
func (o outlooks) agreed() (all []Agreed) {
	dead, live := valuesOf(o.dead), valuesOf(o.live)
	paths := slices.Collect(maps.Keys(dead))
	for path := range live {
		if dead[path] == nil {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, naturally)
	for _, path := range paths {
		v, others := dead[path], live[path]
		if len(v.values()) > 1 || slices.ContainsFunc(others.values(), func(x string) bool { return slices.Contains(v.values(), x) }) {
			continue
		}
		// Where only some walks of one kind end with such a line at all, they do not agree.
		if v != nil && v.walks < len(o.dead) || v == nil && others.walks < len(o.live) {
			continue
		}
		all = append(all, Agreed{path, v.values(), others.values()})
	}
	return all
}

// naturally orders the names of nodes by their numbers: n2 before n10.
func naturally(x, y string) int {
	long := func(path string) int { return strings.IndexAny(path+".", ".[") }
	return cmp.Or(cmp.Compare(long(x), long(y)), cmp.Compare(x, y))
}

// ends are the values that one line has at the ends of walks, and at how many of
// them there is such a line.
type ends struct {
	all   []string
	walks int
}

func (e *ends) values() []string {
	if e == nil {
		return nil
	}
	return e.all
}

// valuesOf are the values of the fields of nodes at the ends of walks.
func valuesOf(all []outlook) map[string]*ends {
	out := map[string]*ends{}
	for _, o := range all {
		met := map[string]bool{}
		for _, l := range o.end {
			if world.PlaceOf(l).Part != world.PartField {
				continue
			}
			e := out[l.Path]
			if e == nil {
				e = &ends{}
				out[l.Path] = e
			}
			if !met[l.Path] {
				met[l.Path] = true
				e.walks++
			}
			if !slices.Contains(e.all, l.Value) {
				e.all = append(e.all, l.Value)
			}
		}
	}
	for _, e := range out {
		slices.Sort(e.all)
	}
	return out
}
