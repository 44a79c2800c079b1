package search

import (
	"fmt"
	"slices"
)

// A Bound is a number that limits a search. The table named bounds is the only description of these
// numbers: the flags, their help, and the checks are made from it.
type Bound struct {
	Name  string   // the flag, without --
	Field string   // the field of Options, as errors of the library name it
	Least int      // the smallest value that a user may give; in Options, 0 stands for the default
	Not   []string // names of bounds that must not be set together with this one; "no-walks" stands for Options.NoWalks
	Needs string   // the bound without which this one has no effect; "" means none
	Help  string   // the flag's help, with the word for the value in backquotes
	of    func(*Options) *int
}

// In returns a pointer to the field of o that has the value of the bound. It returns nil if that
// field is itself a pointer, and is not set.
func (b *Bound) In(o *Options) *int { return b.of(o) }

const noWalks = "no-walks"

// bounds is the table, in the order of the help.
var bounds = []Bound{
	{Name: "nodes", Field: "Params.Nodes", Least: 1, of: func(o *Options) *int { return &o.Params.Nodes },
		Help: "run with `N` nodes (default the system's)"},
	{Name: "early", Field: "Options.Early", of: func(o *Options) *int { return o.Early },
		Help: "in the exhaustive phase and in storms, let timers fire at most `N` times early, which means\nwhile messages are under way to or from their node (default without limit)"},
	{Name: "depth", Field: "Options.Depth", Least: 1, of: func(o *Options) *int { return &o.Depth },
		Help: "take all runs of at most `D` steps (default as deep as 300,000 transitions go)"},
	{Name: "step", Field: "Options.Step", Least: 1, of: func(o *Options) *int { return &o.Step },
		Help: "let each round of the exhaustive phase go `N` steps deeper; at its end, a walk begins at every state\nthat is not live, until these walks have cost as much as the round (default 5)"},
	{Name: "effort", Field: "Options.Effort", Least: 1, of: func(o *Options) *int { return &o.Effort }},
	{Name: "walk-steps", Field: "Options.WalkSteps", Least: 1, Not: []string{noWalks}, of: func(o *Options) *int { return &o.WalkSteps },
		Help: "suspect a walk that is not live after `N` steps (default 10,000)"},
	{Name: "max-walk-steps", Field: "Options.MaxWalkSteps", Least: 1, Not: []string{noWalks}, of: func(o *Options) *int { return &o.MaxWalkSteps },
		Help: "after each false alarm, double the steps of --walk-steps, to at most `N` (default eight times --walk-steps)"},
	{Name: "walk-least", Field: "Options.WalkLeast", Least: 1, Not: []string{noWalks, "print-prefixes"}, of: func(o *Options) *int { return &o.WalkLeast },
		Help: "let a walk from the start go on for `N` steps even if it is live; its storm then begins at any\ntime in the first half, and --walk-steps are counted since it was last live (default 200)"},
	{Name: "evidence-walks", Field: "Options.EvidenceWalks", Least: 1, Not: []string{noWalks}, of: func(o *Options) *int { return &o.EvidenceWalks },
		Help: "call a state dead only if none of at least `K` fresh walks from it becomes live (default 60)"},
	{Name: "explain-effort", Field: "Options.ExplainEffort", Least: 1, of: func(o *Options) *int { return &o.ExplainEffort },
		Help: "let deciding about suspects and locating critical steps take `N` steps and states, and making runs\nshorter the same number again (default six million for suspects; otherwise as many as the search took, but\nat least 1.5 million and at most four)"},
	{Name: "paths", Field: "Options.Paths", Least: 1, of: func(o *Options) *int { return &o.Paths },
		Help: "stop after `N` walks (default 10,000); the exhaustive phase does not count, except that with\n--engine reference each of its runs counts as a walk"},
	{Name: "walks", Field: "Options.Walks", Least: 1, of: func(o *Options) *int { return &o.Walks }},
	{Name: "findings", Field: "Options.Findings", Least: 1, of: func(o *Options) *int { return &o.Findings },
		Help: "go on until there are `N` findings, one for each property and critical event, or place of a panic (default 1)"},
	{Name: "print-prefixes", Field: "Options.Prefixes", Least: 1, of: func(o *Options) *int { return &o.Prefixes },
		Help: "do not search, but write `N` paths that end in different steady states, for --prefix"},
	{Name: "steady", Field: "Options.Steady", Least: 1, Needs: "print-prefixes", of: func(o *Options) *int { return &o.Steady },
		Help: "a state is steady after it has been live for `N` steps (default 20)"},
	{Name: "workers", Field: "Options.Workers", Least: 1, of: func(o *Options) *int { return &o.Workers },
		Help: "let `N` goroutines expand a level of many states together, and take the walks from the start (default\nas many as there are cores); with 1, a search of one seed prints the same bytes each time"},
	{Name: "hash-bits", Field: "Options.HashBits", of: func(o *Options) *int { return &o.HashBits },
		Help: "with --visited fingerprint, the bits of a hash, `32|64` (default 64)"},
}

// Bounded returns the bound with the given flag name.
func Bounded(name string) *Bound {
	i := slices.IndexFunc(bounds, func(b Bound) bool { return b.Name == name })
	if i < 0 {
		panic("macemc bug: search: there is no bound called " + name)
	}
	return &bounds[i]
}

// fieldOf returns the field of Options that has the given name in Bound.Not or Bound.Needs.
func fieldOf(name string) string {
	if name == noWalks {
		return "Options.NoWalks"
	}
	return Bounded(name).Field
}

// CheckBounds returns an error if a bound is too small, or is set together with one that excludes
// it, or without one that it needs. It looks only at the bounds for whose names asked returns true:
// those that the user has set.
func (o *Options) CheckBounds(asked func(name string) bool) error {
	for i := range bounds {
		b := &bounds[i]
		if !asked(b.Name) {
			continue
		}
		if n := b.of(o); *n < b.Least {
			return fmt.Errorf("%s is %d; it must be %d or more", b.Field, *n, b.Least)
		}
		for _, other := range b.Not {
			if asked(other) {
				return fmt.Errorf("%s and %s exclude each other", fieldOf(other), b.Field)
			}
		}
		if b.Needs != "" && !asked(b.Needs) {
			return fmt.Errorf("%s has no effect without %s; add that, or leave this out", b.Field, fieldOf(b.Needs))
		}
	}
	return nil
}

// bounded returns an error if a bound is negative, or if WalkLeast is set although no walks are
// taken from the start.
func (o *Options) bounded() error {
	for i := range bounds {
		if n := bounds[i].of(o); n != nil && *n < 0 {
			return fmt.Errorf("%s is %d; it must be 0 or more", bounds[i].Field, *n)
		}
	}
	if o.WalkLeast > 0 && (o.NoWalks || o.Prefixes > 0) {
		return fmt.Errorf("Options.WalkLeast is %d, but with Options.NoWalks or Options.Prefixes no walks are taken from the start; leave it out", o.WalkLeast)
	}
	return nil
}
