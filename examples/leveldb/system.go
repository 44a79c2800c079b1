package leveldb

import (
	"fmt"
	"slices"

	"macemc/sim"
)

// Batches is the number of batches that are written.
var Batches = &sim.Param{Name: "batches", Doc: "how many batches are written in each life", Range: sim.Range{Default: 1, Least: 1, Most: 5}}

// Record is the length of a record.
var Record = &sim.Param{Name: "record", Doc: "how many bytes the first record of a batch has; the second has 300", Range: sim.Range{Default: 1100, Least: 1, Most: 40000}}

// LV1 is a known bug of the server, which then syncs too late.
const LV1 sim.BugID = "LV1"

// System is a journal on a disk.
var System = &sim.System{
	Name: "leveldb",
	Doc: "A journal on a disk: that of goleveldb. " +
		"A record that was synced is read after every crash, and what is read was written, in its order and without a gap.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
	Params:    []*sim.Param{Batches, Record},
	Bugs:      []sim.Bug{{ID: LV1, Story: "Switches to a journal that is not synced."}},
	Tolerates: sim.Faults{Crash: 2},
	New: func(p sim.Params, _ sim.Addr) sim.Node {
		return handlers.Node(&server{sizes: []int{p.Int(Record), 300}, sloppy: p.Bug(LV1)})
	},
	Script: func(p sim.Params, _ sim.Addr, life int) (all []sim.Signal) {
		for k := range p.Int(Batches) {
			all = append(all, put{life*p.Int(Batches) + k})
		}
		return all
	},
	Properties: []sim.Property{sim.Monitor("what is synced is read, and what is read was written", observe)},
}

// memory is the memory of a monitor: the records that the journal must contain,
// and those that may follow them.
type memory struct{ Acked, Begun []string }

func observe(m *memory, _ sim.Addr, fact any) error {
	switch f := fact.(type) {
	case began:
		m.Begun = f.Records
	case acked:
		m.Acked, m.Begun = append(m.Acked, m.Begun...), nil
	case found:
		if n := len(m.Acked); len(f.Records) < n || !slices.Equal(f.Records[:n], m.Acked) {
			return fmt.Errorf("%q was synced, and %q is read", m.Acked, f.Records)
		}
		rest := f.Records[len(m.Acked):]
		if len(rest) > len(m.Begun) || !slices.Equal(rest, m.Begun[:len(rest)]) {
			return fmt.Errorf("%q is read; %q was being written, after %q", f.Records, m.Begun, m.Acked)
		}
		m.Acked, m.Begun = f.Records, nil
	}
	return nil
}
