package walk

import (
	"slices"

	"macemc/internal/search/internal/run"
	"macemc/sim"
)

// Portfolio is the strategy that uses several manners of picking events in turn, each walk with
// another kind of storm. No manner is the best for all bugs, and some bugs are hardly ever met by
// some manners.
//
// A storm takes 4 to 300 steps. Each fault has its own time in it, and often waits for a certain
// moment. Length.Heals determines which share of the walks with a storm heals. These go on to the
// first live state, since little is found later. The others end with their storm, since violations
// of safety are rarely found while a system becomes live again. If the system has no liveness
// property, no walk heals. One walk in eight has no faults, and is as long as a walk of the strategy
// Weighted. After many steps, some of the others begin at a state of
// the corpus.
type Portfolio struct {
	Weighted
	Seed    uint64
	Manners []Manner // used in turn
	Budgets []Budget // the faults that a run may have
	Lively  bool     // there is a liveness property

	Corpus   *Corpus // the states at which walks may begin, or nil if walks always begin at the start
	Restarts int     // percentage of the walks, apart from each fairEach-th one, that begin at a state of the corpus, once it has any
}

// A Budget is the largest number of faults of one kind in a run.
type Budget struct {
	Kind sim.Kind
	N    int
}

const (
	fairEach     = 8  // one walk in fairEach has no faults
	fairGuided   = 60 // number of steps of such a walk that the guide picks
	stormLeast   = 4
	stormMost    = 300
	stormOctaves = 7 // from stormLeast to beyond stormMost
)

// Plan returns the plan of walk number i.
func (s *Portfolio) Plan(i int, l Length) Plan {
	d := draws(mix(s.Seed+golden) ^ mix(uint64(i)+golden))
	p := Plan{Number: uint64(i), Length: l, near: s.Base}
	p.Guide = Guide{Manner: s.Manners[i%len(s.Manners)], Key: d.next(), Changes: d.below(3)}
	fair := i%fairEach == 0
	p.keeps, p.Stormy = !fair, !fair
	if !fair && l.Least <= Least { // no option asks for longer walks
		p.Length.Least, p.Length.Glance = 0, 0
		p.Ends = d.below(healsOf) >= l.Heals || !s.Lively
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
	p.Guide.Until = heal
	faults, parts := p.Guide.kinds(&d, s.Budgets)
	if parts {
		p.Guide.Isolate = d.lasts(calm, heal)
	}
	p.Guide.points(&d, calm, heal, faults, l.Lacks)
	return p
}

// lasts draws the depth, in a storm between the depths from and to, before which no partition or
// pause ends. There are three cases: they end by chance, they last until the environment heals, or
// they last until some depth before that. A server that was cut off and returns while others still
// fail is in another state than one that returns when all is well.
func (d *draws) lasts(from, to int) int {
	switch d.below(4) {
	case 0:
		return to
	case 1:
		return from + d.below(to-from)
	default:
		return 0
	}
}

// kinds draws which kinds of faults the walk has. It returns the number of faults, and reports
// whether some of them last: partitions or pauses. Most bugs need only one or two of the kinds, and
// more faults hide them.
func (g *Guide) kinds(d *draws, budgets []Budget) (faults int, parts bool) {
	for len(budgets) > 0 && faults == 0 {
		for _, b := range budgets {
			if len(budgets) <= 2 || d.below(2) == 0 {
				g.Kinds |= 1 << b.Kind
				faults += b.N
				parts = parts || b.Kind == sim.KindPartition || b.Kind == sim.KindOneWay || b.Kind == sim.KindPause
			}
		}
	}
	if faults = min(faults, pointsMost); faults > 4 {
		faults = 1 + max(d.below(faults), d.below(faults))
	}
	return faults, parts
}

// healsOf is the number of walks with a storm of which Length.Heals heal.
const healsOf = 256

// Heals computes the value of Length.Heals for the next walks. So far there were storms walks with a
// storm, which took stormSteps steps in it, and healed walks that healed, which took healSteps steps
// after that.
//
// A walk meets a bug of safety in its storm, but a bug of liveness only if it heals as well. It is
// not known which kind of bug a service has, so both should be found about equally fast. Let a storm
// cost 1 and healing h, and let a share q of the walks heal. To meet a bug of safety then costs 1+qh
// times as much as if no walk healed; to meet a bug of liveness costs (1/q+h)/(1+h) times as much as
// if all did. These factors are equal if q+q*q*h*(1+h) is 1. So if healing costs little, nearly all
// walks heal, and neither factor is ever more than 2.
func Heals(storms, stormSteps, healed, healSteps int) int {
	const few, scale = 8, 64 // before this many have healed, all do
	if stormSteps == 0 || healed < few {
		return healsOf
	}
	storm, heal := max(1, scale*stormSteps/storms), min(scale*healSteps/healed, 1<<20)
	for q := healsOf; q > 1; q-- {
		if q*q*heal*(storm+heal)+q*healsOf*storm*storm <= healsOf*healsOf*storm*storm {
			return q
		}
	}
	return 1
}

// points draws a depth between from and to for each fault, and the moment at which it happens. In
// every second walk, half of the faults come shortly after another one: failures often need two
// faults that are close together, and sometimes two that are not.
func (g *Guide) points(d *draws, from, to, faults int, lacks Moments) {
	g.Faults = min(faults, pointsMost)
	at := 0
	for k := range g.Faults {
		if k%2 == 1 && d.below(2) == 0 {
			at += 1 + d.below(6)
		} else {
			at = from + d.below(to-from)
		}
		g.Points[k] = int32(at)
		g.Moments[k] = d.moment(lacks)
	}
	slices.Sort(g.Points[:g.Faults])
	if d.below(2) == 0 {
		g.Early = int32(max(1, from+d.below(to-from)))
	}
}
