package world

import (
	"fmt"
	"math"
	"math/bits"

	"macemc/internal/canon"
	"macemc/internal/state"
	"macemc/netsim"
	"macemc/sim"
)

// Once the handler's part in a step is known, the effect of the step on the parts of a
// state is arithmetic on their numbers: a message is taken off a channel, others are
// appended. The bank remembers each result. So a step that was taken before, in another
// state with the same parts, needs no handler and no copy.

// Local counts the events that a node has by itself, without messages.
type Local struct {
	Offers  uint16 // guarded actions, without those that depend on messages in the node's set
	Tasks   uint16 // different tasks
	Timers  uint16
	Script  bool // a request is left in the script, and the node accepts it
	Accepts bool // the node declines messages
	Up      bool // it is up, does not wait for Flushed, and its next request is not to leave
	Plain   bool // it has joined, does not wait for Flushed, does not leave next, and takes neither quorums nor actions on messages in its set
	Absent  bool // it has crashed, or is down for good (see Gone)
	Gone    bool // it is down for good
	Loses   bool // a crash has several outcomes, since not everything on its disk is synced
	Stores  bool // there is something on its disk
}

// Queue describes the messages in a channel part: one direction of a connection, or a channel of datagrams.
type Queue struct {
	Head  uint32 // the number of the message that comes next; 0 means none
	Len   int
	Open  bool // the connection is open
	Plain bool // the part has only messages: no errors, and no node waits for room
}

// Item is a message of a set or a bag. Equal messages of one sender are one item.
type Item struct {
	From    int
	Message uint32
	Bag     bool
}

// info has the values that the bank has computed from a part.
type info struct {
	local Local
	queue Queue
	items []Item
}

// Busy reports whether a node of a state has an event of its own, such as a task, that is
// not rare. If it returns true, the state is not Settled. It reads only the nodes, not the
// messages.
func (b *Bank) Busy(w *World, v Vector) bool {
	for i := range b.n {
		if k := b.part(i, v[i]).(*nodePart); k.life == lifeAway {
			return true
		}
		l := b.Local(i, v[i])
		if w.sys.Weight == nil && (l.Timers > 0 || l.Script || l.Tasks > 0 || l.Offers > 0) { // with a Weight, these events may be rare
			return true
		}
	}
	return false
}

// Delivers looks for a message in a bag whose receiver takes every message now, and reports whether it
// found one. If it returns true, the state is not Settled. If it returns false, there may still be
// such a message: Delivers does not look for one if the state is not Calm or the system has a Weight.
func (b *Bank) Delivers(w *World, v Vector) bool {
	if calm, _ := b.Calm(v); !calm || w.sys.Weight != nil {
		return false
	}
	for i := range b.n {
		p := SetPlace(b.n, i)
		if v[p] == 0 {
			continue
		}
		if l := b.Local(i, v[i]); !l.Plain || l.Absent || l.Accepts {
			continue
		}
		for _, item := range b.Items(p, v[p]) {
			if item.Bag {
				return true
			}
		}
	}
	return false
}

// Message returns the number that bank b has for message v, counted from 1. A message that is new to b gets
// the next number.
func (st *State) Message(b *Bank, v sim.Message) uint32 {
	return b.number(netsim.Packet{Message: v, Sum: st.sum(v)})
}

// Gathers reports whether the node part at a place has actions that depend on messages in its set.
func (b *Bank) Gathers(place int, id uint32) bool {
	return b.part(place, id).(*nodePart).guards.Gathers()
}

// Accepts reports whether the node in a node part accepts the message with this number from
// node from.
func (b *Bank) Accepts(place int, id uint32, from int, message uint32) bool {
	return b.part(place, id).(*nodePart).guards.Accept(state.AddrOf(from), b.message(message).Message)
}

// Local returns the events that the node part at a place has by itself.
func (b *Bank) Local(place int, id uint32) Local {
	if s := b.shelf(place, id); int(id) < len(s.locals) {
		return s.locals[id]
	}
	return b.part(place, id).(*nodePart).local()
}

// Queue returns the description of the channel part at a place.
func (b *Bank) Queue(place int, id uint32) *Queue { return &b.shelf(place, id).queues[id] }

