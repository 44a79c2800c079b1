package search

import (
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/spill"
)

// onDisk is the place on disk for states that do not fit into memory. If store is nil, all states stay in
// memory.
type onDisk struct{ store *spill.Store }

// spills makes the exploration write states to disk when memory is short. It does nothing unless
// the options name a directory, and all states are visited and kept as vectors.
func (r *runner) spills(x *explore.Explorer) (d onDisk, err error) {
	if r.opts.Spill == "" || x.Prints != nil || r.opts.Symmetry == ReduceAuto {
		return d, nil
	}
	if d.store, err = spill.Open(r.opts.Spill); err != nil {
		return d, err
	}
	if r.opts.files != nil {
		d.store.Create = r.opts.files
	}
	by := r.opts.broken
	by.Store, by.Memory, by.Most = d.store, r.opts.Memory, r.opts.window
	x.Deepens(by)
	return d, nil
}

// ends removes the store.
func (d onDisk) ends(r *runner, x *explore.Explorer) error {
	if d.store == nil {
		return nil
	}
	r.Limits.Relieves(nil)
	defer r.Limits.Unpresses()
	if x.OnDisk() {
		if err := x.EndLevel(); err != nil { // of a level that was cut short, states that were known count as new
			return err
		}
		r.add(Stats{Spilled: x.Len(), SpilledTo: d.store.Bytes()})
	}
	return d.store.Close()
}
