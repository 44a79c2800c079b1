package world

import (
	"slices"

	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/state"
	"macemc/netsim"
)

// Renaming computes the identities that the parts of a state would have if its nodes had other names. Its
// world takes no steps: it holds one part at a time.
type Renaming struct {
	st     *State
	walks  setting // a setting whose walker renames
	to     []int   // the new name of each node
	swaps  bool    // to is a permutation
	number []uint32
}

// NewRenaming returns a renaming in which all nodes keep their names.
func (st *State) NewRenaming() (*Renaming, error) {
	walker, err := contract.Renamer(st.sys)
	if err != nil {
		return nil, err
	}
	r := &Renaming{st: st, walks: *st.setting, number: make([]uint32, st.n+1)}
	r.walks.walker = walker
	to := make([]int, st.n)
	for i := range to {
		to[i] = i
	}
	r.Rename(to)
	return r, nil
}

// Rename sets the new names: node i gets the name to[i]. Several nodes may get the same name, and a name need
// not be that of a node. Then equal identities mean that parts differ only in names.
func (r *Renaming) Rename(to []int) {
	r.to = to
	for i, as := range to {
		r.number[i+1] = uint32(as + 1)
	}
	r.walks.walker.Rename(r.number)
	seen := state.NewNodeSet(r.st.n)
	r.swaps = true
	for _, as := range to {
		if r.swaps = r.swaps && as < r.st.n && !seen.Has(as); r.swaps {
			seen.Add(as)
		}
	}
}

// Load makes part id of a bank the part at a place of the renaming's own world, so that Sum and
// Among can read it.
func (r *Renaming) Load(b *Bank, place int, id uint32) {
	r.st.sums.Know(b)
	r.st.run.lose()
	r.st.links.Resume(0)
	r.st.restore(b, place, id)
}

// Names returns the nodes whose names occurred in the messages and nodes that were hashed since the last call of
// Rename.
func (r *Renaming) Names() (nodes []int) {
	for i := range r.st.n {
		if r.walks.walker.Met(i + 1) {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// Among returns the nodes whose names occur in a part outside of messages and nodes: the senders in a set,
// the nodes on the side of a partition, or the paused nodes.
func (r *Renaming) Among(place int) (nodes []int) {
	switch sort, at := r.st.sums.Places.At(place); sort {
	case state.Set:
		for _, m := range r.st.links.Set().For(at) {
			nodes = append(nodes, m.From)
		}
	case state.Cut, state.Pauses:
		for i := range r.st.n {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// Sum returns the identity that the part at a place would have with the new names. It depends only
// on what the part contains; the identity as a part of a state also depends on the place, which
// Placed adds.
func (r *Renaming) Sum(place int) (h canon.Hash) {
	st := r.st
	switch sort, at := st.sums.Places.At(place); sort {
	case state.Node:
		return r.node(at)
	case state.TCP:
		return connectionSum(r.packets(st.links.TCP().Packets(at)), st.links.TCP().Told(at))
	case state.UDP:
		return packetsSum(r.packets(st.links.UDP().Packets(at)))
	case state.Set:
		return membersSum(r.members(st.links.Set().For(at)))
	case state.Monitor:
		return r.walks.sum(st.judge.Monitors()[at].Memory())
	case state.Cut:
		if c := st.environ.cut; c != nil {
			return r.cut(*c)
		}
		return h
	case state.Pauses:
		if p := &st.environ.paused; !p.Empty() {
			return r.paused(p)
		}
		return h
	default:
		return st.environ.sum(sort, at)
	}
}

// node returns the identity of node i with the new names. Timers and tasks are ordered by
// their new identities.
func (r *Renaming) node(i int) canon.Hash {
	ns := &r.st.nodes.at[i]
	if ns.clock != nil {
		panic(unsupported("a node that holds times cannot be interchangeable, since the state numbers its times in the order in which they are found in the node; leave it out of System.Interchangeable, or search with Options.Symmetry none"))
	}
	condition := uint64(ns.life)
	if r.st.links.TCP().Flushing(i) {
		condition |= 1 << 7
	}
	h := r.walks.sum(ns.seen.Node).Mix(uint64(ns.next)<<8 | condition)
	if ns.lives > 0 {
		h = h.Mix(uint64(ns.lives))
	}
	timers := make([]canon.Hash, 0, len(ns.seen.Timers))
	for k := range ns.seen.Timers {
		timers = append(timers, r.walks.sum(ns.seen.Timers[k].Signal))
	}
	slices.SortFunc(timers, canon.Hash.Compare)
	for _, sum := range timers {
		h = h.Then(sum)
	}
	h = h.Mix(uint64(len(timers)))
	tasks := clone(ns.tasks)
	for k := range tasks {
		tasks[k].sum = r.walks.sum(tasks[k].signal)
	}
	slices.SortFunc(tasks, func(a, b posted) int { return a.sum.Compare(b.sum) })
	for k := range tasks {
		h = h.Then(tasks[k].sum.Mix(uint64(tasks[k].count)))
	}
	return r.walks.stored(ns, h)
}

func (r *Renaming) packets(all []netsim.Packet) []netsim.Packet {
	all = clone(all)
	for k := range all {
		all[k].Sum = r.walks.sum(all[k].Message)
	}
	return all
}

func (r *Renaming) members(all []netsim.Member) []netsim.Member {
	all = clone(all)
	for k := range all {
		m := &all[k]
		m.Sum, m.From = r.walks.sum(m.Message), r.to[m.From]
	}
	return all
}

// cut returns the identity of partition c with the new names. For a partition in both
// directions, it uses the side with the first node.
func (r *Renaming) cut(c cut) (h canon.Hash) {
	var sides [2]canon.Hash
	side := uint64(0)
	for i, as := range r.to {
		k := c.side >> i & 1
		if sides[k] = sides[k].Add(canon.Hash{}.Mix(uint64(as))); r.swaps {
			side |= k << as
		}
	}
	switch {
	case !r.swaps && c.oneWay:
		return sides[0].Then(sides[1])
	case !r.swaps:
		return sides[0].Mix(1).Add(sides[1].Mix(1))
	}
	if c.side = side; !c.oneWay && side&1 == 0 {
		c.side = ^side & (1<<r.st.n - 1)
	}
	return c.sum(canon.Hash{})
}

func (r *Renaming) paused(p *state.NodeSet) (h canon.Hash) {
	all := state.NewNodeSet(r.st.n)
	for i, as := range r.to {
		if !p.Has(i) {
			continue
		}
		if h = h.Add(canon.Hash{}.Mix(uint64(as))); r.swaps {
			all.Add(as)
		}
	}
	if !r.swaps {
		return h
	}
	return all.Sum(canon.Hash{})
}

// Renamed returns the place to which a part moves if each node i gets the name to[i].
func Renamed(at state.Places, n int, place int, to []int) int {
	switch sort, k := at.At(place); sort {
	case state.Node:
		return at.Node(to[k])
	case state.TCP:
		return at.TCP(to[k/n]*n + to[k%n])
	case state.UDP:
		return at.UDP(to[k/n]*n + to[k%n])
	case state.Set:
		return at.Set(to[k])
	}
	return place
}

// Placed combines h, the identity of a part's contents, with the place of the part. So equal contents
// at two places have different identities.
func Placed(h canon.Hash, place int) canon.Hash { return placed(h, place) }
