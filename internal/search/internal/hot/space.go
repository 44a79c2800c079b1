package hot

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/fair"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
)

// propertiesMost is the largest number of properties made by sim.Cools that can be checked
// together: a state has one bit for each.
const propertiesMost = 64

// Space is the graph of the healed forms of some states of an explorer, and of the states that
// these forms can reach.
type Space struct {
	*explore.Taker
	step   explore.InWorld
	roots  []uint32              // the states of the explorer whose healed forms are the first states of the graph, in the order of these; several states may have one healed form
	root   map[uint32]int        // by healed state: the index in roots of the first state with this form
	first  []Origin              // by healed state: the step by which it was first reached
	masks  []uint64              // by healed state: the properties that are hot there, one bit for each
	graph  fair.Graph            // the edges of hot states
	number map[string]int32      // the number of each action, by its name
	names  []string              // the names of actions
	left   map[uint32]bool       // states about which the graph claims nothing
	only   bool                  // expand only hot states, since all states are known
	deep   func(root uint32) int // returns the number of steps that lead to a state of the explorer

	States int  // the largest number of states to visit; 0 means no limit
	Whole  bool // all states were visited: no limit on states or on answers was met
}

// Origin is the step by which a state of the graph was first reached. Its parent is
// explore.NoParent for the healed form of one of the explorer's states, which no step of the graph
// reached first.
type Origin struct {
	parent uint32 // the state before the step
	how    uint32 // the step: the number of its event, and that of the list of its coins
}

// New returns a Space without states. It shares the world and the bank (the store of the parts of
// states) of explorer x. The function deep returns the number of steps that lead to a state of the
// explorer.
func New(r *explore.Owner, x *explore.Explorer, deep func(s uint32) int) (*Space, error) {
	if n := len(x.World.Judge.Cools()); n > propertiesMost {
		return nil, fmt.Errorf("%d properties were made by Cools, and at most %d can be checked at a time; name fewer in Options.Properties", n, propertiesMost)
	}
	l, err := r.NewLedger(len(x.From), nil)
	if err != nil {
		return nil, err
	}
	t := x.Heals(r, l)
	g := &Space{
		Taker: t, step: explore.InWorld{Taker: t}, root: map[uint32]int{}, left: map[uint32]bool{}, number: map[string]int32{}, deep: deep,
		graph: fair.Graph{Answers: make([]int, len(x.World.System().Fair))},
	}
	t.Visits(gathering{g})
	return g, nil
}

// Gather visits the states that can be reached from the healed forms of the states in of, which are
// states of explorer x, or of all its states if of is nil. If closed is true, the explorer has
// already visited all states that can be reached, and no fault is possible in them.
func (g *Space) Gather(x *explore.Explorer, of []uint32, closed bool) error {
	g.only = closed
	each := x.Each
	if of != nil {
		each = func(yield func(uint32) bool) {
			for _, s := range of {
				if !yield(s) {
					return
				}
			}
		}
	}
	for s := range each {
		if s%1024 == 0 && g.halted() {
			return explore.ErrHalt
		}
		if of == nil && x.Outside(s) {
			continue
		}
		if err := g.Room(1); err != nil {
			return err
		}
		x.Get(s, g.To)
		g.Bank.Heal(g.To)
		g.Pack(g.To)
		if g.Entry.Add(g.Sum(g.To), explore.Origin{Parent: explore.NoParent}) {
			g.World.State.Load(g.Bank, g.To)
			g.met(g.Next-1, Origin{parent: explore.NoParent})
			g.root[g.Next-1] = len(g.roots)
			g.roots = append(g.roots, s)
		}
	}
	g.Whole = true
	for s := range g.Each {
		if s%1024 == 0 && g.halted() {
			return explore.ErrHalt
		}
		if g.States > 0 && g.Kept() > g.States || g.Sampled {
			g.unknown(s)
			continue
		}
		if g.only && g.masks[s] == 0 {
			continue
		}
		if err := g.step.Expand(s); err != nil {
			return err
		}
	}
	g.Whole = g.Whole && !g.Sampled
	return nil
}

