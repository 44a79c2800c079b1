package search

import (
	"cmp"
	"fmt"
	"slices"

	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
)

// Visited is the form in which the exhaustive phase keeps visited states.
type Visited string

// The ways of keeping visited states.
const (
	VisitedVectors     Visited = "vectors"     // every state, packed: states are compared in full, and liveness can be decided exactly
	VisitedFingerprint Visited = "fingerprint" // a fingerprint of each state: a state may be mistaken for another, and liveness is sampled
	VisitedOff         Visited = "off"         // nothing: every path up to the bound is taken
)

// kept checks the options Visited, HashBits and Reduce, with the engine, and sets their defaults.
func (o Options) kept() (Options, error) {
	if o.Visited == VisitedOff || o.Reduce == reduceDPOR {
		o.Engine = cmp.Or(o.Engine, EngineReference)
	}
	reference := o.Engine == EngineReference
	if o.Visited == "" {
		o.Visited = VisitedVectors
		if reference || o.HashBits != 0 {
			o.Visited = VisitedFingerprint
		}
	}
	switch {
	case o.Visited != VisitedVectors && o.Visited != VisitedFingerprint && o.Visited != VisitedOff:
		return o, fmt.Errorf("Options.Visited is %q; it must be vectors, fingerprint or off", o.Visited)
	case o.Visited == VisitedVectors && reference:
		return o, fmt.Errorf("Options.Visited %s does not go with the engine %s, which keeps no states; leave one of them out", o.Visited, o.Engine)
	case o.Visited == VisitedOff && !reference:
		return o, fmt.Errorf("Options.Visited %s does not go with the engine %s, which goes from level to level by the states that it keeps; use the engine %s", o.Visited, cmp.Or(o.Engine, EngineMemo), EngineReference)
	case reference && o.Reduce != "" && o.Reduce != ReduceNone && o.Reduce != reduceDPOR:
		return o, fmt.Errorf("Options.Reduce %s does not go with the engine %s, which takes runs and keeps no states; take %s or %s", o.Reduce, o.Engine, reduceDPOR, ReduceNone)
	case o.Reduce == reduceDPOR && !reference:
		return o, fmt.Errorf("Options.Reduce %s does not go with the engine %s, which keeps states; use the engine %s", o.Reduce, o.Engine, EngineReference)
	case o.HashBits != 0 && o.HashBits != 32 && o.HashBits != 64:
		return o, fmt.Errorf("Options.HashBits is %d; it must be 32 or 64", o.HashBits)
	case o.HashBits != 0 && o.Visited != VisitedFingerprint:
		return o, fmt.Errorf("Options.HashBits is for fingerprints, and Options.Visited is %s; leave one of them out", o.Visited)
	case o.HashBits != 0 && reference:
		return o, fmt.Errorf("Options.HashBits does not go with the engine %s, whose fingerprints have 128 bits; leave one of them out", o.Engine)
	}
	if o.Visited == VisitedFingerprint && !reference {
		o.HashBits = cmp.Or(o.HashBits, 64)
	}
	return o, nil
}

// prints returns the parameters of fingerprints, or nil if states are kept as vectors.
func (o Options) prints() *explore.Prints {
	if o.Visited != VisitedFingerprint {
		return nil
	}
	return &explore.Prints{Bits: o.HashBits}
}

// bottomsMost is the largest number of states from which bottoms takes walks.
const bottomsMost = 100

// bottoms samples liveness on an exhausted space whose states were not kept. It takes walks from
// the states that were found last. They are at the bottom of the space: no step leads from them to
// a new state.
func (r *runner) bottoms(x *explore.Explorer) (out outcome, err error) {
	if r.opts.NoWalks {
		return out, nil
	}
	var last []uint32
	for s := x.End(); s > 0 && len(last) < 10*bottomsMost; s-- {
		if x.Holds(s-1) && !x.Outside(s-1) {
			last = append(last, s-1)
		}
	}
	slices.Reverse(last)
	n, walks := len(last), 0
	stride := coprime(n)
	aside := &periphery{r: r, walked: r.periphery.walked} // so that these walks do not count as walks from the periphery
	for i, k := 0, n/2; i < min(n, bottomsMost); i, k = i+1, (k+stride)%n {
		if r.Stopped() {
			return outcome{stop: r.Why(), liveness: Liveness{Bottoms: walks}}, nil
		}
		path := x.Path(last[k])
		f, err := aside.walkOutside(&run.Fork{Told: &path, Steps: path.Length()}, x.Climate)
		if err != nil {
			return out, err
		}
		if f != nil {
			if met, err := r.periphery.met(f); met.over() || err != nil {
				return outcome{stop: met.stop, finding: met.finding, liveness: Liveness{Bottoms: walks}}, err
			}
		}
		walks++
	}
	return outcome{liveness: Liveness{State: StateSampled, Bottoms: walks}}, nil
}
