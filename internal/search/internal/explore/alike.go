package explore

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/sim"
)

// System.Interchangeable declares that nodes are interchangeable, and this file compares that with
// what the service does. Two checks are made. The start states must be the same after nodes have
// swapped names. And some of the kept states are compared with a renamed copy of themselves: to
// reach the copy, the run to the state is taken again, and at each of its states the explorer looks
// for the step that leads to the renamed next state. Each property must have the same value in the
// copy as in the state itself, and the steps of the copy must lead to the renamed next states.

const (
	alikeLeast = 200 // this many states are compared, beginning with the first
	alikeEvery = 512 // after that, one state in alikeEvery
)

// Differs is the error that nodes declared interchangeable behave differently if they swap names.
// Sets has the names of the nodes, and How describes the difference.
type Differs struct{ Sets, How string }

func (d *Differs) Error() string {
	return fmt.Sprintf("System.Interchangeable says that %s may swap their names, and they may not: %s; a node must not compare or sort addresses, or keep one as a number or text, and neither a property nor a script may name one of them; mend that, or take the nodes out of the set", d.Sets, d.How)
}

// Names returns the names of the interchangeable nodes as text, one list for each set of them.
func (f *Fold) Names() string {
	var all []string
	for _, set := range f.sets {
		first, last := sim.Params{Nodes: f.n}.Addr(set[0]), sim.Params{Nodes: f.n}.Addr(set[len(set)-1])
		switch {
		case len(set) == 2:
			all = append(all, fmt.Sprint(first, " and ", last))
		case set[len(set)-1]-set[0] == len(set)-1:
			all = append(all, fmt.Sprint(first, " to ", last))
		default:
			var names []string
			for _, i := range set {
				names = append(names, sim.Params{Nodes: f.n}.Addr(i).String())
			}
			all = append(all, strings.Join(names, ", "))
		}
	}
	return strings.Join(all, ", and ")
}

// aim is a state to which a step leads.
type aim struct {
	sum  canon.Hash // the identity of the state, with its nodes renamed by aims.to
	what string     // the identity of the step's event
	v    world.Vector
}

// aims collects the states to which all steps of one state lead. It is the visitor in the world where these steps
// are taken.
type aims struct {
	f   *Fold
	to  []int // the renaming: node i gets the name of node to[i]
	all []aim
}

// Arrived adds the state to which event number k has led. If the step failed, the failed property is mixed into the
// identity.
func (a *aims) Arrived(_ uint32, k int) error {
	t := a.f.other
	v := make(world.Vector, len(t.From))
	t.World.State.Save(t.Bank, v)
	sum := a.f.total(v, a.to)
	if failure := t.World.Run.Failed(); failure != nil {
		sum = sum.Then(canon.OfString(failure.Property))
	}
	a.all = append(a.all, aim{sum, t.World.Run.LastIdentity(), v})
	return nil
}

func (a *aims) LookUp(*Memo) error {
	panic("macemc bug: search: a step was looked up that is to be taken")
}

// ahead returns the aim of each step of state v. The identities of the aims are computed with node i renamed to
// to[i], and depend on whether the step is rare.
func (f *Fold) ahead(v world.Vector, to []int) []aim {
	t := f.other
	a := &aims{f: f, to: to}
	t.Visits(a)
	for k, n := 0, 1; k < n; k++ {
		rare := false
		failure := t.World.Protect(func() {
			t.stands(v)
			n = t.World.Events.Count()
			if k == n {
				return
			}
			rare = t.World.Events.Rare(k)
			if err := t.takeEvent(NoParent, k); err != nil {
				panic(err)
			}
		})
		if failure != nil {
			a.all = append(a.all, aim{canon.OfString(string(failure.Verdict) + failure.Property), t.World.Run.LastIdentity(), nil})
		}
		if rare && len(a.all) > 0 {
			last := &a.all[len(a.all)-1]
			last.sum = last.sum.Mix(1)
		}
	}
	return a.all
}