func (g *Space) halted() bool {
	g.Owner.Pulse.Tick()
	return g.Owner.Stopped()
}

// unknown records that the steps of state s are not known. The graph is then not whole.
func (g *Space) unknown(s uint32) {
	g.Whole = false
	g.leaves(s)
}

// leaves records that the graph has no steps of state s. It then claims nothing about runs through s.
func (g *Space) leaves(s uint32) { g.masks[s], g.left[s] = 0, true }

// met records state number s, which is new and loaded in the world, and the step by which it was
// reached.
func (g *Space) met(s uint32, by Origin) {
	for len(g.masks) <= int(s) {
		g.masks, g.first = append(g.masks, 0), append(g.first, Origin{parent: explore.NoParent})
	}
	g.Told()
	g.first[s] = by
	for k := range g.World.Judge.Cools() {
		if g.World.Judge.Hot(k) {
			g.masks[s] |= 1 << k
		}
	}
	g.graph.Meet(int(s), false)
}

// gathering is the visitor that adds to a Space the states to which steps lead.
type gathering struct{ *Space }

func (g gathering) LookUp(*explore.Memo) error {
	panic("macemc bug: search: a remembered step does not say what it consumes")
}

func (g gathering) Arrived(from uint32, k int) error {
	h := g.World.State.Hash()
	if failure := g.World.Run.Failed(); failure != nil {
		return &explore.Wrong{Failure: failure}
	}
	if err := g.Room(1); err != nil {
		return err
	}
	coins, ok := g.Lists.Number(g.Coins())
	if !ok || k > 1<<16-1 {
		g.Limit()
		return nil
	}
	how := uint32(k)<<16 | uint32(coins)
	g.World.State.Save(g.Bank, g.To)
	g.Pack(g.To)
	to, known := g.Entry.Find(h)
	if !known { // if g.only is set, all states are known but those that were left out
		g.Entry.Add(h, explore.Origin{Parent: from})
		to = g.Next - 1
		g.met(to, Origin{from, how})
		if g.only || !g.World.Judge.Within() {
			g.leaves(to)
		}
	}
	if g.masks[from] != 0 {
		g.edge(from, to, how)
	}
	return nil
}

// edge adds the step from state from to state to, which the world has just taken, to the graph.
func (g *Space) edge(from, to, how uint32) {
	e := fair.Edge{To: int32(to), Action: fair.Unfair, How: how}
	if name, must := g.World.Run.LastAction(); must {
		n, known := g.number[name]
		if !known {
			n = int32(len(g.names))
			g.number[name], g.names = n, append(g.names, name)
		}
		e.Action = n
	}
	for k := range g.World.Judge.Cools() {
		if g.World.Run.Cooled(k) {
			e.Cools |= 1 << k
		}
	}
	var asked []fair.Answer
	g.World.Run.FairCoins(func(choice int, coin choose.Choice) {
		g.graph.Ask(choice, coin.Of)
		asked = append(asked, fair.Answer{Choice: choice, Answer: coin.Pick})
	})
	g.graph.Add(int(from), e, asked...)
}

// Looped is a fair run on which a property stays hot for ever: Way, and then Cycle again and again.
type Looped struct {
	Property int         // the number of the property among those made by sim.Cools
	Root     uint32      // the state of the explorer whose healed form begins Way
	Way      []run.Taken // the steps to the first state of the cycle
	Cycle    []run.Taken // the steps that are repeated; if there are none, nothing needs to happen after Way
	Untaken  []string    // events that are possible in some states of the cycle, but that no step of it takes
	Cold     []run.Taken // a shortest run from the first state of the cycle to a cold state, or nil if there is none

	ever []bool // by state of the graph: whether a fair run can stay hot for ever from there
}

