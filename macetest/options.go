package macetest

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// Options say what is searched, and how thoroughly. The zero value searches the system with its
// defaults for a short time.
type Options struct {
	Nodes  int         // the number of nodes; 0 means the system's default
	Params []string    // parameters of the system, as "name=value"
	Bugs   []sim.BugID // known bugs to switch on
	Ignore []string    // known findings to leave out, each as the flag --ignore has it: "verdict=V", "property=NAME", "place=FILE:LINE", "cause=EVENT" or "because=TEXT"

	sim.Conditions

	Depth       int    // the depth of the exhaustive phase, which is the largest number of steps of a run; 0 means as deep as Transitions allows
	Transitions int    // the number of transitions after which the exhaustive phase ends if Depth is 0; 0 means 30,000. See -macetest.scale
	Walks       int    // the number of random walks after the exhaustive phase; 0 means 300. See -macetest.scale
	WalkSteps   int    // the number of steps after which a walk that is not live is suspected to be dead; 0 means 10,000
	WalkLeast   int    // the number of steps that a walk takes even if it is live; 0 means 200
	Walking     string // how walks pick their events, as the flag --walk has it; "" means auto
	Memory      int    // the number of bytes that the process may use; 0 means 4 GiB
	Engine      string // the engine of the exhaustive phase: memo, local or reference; "" means memo
	Seed        uint64 // the seed of the walks; 0 means 1

	Prefix string // a path file at whose end the search begins; "" means at the start

	NoShrink bool // report runs as they were found, instead of shortening them for some seconds

	// Expect is the verdict that the search must find. A test of a known bug fails if the
	// bug is not found, or is found with another verdict. Zero means that nothing may be
	// found.
	Expect trace.Verdict
}

const (
	transitionsDefault = 30_000
	walksDefault       = 300
	shortPart          = 10 // -short divides the work by shortPart
)

var (
	replayFlag  = flag.String("macetest.replay", "", "take the path in this `file` again instead of searching")
	scaleFlag   = flag.Float64("macetest.scale", 0, "search this many `times` as far (default MACETEST_SCALE of the environment, or 1; -short: 0.1)")
	walkFlag    = flag.String("macetest.walk", "", "Explore: the `manner` in which worlds deviate: weighted, uniform or swarm (default nine, by turns)")
	prefixFlag  = flag.String("macetest.prefix", "", "Explore: worlds first do what the tape in this `file` says")
	deviateFlag = flag.Int("macetest.deviate", 0, "Explore: take all worlds that deviate at most this many `times` from the usual order and answers")
	seedFlag    = flag.Uint64("macetest.seed", 0, "the `seed` of the walks (default MACETEST_SEED of the environment, or the test's)")
)

// scale returns the factor by which the bounds of a search are multiplied: that of the
// flag, or else of the environment variable, or else 1, or less than 1 if short is set.
func scale(short bool) (float64, error) {
	if *scaleFlag != 0 {
		return positive("-macetest.scale", *scaleFlag)
	}
	if text := os.Getenv("MACETEST_SCALE"); text != "" {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			n = math.NaN()
		}
		return positive("MACETEST_SCALE", n)
	}
	if short {
		return 1.0 / shortPart, nil
	}
	return 1, nil
}

func positive(name string, n float64) (float64, error) {
	if !(n > 0) || n > 1e9 {
		return 0, fmt.Errorf("macetest: %s is not a number above 0, such as 0.5 or 100", name)
	}
	return n, nil
}

// seed returns the seed of the walks: that of the flag or environment variable, or else
// own, which the test has set.
func seed(own uint64) (uint64, error) {
	if *seedFlag != 0 {
		return *seedFlag, nil
	}
	if text := os.Getenv("MACETEST_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("macetest: MACETEST_SEED is %q; it must be a number", text)
		}
		return n, nil
	}
	return own, nil
}

// search returns the options for package search. short says that the test runs with -short.
func (o Options) search(sys *sim.System, short bool) (search.Options, error) {
	out := search.Options{
		Conditions: o.Conditions,
		Engine:     search.Engine(o.Engine), Depth: o.Depth, WalkSteps: o.WalkSteps, WalkLeast: o.WalkLeast, Walking: search.Walking(o.Walking), Memory: o.Memory,
	}
	for _, text := range o.Ignore {
		one, err := search.ParseIgnore(text)
		if err != nil {
			return out, fmt.Errorf("macetest: Ignore is %w", err)
		}
		out.Ignore = append(out.Ignore, one)
	}
	times, err := scale(short)
	if err != nil {
		return out, err
	}
	many := func(n, otherwise int) int {
		if n == 0 {
			n = otherwise
		}
		return int(max(1, min(math.Round(float64(n)*times), math.MaxInt/4)))
	}
	out.Effort, out.Walks = many(o.Transitions, transitionsDefault), many(o.Walks, walksDefault)
	if out.Seed, err = seed(o.Seed); err != nil {
		return out, err
	}
	nodes, params := o.Nodes, o.Params
	if o.Prefix != "" {
		if out.Prefix, err = choose.Open(o.Prefix); err != nil {
			return out, err
		}
		out.PrefixName = o.Prefix
		if nodes, params, err = search.LikePrefix(out.Prefix, nodes, params); err != nil {
			return out, fmt.Errorf("%s: %w", o.Prefix, err)
		}
	}
	var bugs []string
	for _, b := range o.Bugs {
		bugs = append(bugs, string(b))
	}
	out.Params, err = sys.Configure(nodes, params, bugs)
	return out, err
}