// Items returns the messages of the set part at a place.
func (b *Bank) Items(place int, id uint32) []Item { return b.shelf(place, id).items[id] }

// Calm reports whether the environment does not influence which events are possible: there is no partition,
// no slow link, no paused node and no limit on timers. faults says whether faults are possible.
func (b *Bank) Calm(v Vector) (calm, faults bool) {
	early := b.at.Budget(budgetEarly)
	for _, id := range v[b.at.Rest():early] {
		faults = faults || id != 0
	}
	return !b.slow && v[early] == 0 && v[b.at.Cut()] == 0 && v[b.at.Pauses()] == 0, faults
}

// Steady reports whether the possible faults of a calm state (see Calm) depend only on the
// parts of the environment and on which nodes are absent. It returns false if a connection may be
// reset, since that depends on the messages under way. If datagrams is set, it also returns false
// if a datagram may be lost, duplicated or reordered.
func (b *Bank) Steady(v Vector, datagrams bool) bool {
	for _, k := range datagramBudgets {
		if datagrams && v[b.at.Budget(k)] != 0 {
			return false
		}
	}
	return v[b.at.Budget(budgetReset)] == 0
}

// Damages reports whether a crash may damage the data on a disk.
func (b *Bank) Damages(v Vector) bool { return v[b.at.Budget(budgetDisk)] != 0 }

// Healed reports whether the environment of state v has healed: no fault can happen in it
// any more.
func (b *Bank) Healed(v Vector) bool {
	for _, id := range v[b.at.Rest():b.at.Healed()] {
		if id != 0 {
			return false
		}
	}
	return true
}

// NodesSum returns the nodes' share of the identity of state v, which is a sum over all
// parts.
func (b *Bank) NodesSum(v Vector) (h canon.Hash) {
	for i, id := range v[:b.n] {
		h = h.Add(b.Sum(i, id))
	}
	return h
}

// InFlight returns the number of messages under way in state v: messages on connections, datagrams,
// and messages in bags. Messages in sets do not count, since they stay there.
func (b *Bank) InFlight(v Vector) (n int) {
	for p := b.n; p < b.at.Rest(); p++ {
		if v[p] != 0 {
			n += b.Queue(p, v[p]).Len
		}
	}
	return n
}

// Heal changes the parts of the environment to those of a healed one: see World.Heal.
func (b *Bank) Heal(v Vector) { clear(v[b.at.Rest():b.at.Healed()]) }

// made looks up part id in a cache, which has, for each part, the number of another part that was made
// from it. The entry list[id] is that number plus one, or 0 if nothing is recorded for part id. made
// returns the number, and reports whether it is recorded.
func made(list []uint32, id uint32) (uint32, bool) {
	if int(id) >= len(list) || list[id] == 0 {
		return 0, false
	}
	return list[id] - 1, true
}

func noteMade(list *[]uint32, id, to uint32) {
	for int(id) >= len(*list) {
		*list = append(*list, 0)
	}
	(*list)[id] = to + 1
}

// The places of a vector, for a system of n nodes.

// TCPPlace returns the place in a Vector of the direction of a connection with this channel.
func TCPPlace(n, channel int) int { return n + channel }

// UDPPlace returns the place in a Vector of a channel of datagrams.
func UDPPlace(n, channel int) int { return n + n*n + channel }

// SetPlace returns the place in a Vector of a node's set.
func SetPlace(n, node int) int { return n + 2*n*n + node }

func (s *stock) describe(part any) (i info) {
	switch of := part.(type) {
	case *nodePart:
		i.local = of.local()
	case *connectionPart:
		i.queue = s.queue(of.packets)
		i.queue.Open = of.Open
		i.queue.Plain = !of.Local && !of.Remote && !of.Broken && !of.Asked
	case []netsim.Packet:
		i.queue = s.queue(of)
		i.queue.Plain = true
	case []netsim.Member:
		i.queue.Plain, i.queue.Len = true, netsim.Bagged(of)
		for _, m := range of {
			i.items = append(i.items, Item{m.From, s.message(m.Packet), m.Count > 0})
		}
	case int, *cut, state.NodeSet, memoryPart:
	default: // nothing
		i.queue.Plain, i.local.Plain = true, true
	}
	return i
}

