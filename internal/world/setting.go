package world

import (
	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/netsim"
	"macemc/sim"
)

// setting has the values that never change in a world.
type setting struct {
	sys      *sim.System
	params   sim.Params
	bad      []sim.Byzantine // in the order of their addresses
	n        int
	peers    [][]sim.Addr
	walker   *canon.Walker
	pace     *sim.Clock // what timers keep to, or nil if they are free
	shuffled bool       // a crash leaves any of the writes that were not synced
	crashes  sim.CrashModel
	tracing  bool              // every step is recorded
	sprint   bool              // see Config.Sprint
	live     int               // see Config.Live
	cover    *observe.Coverage // an observer: what runs exercise; nil means nobody asked
	audit    *observe.Audit    // an observer: what must not have changed; nil means that nobody looks
	work     *Work             // an observer
}

// audits makes everything that must not change be checked.
func (s *setting) audits(of observe.Audited) { s.audit = observe.NewAudit(of) }

// uncovered makes nothing count until it is undone.
func (s *setting) uncovered() (undo func()) {
	cover := s.cover
	s.cover = nil
	return func() { s.cover = cover }
}

// Work counts the operations that cost a world most time. The counts do not depend on the machine.
type Work struct {
	Handlers int // handlers that ran, starts included
	Hashes   int // values that were walked for their identities: nodes, messages, memories of monitors
	Copies   int // values that were copied: nodes before a handler runs, memories of monitors
	Searches int // nodes that were walked for the times that they hold
}

func (w *Work) ran()      { w.Handlers++ }
func (w *Work) hashed()   { w.Hashes++ }
func (w *Work) copied()   { w.Copies++ }
func (w *Work) searched() { w.Searches++ }

// Add adds the work of another world.
func (w *Work) Add(o Work) {
	w.Handlers += o.Handlers
	w.Hashes += o.Hashes
	w.Copies += o.Copies
	w.Searches += o.Searches
}

// sum returns a value's identity; a value that cannot be walked stops the run.
func (s *setting) sum(v any) canon.Hash {
	s.work.hashed()
	h, err := s.walker.Sum(v)
	if err != nil {
		panic(unsupported(err.Error()))
	}
	return h
}

// copied returns a deep copy of a value that can be walked.
func (s *setting) copied(v any) any {
	s.work.copied()
	c, err := s.walker.Copy(v)
	if err != nil {
		panic(unsupported(err.Error()))
	}
	return c
}

// summed makes sure that packets have their identities.
func (s *setting) summed(packets []netsim.Packet) []netsim.Packet {
	for i := range packets {
		if p := &packets[i]; p.Sum == (canon.Hash{}) {
			p.Sum = s.sum(p.Message)
		}
	}
	return packets
}
