package world

import (
	"macemc/internal/canon"
	"macemc/internal/net"
	"macemc/internal/state"
	"macemc/netsim"
)

// The state of a world is what decides its future: each node with its timers,
// tasks and the openings left in its script, what is under way on each
// channel, and the monitors' memories. Its hash is a sum over these parts, so
// that a step computes anew only the parts that it touched.

// State is everything on which the possible continuations of a run depend, in parts that a Bank keeps.
type State struct {
	*setting
	sums    *state.Sums
	run     *Run
	links   *net.Links
	nodes   *nodes
	environ *Environment
	judge   *Judge
	scratch nodePart // memory for addPacked
}

// Hash returns the identity of the state. Equal states have the same identity, in every process and
// whatever run led to them.
func (st *State) Hash() canon.Hash { return st.sums.Hash(st) }

// PartSum returns the identity of the part at a place, or zero if the part is empty. Equal parts at
// two places have different identities, so that the identity of a state can be the sum over all
// parts.
func (st *State) PartSum(part int) canon.Hash {
	var h canon.Hash
	switch sort, at := st.sums.Places.At(part); sort {
	case state.Node:
		h = st.nodes.identity(at)
	case state.TCP:
		h = connectionSum(st.summed(st.links.TCP().Packets(at)), st.links.TCP().Told(at))
	case state.UDP:
		h = packetsSum(st.summed(st.links.UDP().Packets(at)))
	case state.Set:
		h = membersSum(st.links.Set().For(at))
	case state.Monitor:
		h = st.sum(st.judge.Monitors()[at].Memory())
	default:
		h = st.environ.sum(sort, at)
	}
	return placed(h, part)
}

// Recorded returns the identity of the state in the form that paths record. It differs from Hash in
// the parts that belong to no node and no pair of nodes, such as budgets and monitors: Recorded
// hashes them together as one part. They were one part when the first paths were recorded, and those
// paths must stay valid.
func (st *State) Recorded() canon.Hash {
	h, at := st.Hash(), st.sums.Places
	for place := at.Rest(); place < at.Len(); place++ {
		h = h.Sub(st.PartSum(place))
	}
	rest := st.environ.identity()
	for k := range st.judge.Monitors() {
		rest = rest.Then(st.sum(st.judge.Monitors()[k].Memory()))
	}
	return h.Add(placed(rest, at.Rest()))
}

// Healed returns the identity of the state that healing would make of this one: see World.Heal.
func (st *State) Healed() canon.Hash {
	h, at := st.Hash(), st.sums.Places
	for place := at.Rest(); place < at.Healed(); place++ {
		h = h.Sub(st.PartSum(place))
	}
	return h
}

// placed combines an identity with a place. The identity of an empty part, which is zero, stays zero.
func placed(h canon.Hash, place int) canon.Hash {
	if h == (canon.Hash{}) {
		return h
	}
	return h.Mix(uint64(place))
}

func packetsSum(packets []netsim.Packet) (h canon.Hash) {
	for i := range packets {
		h = h.Then(packets[i].Sum)
	}
	return h
}

// connectionSum returns the identity of one direction of a connection: of the queued messages, and
// of its sender's flags.
func connectionSum(packets []netsim.Packet, told uint8) canon.Hash {
	h := packetsSum(packets)
	if told != 0 {
		h = h.Then(canon.Hash{Hi: uint64(told)})
	}
	return h
}

func membersSum(members []netsim.Member) (h canon.Hash) {
	for i := range members {
		m := canon.Hash(members[i].Sum).Mix(uint64(members[i].From))
		if count := members[i].Count; count > 0 {
			m = m.Mix(uint64(count))
		}
		h = h.Add(m)
	}
	return h
}

// sum returns the identity of one part of the environment, or zero if it is empty. sort says
// whether that is budget k, the partition or the set of paused nodes.
func (e *Environment) sum(sort state.Sort, k int) (h canon.Hash) {
	switch {
	case sort == state.Budget && e.budget(k) != 0:
		h = h.Mix(uint64(e.budget(k)))
	case sort == state.Cut && e.cut != nil:
		h = e.cut.sum(h)
	case sort == state.Pauses && !e.paused.Empty():
		h = e.paused.Sum(h)
	}
	return h
}

func (c *cut) sum(h canon.Hash) canon.Hash {
	if h = h.Mix(c.side); c.oneWay {
		h = h.Mix(1)
	}
	return h
}

// alwaysSummed is the number of budgets that are part of the identity even if they are used up. The
// budgets of faults that were added to macemc later are not, so that states of runs without these
// faults keep their identities.
const alwaysSummed = 9

// identity returns the identity of the environment as paths record it. It is zero if the environment
// has healed.
func (e *Environment) identity() (h canon.Hash) {
	if e.Healed() {
		return h
	}
	for k := range alwaysSummed {
		h = h.Mix(uint64(*e.left.Budget(k)))
	}
	if e.cut != nil {
		h = e.cut.sum(h)
	}
	for k := alwaysSummed; k < len(faultNames); k++ {
		if n := *e.left.Budget(k); n != 0 {
			h = h.Mix(1<<63 | uint64(k)<<32 | uint64(uint32(n))) // no side of a partition has these bits
		}
	}
	if !e.paused.Empty() {
		h = e.paused.Sum(h)
	}
	return h.Mix(uint64(e.early))
}

// Unsynced reports whether a node has written data that a crash may lose.
func (st *State) Unsynced(i int) bool { return st.nodes.at[i].disk.Unsynced() }

// NodeSum returns the identity of one node's own state, at its place.
func (st *State) NodeSum(i int) canon.Hash { return placed(st.nodes.identity(i), i) }

func (all *nodes) identity(i int) canon.Hash {
	ns := &all.at[i]
	condition := uint64(ns.life)
	if all.links.TCP().Flushing(i) {
		condition |= 1 << 7
	}
	h := all.sum(ns.seen.Node).Mix(uint64(ns.next)<<8 | condition)
	if ns.lives > 0 {
		h = h.Mix(uint64(ns.lives))
	}
	for k := range ns.seen.Timers {
		h = h.Then(ns.seen.Timers[k].Sum)
	}
	h = h.Mix(uint64(len(ns.seen.Timers)))
	for k := range ns.tasks {
		h = h.Then(ns.tasks[k].sum.Mix(uint64(ns.tasks[k].count)))
	}
	return all.stored(ns, h)
}

// stored returns h, the identity of a node, combined with what it knows of times and with
// its disk.
func (s *setting) stored(ns *nodeState, h canon.Hash) canon.Hash {
	if ns.clock != nil {
		h = h.Then(s.sum(ns.known()))
	}
	if ns.disk != nil {
		h = h.Then(ns.diskSum(s.sum).Mix(1))
	}
	return h
}