// Find returns a fair run on which the property with this number stays hot for ever, or nil if
// there is none. Of several it returns the one whose cycle is nearest to the start.
func (g *Space) Find(property int) *Looped {
	g.graph.About(property)
	var inside []int
	for s, mask := range g.masks {
		hot := mask>>property&1 == 1
		g.graph.Meet(s, hot)
		if hot {
			inside = append(inside, s)
		}
	}
	parts := g.graph.Parts(inside)
	deep := g.depths()
	best, part := -1, -1
	for _, s := range inside {
		if g.graph.Rests(s) && (best < 0 || deep[s] < deep[best]) {
			best = s
		}
	}
	for k, p := range parts {
		for _, s := range p.States {
			if best < 0 || deep[s] < deep[best] {
				best, part = s, k
			}
		}
	}
	if best < 0 {
		return nil
	}
	var cycle []run.Taken
	var untaken []string
	if part >= 0 {
		cycle, untaken = g.cycle(parts[part], best)
	}
	root, way := g.way(uint32(best))
	return &Looped{
		Property: property, Root: root, Way: way, Cycle: cycle, Untaken: untaken, Cold: g.cold(best, property), ever: g.graph.Ever(parts),
	}
}

// depths returns, for each state of the graph, the number of steps that lead to it, including the
// step of healing.
func (g *Space) depths() []int {
	deep := make([]int, len(g.first))
	for s := range g.first {
		if root, is := g.root[uint32(s)]; is {
			deep[s] = g.deep(g.roots[root])
		} else if p := g.first[s].parent; p != explore.NoParent {
			deep[s] = deep[p] + 1
		}
	}
	return deep
}

// way returns the steps by which state s of the graph was first reached. They begin in the healed
// form of the explorer's state root.
func (g *Space) way(s uint32) (root uint32, steps []run.Taken) {
	for g.first[s].parent != explore.NoParent {
		steps = append([]run.Taken{g.taken(g.first[s].how)}, steps...)
		s = g.first[s].parent
	}
	return g.roots[g.root[s]], steps
}

func (g *Space) taken(how uint32) run.Taken {
	return run.Taken{Event: int(how >> 16), Coins: g.Lists.Get(uint16(how))}
}

// cycle returns the steps of a fair cycle through state from, in the part p of the graph. It also
// returns the names of the actions that are possible in some state of the cycle but that no step of
// it takes.
func (g *Space) cycle(p fair.Part, from int) (cycle []run.Taken, untaken []string) {
	possible, taken := map[int32]bool{}, map[int32]bool{}
	for _, step := range g.graph.Cycle(p, from) {
		e := g.graph.Edges[step.State][step.Edge]
		cycle = append(cycle, g.taken(e.How))
		taken[e.Action] = true
		for _, e := range g.graph.Edges[step.State] {
			possible[e.Action] = true
		}
	}
	for n, name := range g.names {
		if possible[int32(n)] && !taken[int32(n)] {
			untaken = append(untaken, name)
		}
	}
	return cycle, untaken
}

// cold returns the steps of a shortest run from state from, where the property is hot, to a state
// where it is cold, or nil if there is none.
func (g *Space) cold(from, property int) []run.Taken {
	type reached struct{ by, how uint32 }
	ways := map[uint32]reached{uint32(from): {}}
	for todo := []uint32{uint32(from)}; len(todo) > 0; todo = todo[1:] {
		for _, e := range g.graph.Edges[todo[0]] {
			to, stays := uint32(e.To), g.masks[e.To]>>property&1 == 1 && e.Cools>>property&1 == 0
			if _, met := ways[to]; met && stays || g.left[to] {
				continue
			}
			if !stays {
				steps := []run.Taken{g.taken(e.How)}
				for s := todo[0]; s != uint32(from); s = ways[s].by {
					steps = append([]run.Taken{g.taken(ways[s].how)}, steps...)
				}
				return steps
			}
			ways[to] = reached{todo[0], e.How}
			todo = append(todo, to)
		}
	}
	return nil
}

// Ever reports whether the property of l can stay hot for ever on a fair run from the healed form
// of state s of explorer x, without becoming cold in between.
func (g *Space) Ever(x *explore.Explorer, l *Looped, s uint32) bool {
	x.Get(s, g.To)
	g.Bank.Heal(g.To)
	g.Pack(g.To)
	healed, known := g.Entry.Find(g.Sum(g.To))
	return known && l.ever[healed]
}
