package explore

// An inbox lists those messages in the set and the bag of a node that the node accepts, with the footprints of
// their deliveries. It follows from the parts of the node and of the set, which most states have in common with
// many others. The messages of a set stay there, and its node mostly declines them, so an inbox is much shorter
// than its set.
type inbox struct {
	node uint32 // the number of the node's part
	set  uint32
	i    uint16
	made bool                // all messages are in it
	n    uint8               // messages in near
	near [inboxNear]accepted // the first messages, in the same memory as what is read before them
	far  []accepted          // the others
}

type accepted struct {
	o    *footprint
	what uint32
	from uint16
	bag  bool // the message is taken out
}

// inboxes stores inboxes in slots. A hash of an inbox's node and parts selects its slot, and a new
// inbox replaces the one that is there. If that happens often, the number of slots grows.
type inboxes struct {
	slots []inbox
	lost  int // inboxes that were replaced since there are that many slots
}

const (
	inboxNear  = 2
	inboxLeast = 1 << 8
	inboxMost  = 1 << 12
)

// at returns the slot for the inbox of node i whose part and whose set have the numbers node and
// set.
func (b *inboxes) at(i int, node, set uint32) *inbox {
	h := (uint64(node)<<32 | uint64(set)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32 ^ uint64(i)) * 0xff51afd7ed558ccd
	return &b.slots[h>>32&uint64(len(b.slots)-1)]
}

// get returns the stored inbox of node i whose part and whose set have the numbers node and set,
// or nil if there is none.
func (b *inboxes) get(i int, node, set uint32) *inbox {
	if len(b.slots) > 0 {
		if x := b.at(i, node, set); x.is(i, node, set) {
			return x
		}
	}
	return nil
}

// is reports whether x is the complete inbox of node i whose part and whose set have the numbers
// node and set.
func (x *inbox) is(i int, node, set uint32) bool {
	return x.made && x.node == node && x.set == set && x.i == uint16(i)
}

// begin makes room for the inbox of node i whose part and whose set have the numbers node and
// set. It returns the inbox, which has no messages yet.
func (b *inboxes) begin(i int, node, set uint32) *inbox {
	if len(b.slots) == 0 {
		b.slots = make([]inbox, inboxLeast)
	}
	x := b.at(i, node, set)
	if x.made {
		if b.lost++; b.lost > len(b.slots) && len(b.slots) < inboxMost {
			b.grow()
			x = b.at(i, node, set)
		}
	}
	x.begin(i, node, set)
	return x
}

// grow multiplies the number of slots by four, and moves the inboxes to their new slots.
func (b *inboxes) grow() {
	old := b.slots
	b.slots, b.lost = make([]inbox, 4*len(old)), 0
	for k := range old {
		if o := &old[k]; o.made {
			*b.at(int(o.i), o.node, o.set) = *o
		}
	}
}

// begin makes x the inbox of node i whose part and whose set have the numbers node and set. It
// has no messages yet.
func (x *inbox) begin(i int, node, set uint32) {
	x.i, x.node, x.set, x.made, x.n, x.far = uint16(i), node, set, false, 0, x.far[:0]
}

// ends records that all messages were added to the inbox, so that it may be used for other
// states.
func (x *inbox) ends() { x.made = true }

// add adds the delivery e of a message, with its footprint o, to the inbox.
func (x *inbox) add(e occurrence, o *footprint) {
	a := accepted{o: o, what: e.what, from: uint16(e.from), bag: e.pops != none}
	if x.n < inboxNear {
		x.near[x.n] = a
		x.n++
	} else {
		x.far = append(x.far, a)
	}
}

// len returns the number of messages.
func (x *inbox) len() int { return int(x.n) + len(x.far) }

// at returns the k-th message.
func (x *inbox) at(k int) *accepted {
	if k < inboxNear {
		return &x.near[k]
	}
	return &x.far[k-inboxNear]
}
