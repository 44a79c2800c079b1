package explore

import (
	"macemc/internal/canon"
	"macemc/internal/search/internal/shard"
	"macemc/internal/world"
)

// Outbox collects states for other processes, in batches, by the shard to which the identity of a
// state belongs.
type Outbox struct {
	Known func(canon.Hash) bool // reports whether a state need not be sent, since a batch that is stored already has it

	group   *shard.Group           // the group to which the states belong
	lately  [latelyMost]canon.Hash // some of the states for which wants was called
	bank    *world.Bank
	writers []shard.Writer // by shard
	done    [][][]byte     // by shard: the finished batches
	path    []byte
}

const (
	batchStates = 1 << 12
	batchBytes  = 384 << 10
	latelyMost  = 1 << 12 // must be a power of two
)

// NewOutbox returns an empty outbox for this number of shards.
func NewOutbox(shards int, known func(canon.Hash) bool) *Outbox {
	return &Outbox{Known: known, writers: make([]shard.Writer, shards), done: make([][][]byte, shards)}
}

// of sets the bank in which the numbers of the states' parts are defined.
func (o *Outbox) of(b *world.Bank) { o.bank = b }

// wants reports whether the state with identity h should be sent: wants was not asked about it
// recently, no group has sent it, and Known returns false for it.
func (o *Outbox) wants(h canon.Hash) bool {
	at := &o.lately[h.Lo%latelyMost]
	if *at == h {
		return false
	}
	*at = h
	return o.group.Send(h) && !o.Known(h)
}

// Begin begins to collect the states of group g.
func (o *Outbox) Begin(g *shard.Group) {
	o.group = g
	clear(o.lately[:])
}

// send adds state v, whose identity is h, to the batch for its shard. The run to the state is the one
// encoded in path, followed by the step that event, coins and last describe.
func (o *Outbox) send(h canon.Hash, path []byte, event int, coins []int, last shard.Last, v world.Vector) {
	k := shard.Of(h, len(o.writers))
	w := &o.writers[k]
	o.path = shard.AppendStep(append(o.path[:0], path...), event, coins)
	if w.Add(o.path, last, v, o.bank); w.Len() >= batchStates || w.Size() >= batchBytes {
		o.done[k] = append(o.done[k], w.Take())
	}
}

// Take returns the batches of each shard, and empties the outbox.
func (o *Outbox) Take() [][][]byte {
	for k := range o.writers {
		if w := &o.writers[k]; w.Len() > 0 {
			o.done[k] = append(o.done[k], w.Take())
		}
	}
	all := o.done
	o.done = make([][][]byte, len(all))
	return all
}

// Starts adds all states of the explorer, which must be those in which runs begin, to an outbox.
func (x *Explorer) Starts(to *Outbox) {
	to.of(x.Bank)
	for s := range x.Each {
		x.Get(s, x.To)
		to.send(x.Sum(x.To), nil, 0, x.Lists.Get(x.Origin(s).coins), shard.Last{}, x.To)
	}
}