// verdict describes, for an error message, which properties hold in state v.
func (f *Fold) verdict(v world.Vector) (said string) {
	t := f.other
	t.World.Protect(func() {
		t.stands(v)
		if failure := t.World.Judge.Check(); failure != nil {
			said = fmt.Sprintf("property %q fails", failure.Property)
			t.World.Judge.Pardon()
			return
		}
		names, _ := t.World.Judge.NotLive()
		for _, name := range names {
			said += fmt.Sprintf("property %q does not hold, ", name)
		}
		if !t.World.Judge.Within() {
			said += "it is outside of System.Within, "
		}
		if !t.World.Judge.Assumed() {
			said += "it is outside of System.Assume, "
		}
		if said = strings.TrimSuffix(said, ", "); said == "" {
			said = "all properties hold"
		}
	})
	return said
}

// stands loads state v into the taker's world.
func (t *Taker) stands(v world.Vector) {
	copy(t.From, v)
	t.World.State.Load(t.Bank, t.From)
}

// prepares makes a second world, in which steps are taken from states with renamed nodes.
func (f *Fold) prepares(x *Explorer) error {
	if f.other != nil {
		return nil
	}
	w, err := x.Owner.NewWorld(world.Config{Sprint: true})
	if err != nil {
		return err
	}
	w.State.Track()
	x.Owner.Allow(x.Climate, w)
	t := &Taker{Owner: x.Owner, World: w, Climate: x.Climate, Bank: x.Bank, Lists: x.Lists, Entry: x.Ledger.Entry(), From: make(world.Vector, len(x.From)), To: make(world.Vector, len(x.To)), Step: answerer{Pulse: &x.Owner.Pulse, Halt: func() bool { return false }}}
	f.prepared(t)
	return nil
}

func (f *Fold) prepared(t *Taker) { f.other = t }

// begins checks that each start state is still a start state after any two interchangeable nodes
// have swapped names. It then compares each start state with renamed copies of it: see alike.
func (x *Explorer) begins() error {
	f := x.fold
	if f == nil {
		return nil
	}
	if err := f.prepares(x); err != nil {
		return err
	}
	to := make([]int, f.n)
	for _, set := range f.sets {
		for k := range set[1:] {
			copy(to, f.same)
			to[set[k]], to[set[k+1]] = set[k+1], set[k]
			for _, v := range f.roots {
				if f.root(f.total(v, to)) == nil {
					return &Differs{f.Names(), f.unlike(v, set[k], set[k+1])}
				}
			}
		}
	}
	for s := range x.Each {
		if err := x.alike(s, f.total(f.roots[0], f.same)); err != nil {
			return err
		}
	}
	return nil
}

// unlike describes in what way nodes i and j differ in start state v.
func (f *Fold) unlike(v world.Vector, i, j int) string {
	a, b := sim.Params{Nodes: f.n}.Addr(i).String(), sim.Params{Nodes: f.n}.Addr(j).String()
	how := fmt.Sprintf("%s and %s are not alike at the start", a, b)
	swap := func(text string) string {
		return word.ReplaceAllStringFunc(text, func(name string) string {
			switch name {
			case a:
				return b
			case b:
				return a
			}
			return name
		})
	}
	f.other.World.Protect(func() {
		f.other.stands(v)
		lines := f.other.World.Text.Lines()
		for _, l := range lines {
			want, value := swap(l.Path), swap(l.Value)
			if k := slices.IndexFunc(lines, func(o canon.Line) bool { return o.Path == want }); k >= 0 && lines[k].Value != value {
				how += fmt.Sprintf(": %s is %s, and with the names swapped %s would be %s, and is %s", l.Path, l.Value, want, value, lines[k].Value)
				return
			}
		}
	})
	return how
}

var word = regexp.MustCompile(`\bn\d+\b`)

func (f *Fold) starts(v world.Vector) { f.roots = append(f.roots, v) }

// root returns the start state with identity h, or nil if there is none.
func (f *Fold) root(h canon.Hash) world.Vector {
	for _, v := range f.roots {
		if f.total(v, f.same) == h {
			return v
		}
	}
	return nil
}

// dueAlike reports whether the state that was added last belongs to the sample of states that are compared with
// renamed copies.
func (f *Fold) dueAlike() bool {
	f.kept++
	return f.kept <= alikeLeast || f.kept%alikeEvery == 0
}

