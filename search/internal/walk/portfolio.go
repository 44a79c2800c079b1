package walk

import (
	"slices"

	"macemc/search/internal/run"
)

// Portfolio is the strategy that takes walks of several manners in turn, each in another
// kind of storm. Bugs differ so much in what they need that no manner is the best for all,
// and some bugs are hardly ever met by some manners.
//
// A storm takes 4 to 300 steps, and each fault in the budgets has its own time in it. The
// walk ends at the first live state after healing, since little is found later. But one
// walk in eight has no faults, and continues as long as a weighted one. After many steps
// some of the others begin at a kept state.
type Portfolio struct {
	Weighted
	Seed    uint64
	Manners []Manner // in turn
	Faults  int      // that the budgets allow in a run
	Parts   bool     // there are partitions or pauses among them
	Lively  bool     // there is something to become live

	Corpus   *Corpus // where walks may begin, too, or nil if they may not
	Restarts int     // percentage of walks that do, if there are kept states
}

const (
	fairEach     = 8  // one walk in this many has no faults
	fairGuided   = 60 // of its steps are guided
	stormLeast   = 4
	stormMost    = 300
	stormOctaves = 7  // from stormLeast to beyond stormMost
	afterHealing = 20 // steps of a walk for which nobody says what live is
)

// Plan returns that of walk number i.
func (s *Portfolio) Plan(i int, l Length) Plan {
	d := draws(mix(s.Seed+golden) ^ mix(uint64(i)+golden))
	p := Plan{Number: uint64(i), Length: l, near: s.Base}
	p.Guide = Guide{Manner: s.Manners[i%len(s.Manners)], Key: d.next(), Changes: d.below(3)}
	fair := i%fairEach == 0
	p.keeps = !fair
	if !fair && l.Least <= Least { // nobody asked for more
		p.Length.Least, p.Length.Glance = 0, 0
		if !s.Lively {
			p.Length.Most = min(l.Most, afterHealing)
		}
	}
	steps, calm := min(stormMost, d.span(stormLeast, stormOctaves)), s.Base
	if !fair && s.Corpus.Len() > 0 && d.below(100) < s.Restarts {
		k := s.Corpus.choose(&d)
		p.From, p.lead = k+1, &s.Corpus.kept[k]
		calm = p.lead.depth
	}
	switch {
	case fair:
		steps = fairGuided
		fallthrough
	case !s.Stormy:
		p.Begin, p.Climate, p.Judged = s.Fair, run.Fair, calm+steps
		p.Guide.Until = p.Judged
		return p
	case p.lead == nil && d.below(4) == 0: // the storm comes late
		calm += d.span(16, 6)
	}
	heal := calm + steps
	p.Begin, p.Climate, p.Judged = s.Faulty, run.Climate{Faults: true, Heal: heal}, heal+1
	p.Storm = Storm{Calm: calm, Every: 1, Stuck: true}
	p.Guide.Until, p.Guide.Isolate = heal, s.Parts && d.below(2) == 0
	p.Guide.points(&d, calm, heal, s.Faults)
	return p
}

// points gives each fault a time between two depths. Half of every second one come shortly
// after another: failures often need two faults that are close, and sometimes two that are
// not.
func (g *Guide) points(d *draws, from, to, faults int) {
	g.Faults = min(faults, pointsMost)
	at := 0
	for k := range g.Faults {
		if k%2 == 1 && d.below(2) == 0 {
			at += 1 + d.below(6)
		} else {
			at = from + d.below(to-from)
		}
		g.Points[k] = int32(at)
	}
	slices.Sort(g.Points[:g.Faults])
}
