package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"macemc/choose"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/spill"
	"macemc/internal/trail"
	"macemc/internal/world"
	"macemc/sim"
)

// Options bound a search. The zero value is the default search.
type Options struct {
	Params sim.Params
	sim.Conditions
	Ignore []Ignore // failures that the search does not report

	Prefix *choose.Path // the search begins where this run ends; nil means at the start of the system

	PrefixName string // the file of Prefix, for the report

	Prefixes int // if not 0, do not search, but find this many runs with which searches can begin, each ending in steady state
	Steady   int // a run ends in steady state if it was live for this many steps; 0 means 20

	Engine   Engine  // of the exhaustive phase; "" means memo
	Visited  Visited // the form in which the exhaustive phase keeps visited states; "" means vectors, or fingerprint with EngineReference
	HashBits int     // bits of a fingerprint, 32 or 64; 0 means 64

	Reduce Reduce // which steps the exhaustive phase leaves out; "" means auto

	Symmetry Reduce // auto visits one of the states that differ only in the names of interchangeable nodes, if that is sound; none, or "", visits all

	Depth  int // steps of the exhaustive phase; 0 means as deep as Effort allows
	Step   int // a round goes this many steps deeper than the last one, and walks begin at the states where it ends; 0 means 5
	Effort int // transitions that the exhaustive phase may execute if Depth is 0; 0 means 300,000, or 100,000 with EngineReference

	Least Least // work that is done even if Effort and Paths allow less

	Memory int                                   // bytes that the process may use; more than that ends the exhaustive phase; 0 means 4 GiB
	sleep  func(*explore.Sleep)                  // leaves out a part of the sleep sets, for tests
	trial  int                                   // states that are visited before a reduction is tried, for tests; 0 means trialAfter
	team   int                                   // levels with at least this many states are expanded by several workers, for tests; 0 means teamLeast
	all    bool                                  // look up every step, for tests
	live   int                                   // this many nodes of a place are kept unpacked, for tests
	parts  int                                   // see Explorer.Frees, for tests; 0 means partsLeast
	worth  int                                   // handler runs of a node that decide whether memo looks up its steps, for tests
	late   int                                   // a walk keeps states from this step on, for tests; 0 means walk.CorpusFrom
	once   bool                                  // for tests: the steps of a small space are not repeated, and the first steps are not audited
	made   func(*world.World)                    // called with each world that is made, except for audits, for tests; may be nil
	window int                                   // states that are kept in memory before they are written to Spill, for tests; 0 means as Memory allows
	broken explore.Depth                         // mistakes made on purpose in keeping states in Spill, for tests
	files  func(path string) (spill.File, error) // opens the files of Spill, for tests; nil means the operating system's
	table  int                                   // bytes that the table of visited states may use, for tests; 0 means as Memory allows

	Findings int // number of findings to look for, one for each property and critical event, or place of a panic; 0 means 1

	NoWalks       bool
	EvidenceWalks int     // the least number of fresh walks that a verdict of dead rests on; 0 means 60
	WalkSteps     int     // steps after which a walk that is not live is suspected; 0 means 10,000
	MaxWalkSteps  int     // false alarms raise WalkSteps at most to this; 0 means eight times WalkSteps
	WalkLeast     int     // a walk from the start goes on for at least this many steps, even if it is live; 0 means 200, or half of WalkSteps
	Paths         int     // the search stops after this many walks, or with EngineReference this many runs of both phases; 0 means 10,000 walks
	Walks         int     // walks from the start; 0 means 10,000, or what Paths leaves
	Timed         bool    // if neither Walks nor Paths is set, walks go on until Stop returns StopTime
	Walking       Walking // how walks pick their events; "" means auto, and weighted with Prefixes
	Restarts      int     // percentage of walks that begin at a kept state, once there are any; 0 means 30; -1 means none
	Seed          uint64  // 0 means 1

	// ExplainEffort limits the work of deciding about suspects and of locating critical steps. The
	// work is the number of steps of runs, plus the number of states that are visited to decide
	// exactly. 0 means six million for suspects; for critical steps it means the effort of the
	// search itself, but at least 1.5 million and at most four million.
	ExplainEffort int

	Workers int // goroutines that expand levels of many states, and take walks for a Lab; 0 means the number of processors

	ProfileSpace bool // report in which parts the states of the exhaustive phase differ; not with EngineReference

	Stuck   time.Duration // a handler may run this long without asking anything; 0 means for ever
	OnStuck func(*Result) // called for a handler that never returns, on another goroutine; it must end the process
	OnSlow  func(Slow)    // called once for each place where handlers wait, on another goroutine; only with OnStuck

	Trail *trail.Trail   // if set, records the progress of every run, so that a parent process knows which run killed this one
	Found func(*Finding) // if set, called for each finding as soon as it is confirmed

	Afar  Afar   // takes walks in other processes, or nil
	Spill string // a directory for states that do not fit into Memory, with which the exhaustive phase goes on; "" means that it ends
	Store Store  // if set, keeps the state of the search, so that a later process can continue it

	See func(*world.World) // if set, Replay calls it after the starts and after each step; perhaps twice after the last one

	AsRecorded bool // Replay only takes the steps and judges nothing: if the path was recorded as dead and its end is not live, the end counts as dead
	ByIdentity bool // Replay finds a path's steps by their identities, whatever else is possible now, and does not compare the last state

	Progress func(Progress) // called often, by the searching goroutine
	Stop     func() Stop    // called now and then; returns the reason to end the search (StopInterrupted, StopTime), or ""
}