// alike compares state s, whose identity is h, with three copies in which nodes are renamed. In the first, each
// node of a set has the name of the next node of the set; in the second, the names are permuted in an order that
// depends on h; in the third, two nodes have swapped names. The run to s is repeated for each copy.
func (x *Explorer) alike(s uint32, h canon.Hash) error {
	f := x.fold
	var run []uint32
	for at := s; at != NoParent; at = x.Origin(at).Parent {
		run = append(run, at)
	}
	slices.Reverse(run)
	states := make([]world.Vector, len(run))
	for k, at := range run {
		states[k] = make(world.Vector, len(x.From))
		x.Get(at, states[k])
	}
	for turn := range uint64(3) {
		to := f.shuffled(h, turn)
		if how := f.compare(states, to); how != "" {
			return &Differs{f.Names(), how}
		}
	}
	f.compared()
	return nil
}

func (f *Fold) compared() { f.Compared++ }

// shuffled returns new names for the nodes. The turn selects one of the three ways of renaming that alike describes.
func (f *Fold) shuffled(h canon.Hash, turn uint64) []int {
	to := slices.Clone(f.same)
	for _, set := range f.sets {
		if turn == 0 {
			for k, i := range set {
				to[i] = set[(k+1)%len(set)]
			}
			continue
		}
		for k := len(set) - 1; k > 0; k-- {
			h = h.Mix(turn)
			j := int(h.Lo % uint64(k+1))
			to[set[k]], to[set[j]] = to[set[j]], to[set[k]]
			if turn > 1 && j != k {
				break
			}
		}
	}
	return to
}

// compare repeats a run, given as the states along it, with renamed nodes: node i gets the name of node to[i]. If the
// renamed run cannot be taken, or if its last state has other properties or other steps than that of the given run,
// compare describes the first difference. Otherwise it returns "".
func (f *Fold) compare(run []world.Vector, to []int) (how string) {
	other := f.root(f.total(run[0], to))
	before := "at the start"
	for at, next := range run[1:] {
		want := f.total(next, to)
		all := f.ahead(other, f.same)
		k := slices.IndexFunc(all, func(a aim) bool { return a.sum == want && a.v != nil })
		if k < 0 {
			return f.differ(before, all, f.ahead(run[at], to), to)
		}
		other, before = all[k].v, "after "+all[k].what
	}
	last := run[len(run)-1]
	if is, would := f.verdict(other), f.verdict(last); is != would {
		return fmt.Sprintf("%s, %s, and with the names swapped (%s) %s", before, is, f.swapped(to), would)
	}
	return f.differ(before, f.ahead(other, f.same), f.ahead(last, to), to)
}

// differ compares two lists of steps: is, those of a state of the renamed run, and would, those of the same state
// of the given run with its nodes renamed by to. It returns a text that describes a difference and begins with
// before, or "" if there is none.
func (f *Fold) differ(before string, is, would []aim, to []int) string {
	less := func(a, b aim) int {
		if a.sum == b.sum {
			return 0
		}
		if a.sum.Hi < b.sum.Hi || a.sum.Hi == b.sum.Hi && a.sum.Lo < b.sum.Lo {
			return -1
		}
		return 1
	}
	slices.SortFunc(is, less)
	slices.SortFunc(would, less)
	for k := 0; k < len(is) || k < len(would); k++ {
		switch {
		case k == len(would) || k < len(is) && less(is[k], would[k]) < 0:
			return fmt.Sprintf("%s, %q leads to a state to which no step leads where the names are swapped (%s)", before, is[k].what, f.swapped(to))
		case k == len(is) || less(is[k], would[k]) > 0:
			return fmt.Sprintf("%s, no step leads to the state to which %q leads where the names are swapped (%s)", before, would[k].what, f.swapped(to))
		}
	}
	return ""
}

// swapped describes a renaming for an error message.
func (f *Fold) swapped(to []int) string {
	var all []string
	for i, as := range to {
		if i != as {
			all = append(all, fmt.Sprintf("n%d for n%d", as, i))
		}
	}
	return strings.Join(all, ", ")
}
