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
	bad      []sim.Byzantine // the Byzantine nodes, ordered by address
	n        int
	peers    [][]sim.Addr
	walker   *canon.Walker
	pace     *sim.Clock        // the guarantee that timers follow, or nil if they are free
	shuffled bool              // a crash may keep any subset of the writes that were not synced, and not only the first of them
	within   bool              // every node may fail within a step: see sim.Conditions.CrashWithin
	implicit bool              // nodes fail in no step: see sim.Conditions.CrashImplicit
	tracing  bool              // every step is recorded
	sprint   bool              // see Config.Sprint
	live     int               // see Config.Live
	cover    *observe.Coverage // counts what runs exercise; nil if nothing is counted
	audit    *observe.Audit    // checks after each step that nothing changed but the node that ran; may be nil
	work     *Work             // counts costly operations
}

// audits makes each step check that nothing has changed but the node that ran: see
// Config.Audit.
func (s *setting) audits(of observe.Audited) { s.audit = observe.NewAudit(of) }

// uncovered stops counting coverage until undo is called.
func (s *setting) uncovered() (undo func()) {
	cover := s.cover
	s.cover = nil
	return func() { s.cover = cover }
}

// Work counts the operations that take a world most of its time. The counts do not depend on the machine.
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

// sum returns the identity of a value. If the value cannot be walked, it stops the run.
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

// summed fills in the identities that packets lack, and returns packets.
func (s *setting) summed(packets []netsim.Packet) []netsim.Packet {
	for i := range packets {
		if p := &packets[i]; p.Sum == (canon.Hash{}) {
			p.Sum = s.sum(p.Message)
		}
	}
	return packets
}