// local describes the events that are possible because of this node part alone, whatever messages
// are under way: requests, actions, tasks and timers. For the actions it asks the node which ones
// it offers.
func (k *nodePart) local() Local {
	return Local{
		Script: k.life == lifeLate || k.opens(), Offers: few(k.countOffers()), Tasks: few(k.tasks.len()), Timers: few(k.firing),
		Accepts: k.guards.Declines(), Up: k.life == lifeUp && !k.flushing && !k.leaves(),
		Plain:  k.life != lifeLate && !k.flushing && !k.guards.Gathers() && !k.guards.Quorate() && !k.leaves(),
		Absent: k.life == lifeAway || k.life == lifeGone, Gone: k.life == lifeGone,
		Loses: k.disk.Loses(), Stores: k.disk != nil,
	}
}

// few returns n, a number of events of a node, as 16 bits. It stops the run if n is too large.
func few(n int) uint16 {
	if n > math.MaxUint16 {
		panic(unsupported(fmt.Sprintf("a node has %d events of its own at once, and macemc supports at most 65,535; let it offer or schedule fewer", n)))
	}
	return uint16(n)
}

// leaves reports whether the next request of the script is to leave, which affects all connections of the
// node.
func (k *nodePart) leaves() bool {
	return k.next < len(k.script) && sim.Event{Kind: sim.KindScript, Value: k.script[k.next]}.Leaves()
}

func (s *stock) queue(packets []netsim.Packet) Queue {
	q := Queue{Len: len(packets)}
	if len(packets) > 0 {
		q.Head = s.message(packets[0])
	}
	return q
}

// Pop returns the number of the part that the channel part id becomes when its oldest
// message is taken.
func (b *Bank) Pop(place int, id uint32) uint32 {
	if list := b.popped[place]; int(id) < len(list) && list[id] != 0 {
		return list[id] - 1
	}
	var to uint32
	switch of := b.part(place, id).(type) {
	case *connectionPart:
		end := of.End
		end.Open = b.links(place)
		to = b.addConnection(place, end, of.packets[1:])
	case []netsim.Packet:
		to = b.addPackets(place, of[1:])
	}
	noteMade(&b.popped[place], id, to)
	return to
}

// Opened returns the number of the part that the connection part id becomes when the
// connection opens.
func (b *Bank) Opened(place int, id uint32) uint32 {
	if to, known := made(b.opened[place], id); known {
		return to
	}
	end, packets := b.connection(place, id)
	end.Open = true
	to := b.addConnection(place, end, packets)
	noteMade(&b.opened[place], id, to)
	return to
}

// links reports whether the connection at a place is between two different nodes. A message from a node to
// itself opens no connection.
func (b *Bank) links(place int) bool {
	c := place - b.n
	return c%b.n != c/b.n
}

// Push returns the part that part id becomes when one more message from node from is added:
// to the end of a channel, or to a set.
func (b *Bank) Push(place int, id uint32, from int, message uint32) Product {
	key := b.key(place, id, from, message)
	if made, known := b.products[pushed].Get(key); known {
		return made
	}
	if made, known := b.learnt(pushed, key); known {
		return made
	}
	p := b.message(message)
	var to uint32
	switch {
	case place < b.n+b.n*b.n:
		end, packets := b.connection(place, id)
		to = b.addConnection(place, end, append(clone(packets), p))
	case place < b.n+2*b.n*b.n:
		packets, _ := b.part(place, id).([]netsim.Packet)
		to = b.addPackets(place, append(clone(packets), p))
	default:
		members, _ := b.part(place, id).([]netsim.Member)
		to = b.addMember(place, id, members, netsim.Member{From: from, Packet: p})
	}
	return b.notes(pushed, key, place, id, to)
}

// Put returns the part that the set part id becomes when one more message is put into the bag.
func (b *Bank) Put(place int, id uint32, from int, message uint32) Product {
	return b.bag(put, place, id, from, message, func(s *netsim.Set, m netsim.Member) { s.Put(m.From, 0, m.Packet) })
}