// Least is the work that a search does at least: Effort and Paths do not end it before. Everything
// else that ends a search (Depth, Memory, Stop, or no states left) still does. It is for comparing
// searches; the zero Least asks for nothing.
type Least struct {
	States, Transitions int // distinct ones of the exhaustive phase, with EngineMemo or EngineLocal
	WalkSteps           int // steps of walks, including those from the periphery
}

// effortUsual is the default of Effort.
const effortUsual = 300_000

// effortReference is the default of Effort for the reference engine.
const effortReference = 100_000

// Walking names a way in which walks from the start pick their events and place their faults.
type Walking string

// The ways of walking.
const (
	WalkAuto     Walking = "auto"     // chain, swarm, weighted and single in turn, with faults that each have a time of their own
	WalkWeighted Walking = "weighted" // by weight; every second walk begins with a storm
	WalkUniform  Walking = "uniform"  // as weighted, but all events have the same weight
	WalkChain    Walking = "chain"    // chains of causes by priority, with faults as in auto
	WalkSwarm    Walking = "swarm"    // by weights that are distorted for each walk, with faults as in auto
	WalkSingle   Walking = "single"   // by weight, but one kind of event is 16 times rarer in each walk, with faults as in auto
)

// Walkings lists all values of Walking.
var Walkings = []Walking{WalkAuto, WalkWeighted, WalkUniform, WalkChain, WalkSwarm, WalkSingle}

// guided reports whether the walks are those of a walk.Portfolio, which picks events in several
// manners, and not those of walk.Weighted.
func (w Walking) guided() bool {
	return w == WalkAuto || w == WalkChain || w == WalkSwarm || w == WalkSingle
}

// Engine is the way in which the exhaustive phase takes its steps.
type Engine string

// The engines.
const (
	EngineReference Engine = "reference" // every run is taken again from its start: slow, and the reference for the other engines
	EngineMemo      Engine = "memo"      // each state once; a handler runs once for each state of its node, event and answers
	EngineLocal     Engine = "local"     // each state once; only the node that runs is copied
)

func (o Options) filled() (Options, error) {
	if err := o.bounded(); err != nil {
		return o, err
	}
	if o.Walking != "" && !slices.Contains(Walkings, o.Walking) {
		return o, fmt.Errorf("Options.Walking is %q; it must be one of %s", o.Walking, strings.Trim(fmt.Sprint(Walkings), "[]"))
	}
	if !slices.Contains([]Reduce{"", ReduceAuto, ReduceNone}, o.Symmetry) {
		return o, fmt.Errorf("Options.Symmetry is %q; it must be auto or none", o.Symmetry)
	}
	if o.Reduce != "" && !slices.Contains(Reduces, o.Reduce) {
		return o, fmt.Errorf("Options.Reduce is %q; it must be one of %s", o.Reduce, strings.Trim(fmt.Sprint(Reduces), "[]"))
	}
	if o.Walking.guided() && o.Prefixes > 0 {
		return o, fmt.Errorf("Options.Walking is %s, but with Options.Prefixes walks are weighted or uniform; leave it out", o.Walking)
	}
	if o.ProfileSpace && o.Engine == EngineReference {
		return o, fmt.Errorf("Options.ProfileSpace does not go with the engine %s, which visits states again and again; leave one of them out", o.Engine)
	}
	if err := cmp.Or(o.keepable(), o.shardable()); err != nil {
		return o, err
	}
	o, err := o.kept()
	if err != nil {
		return o, err
	}
	if o.Walking == "" && o.Prefixes > 0 {
		o.Walking = WalkWeighted
	}
	o.Walking = cmp.Or(o.Walking, WalkAuto)
	if o.Restarts > 0 && !o.Walking.guided() {
		return o, fmt.Errorf("Options.Restarts is %d, but walks of Options.Walking %s begin at no kept states; leave one of them out", o.Restarts, o.Walking)
	}
	if o.Walking.guided() {
		o.Restarts = cmp.Or(o.Restarts, 30)
	}
	o.Steady = cmp.Or(o.Steady, 20)
	o.Findings = cmp.Or(o.Findings, 1)
	o.Memory = cmp.Or(o.Memory, 4<<30)
	o.Step = cmp.Or(o.Step, 5)
	if o.Engine == EngineReference {
		o.Effort = cmp.Or(o.Effort, effortReference)
	}
	o.Effort = cmp.Or(o.Effort, effortUsual)
	o.EvidenceWalks = cmp.Or(o.EvidenceWalks, 60)
	o.WalkSteps = cmp.Or(o.WalkSteps, 10_000)
	o.MaxWalkSteps = max(o.WalkSteps, cmp.Or(o.MaxWalkSteps, 8*o.WalkSteps))
	o.Seed = cmp.Or(o.Seed, 1)
	return o, nil
}

// defaultWalks is the number of walks from the start if no option sets it.
const defaultWalks = 10_000

// timed reports whether only time bounds the walks.
func (o Options) timed() bool { return o.Timed && o.Walks == 0 && o.Paths == 0 }

// walks returns the number of walks from the start that the search takes, if the exhaustive phase
// has taken the given number of paths, which count for Options.Paths.
func (o Options) walks(paths int) int {
	switch {
	case o.NoWalks:
		return 0
	case o.Walks > 0:
		return o.Walks
	case o.Paths > 0:
		return max(0, o.Paths-paths)
	case o.Timed:
		return math.MaxInt32
	default:
		return defaultWalks
	}
}

// enough reports whether the exhaustive phase has used up its effort.
func (o Options) enough(s Stats) bool {
	return o.Depth == 0 && max(s.Executed, s.HandlerRuns) >= o.Effort && s.States >= o.Least.States && s.Transitions >= o.Least.Transitions
}
