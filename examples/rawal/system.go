package rawal

import (
	"fmt"
	"slices"

	"macemc/sim"
)

// Batches is the number of batches that each life appends.
var Batches = &sim.Param{Name: "batches", Doc: "how many batches are appended in each life", Range: sim.Range{Default: 1, Least: 1, Most: 5}}

// Limit is the size at which a segment is sealed.
var Limit = &sim.Param{Name: "limit", Doc: "how many bytes a segment has when it is sealed", Range: sim.Range{Default: 4096, Least: 512, Most: 65536}}

// shapes has the lengths of the entries for each kind of batch. They are chosen so that a batch may
// end exactly at the end of the third sector of 512 bytes, which is byte 1,536: an entry of 1,488
// bytes with its header of 8, the file's header of 32 and the commit frame of 8; or an entry of
// 1,496 bytes without the commit frame.
var shapes = [][]int{{1488}, {1496, 400}, {40}}

// System is a log of one segment.
var System = &sim.System{
	Name: "rawal",
	Doc: "A log on a disk: the segments of hashicorp/raft-wal. " +
		"What Append returned for is there after every crash, and what is read was given to Append.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
	Params:    []*sim.Param{Batches, Limit},
	Tolerates: sim.Faults{Crash: 2},
	New:       func(p sim.Params, _ sim.Addr) sim.Node { return handlers.Node(&server{limit: p.Int(Limit)}) },
	Script: func(p sim.Params, _ sim.Addr, life int) (all []sim.Signal) {
		for k := range p.Int(Batches) {
			all = append(all, put{life*p.Int(Batches) + k})
		}
		return all
	},
	Opaque:     []string{"sync.Pool"}, // buffers to read into
	Properties: []sim.Property{sim.Monitor("what is read is what was appended", observe)},
}

// memory is the memory of a monitor: the entries that the log must contain, and those
// that it may contain.
type memory struct {
	Acked []entry // entries for which Append has returned
	Begun []entry // entries for which it has not: after a crash they may be there or not
}

func observe(m *memory, _ sim.Addr, fact any) error {
	switch f := fact.(type) {
	case began:
		m.Begun = f.Entries
	case acked:
		m.Acked, m.Begun = append(m.Acked, m.Begun...), nil
	case found:
		if n := len(m.Acked); len(f.Entries) < n || !slices.Equal(f.Entries[:n], m.Acked) {
			return fmt.Errorf("Append returned for %v, and %v is read", m.Acked, f.Entries)
		}
		if rest := f.Entries[len(m.Acked):]; len(rest) > 0 && !slices.Equal(rest, m.Begun) {
			return fmt.Errorf("%v is read; Append was called with %v, after %v", f.Entries, m.Begun, m.Acked)
		}
		m.Acked, m.Begun = f.Entries, nil
	}
	return nil
}