// Take returns the part that the set part id becomes when one message is taken out of the bag.
func (b *Bank) Take(place int, id uint32, from int, message uint32) Product {
	return b.bag(taken, place, id, from, message, func(s *netsim.Set, m netsim.Member) {
		for i, at := range s.For(0) {
			if at.From == m.From && at.Sum == m.Sum && at.Count > 0 {
				s.Take(0, i)
				return
			}
		}
		panic("macemc bug: world: a message is taken from a bag that does not hold it")
	})
}

// bag calls do to change a copy of the set part id, and returns the resulting part, which is cached in
// b.products[kind].
func (b *Bank) bag(kind, place int, id uint32, from int, message uint32, do func(*netsim.Set, netsim.Member)) Product {
	key := b.key(place, id, from, message)
	if made, known := b.products[kind].Get(key); known {
		return made
	}
	if made, known := b.learnt(kind, key); known {
		return made
	}
	members, _ := b.part(place, id).([]netsim.Member)
	set := netsim.NewSet(1)
	set.Place(0, members)
	do(set, netsim.Member{From: from, Packet: b.message(message)})
	var to uint32
	if all := clone(set.For(0)); len(all) > 0 {
		to = b.add(place, placed(membersSum(all), place), all)
	}
	return b.notes(kind, key, place, id, to)
}

// learnt looks up the product with this key among those that other banks over the same parts have
// recorded. It first copies their new products to this bank. It returns the product, and reports
// whether there is one.
func (b *Bank) learnt(kind int, key uint64) (made Product, known bool) {
	if b.vault == nil {
		return Product{}, false
	}
	b.vault.mu.Lock()
	defer b.vault.mu.Unlock()
	b.products.refresh(b.vault)
	return b.products[kind].Get(key)
}

// notes records that a step has made part to from part id, both at the same place. It records this
// product under key, for this bank and for those that share its parts, and returns it.
func (b *Bank) notes(kind int, key uint64, place int, id, to uint32) Product {
	made := Product{to, b.Sum(place, to).Sub(b.Sum(place, id))}
	if b.vault == nil {
		b.products.note(kind, key, made)
		return made
	}
	b.vault.mu.Lock()
	defer b.vault.mu.Unlock()
	b.vault.products.note(kind, key, made)
	b.products.refresh(b.vault)
	return made
}

// refresh updates a bank's copy of the products to those of the vault, which banks share.
func (p *products) refresh(v *vault) { *p = v.products }

// note records the product made under a key. It does nothing if the key has a product already, as
// when another bank has recorded the same step before.
func (p *products) note(kind int, key uint64, made Product) {
	if _, known := p[kind].Get(key); !known {
		p[kind].Put(key, made)
	}
}

// keys has the number of bits that a 64-bit key of products uses for the index of a node, and for the
// number of a part.
type keys struct{ node, part uint8 }

func keysOf(nodes, places int) keys {
	node := bits.Len(uint(nodes - 1))
	return keys{uint8(node), uint8((64 - bits.Len(uint(places)) - node) / 2)}
}

// key returns the key under which products records what the part id at a place becomes when a message
// from node from is added to it or taken out.
func (k keys) key(place int, id uint32, from int, message uint32) uint64 {
	if uint64(id)>>k.part != 0 || uint64(message)>>k.part != 0 {
		panic("macemc bug: world: more parts than a key holds; they fill the memory before")
	}
	return ((uint64(place)<<k.part|uint64(id))<<k.part|uint64(message))<<k.node | uint64(from)
}

func (b *Bank) connection(place int, id uint32) (netsim.End, []netsim.Packet) {
	if of, ok := b.part(place, id).(*connectionPart); ok {
		return of.End, of.packets
	}
	return netsim.End{}, nil
}

func (b *Bank) addConnection(place int, end netsim.End, packets []netsim.Packet) uint32 {
	return b.add(place, placed(connectionSum(packets, end.Told()), place), &connectionPart{end, packets})
}

func (b *Bank) addPackets(place int, packets []netsim.Packet) uint32 {
	return b.add(place, placed(packetsSum(packets), place), packets)
}

func (b *Bank) addMember(place int, id uint32, members []netsim.Member, m netsim.Member) uint32 {
	set := netsim.NewSet(1)
	set.Place(0, members)
	if _, fresh := set.Add(m.From, 0, m.Packet); !fresh {
		return id
	}
	all := clone(set.For(0))
	return b.add(place, placed(membersSum(all), place), all)
}
