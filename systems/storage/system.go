package storage

import (
	"fmt"

	"macemc/history"
	"macemc/sim"
)

// The known bugs: see doc.go.
const (
	RS1 sim.BugID = "RS1"
	RS2 sim.BugID = "RS2"
	RS3 sim.BugID = "RS3"
	RS4 sim.BugID = "RS4"
	RS5 sim.BugID = "RS5"
)

// The parameters.
var (
	Objects = &sim.Param{Name: "objects", Doc: "how many nodes hold the value", Range: sim.Range{Default: 3, Least: 1, Most: 5}}
	Readers = &sim.Param{Name: "readers", Doc: "how many nodes read", Range: sim.Range{Default: 1, Least: 1, Most: 3}}
	Writes  = &sim.Param{Name: "writes", Doc: "how often the writer writes", Range: sim.Range{Default: 2, Least: 0, Most: 5}}
	Reads   = &sim.Param{Name: "reads", Doc: "how often each reader reads", Range: sim.Range{Default: 1, Least: 0, Most: 5}}
	Promise = &sim.Param{Name: "promise", Doc: "regular: a read is not older than the last write before it; atomic: nor than a read before it", Words: []string{"regular", "atomic"}}
	Answers = &sim.Param{Name: "answers", Doc: "how answers are taken: one by one, or a majority at once", Words: []string{"single", "quorum"}}
	Late    = &sim.Param{Name: "late", Doc: "what becomes of answers to an operation that has ended", Words: []string{"consumed", "stay"}}
)

// System is the regular storage.
var System = &sim.System{
	Name: "storage",
	Doc:  "A regular storage: a writer, objects and readers, over a bag. A read is not older than the last write before it.",
	Nodes: func(p sim.Params) sim.Range {
		n := 1 + p.Int(Objects) + p.Int(Readers)
		return sim.Range{Default: n, Least: n, Most: n}
	},
	Params: []*sim.Param{Objects, Readers, Writes, Reads, Promise, Answers, Late},
	Bugs: []sim.Bug{
		{ID: RS1, Story: "An object goes back. It stores every write that arrives, whatever it holds: an old one that comes late replaces a new one."},
		{ID: RS2, Story: "A read ends with one answer. It comes from an object that the last write did not reach."},
		{ID: RS3, Story: "A write ends with one acknowledgement. A majority that answers a read need not have it."},
		{ID: RS4, Story: "A reader takes the last answer. It is not the largest of a majority's."},
		{ID: RS5, Story: "A read is not written back (promise=atomic). The next one meets a majority that has not heard of what it returned."},
	},
	New: newNode,
	Properties: []sim.Property{
		sim.Monitor("a read returns no less than the last write that was complete when it began", (*low).observe),
		history.Linearizable("writes and reads are those of one register (promise=atomic)", history.Register(0)),
		sim.Takes(sim.Eventually("every operation ends", func(v sim.View[operator]) bool {
			for _, o := range v.Nodes() {
				if !o.done() {
					return false
				}
			}
			return true
		}, func(v sim.View[operator]) string {
			text := ""
			for a, o := range v.Nodes() {
				if !o.done() {
					text += fmt.Sprintf("%s has not ended; ", a)
				}
			}
			return text
		}), func(o operator) any { return o.done() }),
	},
}

func newNode(p sim.Params, self sim.Addr) sim.Node {
	asks := asking{
		objects: p.Addrs()[1 : 1+p.Int(Objects)], stay: p.Word(Late) == "stay", atomic: p.Word(Promise) == "atomic",
		quorum: p.Word(Answers) == "quorum",
	}
	write, read := writers, readers
	if asks.quorum {
		write, read = quorumWriters, quorumReaders
	}
	switch {
	case self == p.Addr(0):
		asks.hasty = asks.quorum && p.Bug(RS3)
		return write.Node(&writer{asking: asks, most: p.Int(Writes)})
	case self.Less(p.Addr(p.Nodes - p.Int(Readers))):
		return objects.Node(&object{})
	default:
		asks.hasty = asks.quorum && p.Bug(RS2)
		return read.Node(&reader{asking: asks, left: p.Int(Reads)})
	}
}

// operator is a node that carries out operations, a reader or a writer.
type operator interface{ done() bool }

// low is the memory of a monitor: the last complete write, and the last write that was complete
// when each read under way began. A read must not return less than that.
type low struct {
	written int
	before  map[sim.Addr]int // by reader, for a read under way: the last write that was complete before it began
}

func (h *low) Init() { h.before = map[sim.Addr]int{} }

func (h *low) observe(at sim.Addr, fact any) error {
	switch fact := fact.(type) {
	case wrote:
		h.written = fact.number
	case began:
		h.before[at] = h.written
	case got:
		before := h.before[at]
		delete(h.before, at)
		if fact.number < before {
			return fmt.Errorf("%s reads %d, though write %d was complete when it began", at, fact.number, before)
		}
	}
	return nil
}
