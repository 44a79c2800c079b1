package macetest

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"

	"macemc/choose"
	"macemc/search"
	"macemc/sim"
)

// Options say what is searched, and how far. The zero value searches the
// system as it is by default, for a short time.
type Options struct {
	Nodes  int         // 0: the system's default
	Params []string    // parameters of the system, each "name=value"
	Bugs   []sim.BugID // known bugs that are switched on
	Ignore []string    // what is known and left out, each "verdict=V", "property=NAME" or "place=FILE:LINE"

	sim.Conditions

	Depth       int            // steps of the exhaustive phase; 0: as deep as Transitions allows
	Transitions int            // that the exhaustive phase may execute, if Depth is 0; 0: 30,000. See -macetest.scale
	Walks       int            // random walks after it; 0: 300. See -macetest.scale
	WalkSteps   int            // steps after which a walk that is not live is suspected; 0: 10,000
	WalkLeast   int            // steps for which a walk goes on even if it is live; 0: 200
	Walking     search.Walking // how walks pick their events; "": auto
	Memory      int            // bytes that the process may use; 0: 4 GiB
	Engine      search.Engine  // of the exhaustive phase; "": memo
	Seed        uint64         // of the walks; 0: 1

	Prefix string // a path file: the search begins where its run ends; "": at the start

	NoShrink bool // tell runs as they were found; else they are made shorter, for some seconds at most

	// Expect is what the search must find: a test of a known bug fails if it is
	// not found, or is found as something else. Zero: nothing.
	Expect sim.Verdict
}

const (
	transitionsDefault = 30_000
	walksDefault       = 300
	shortPart          = 10 // with -short, one of so many
)

var (
	replayFlag = flag.String("macetest.replay", "", "take the path in this `file` again instead of searching")
	scaleFlag  = flag.Float64("macetest.scale", 0, "search so many `times` as far (default MACETEST_SCALE of the environment, or 1; -short: 0.1)")
	seedFlag   = flag.Uint64("macetest.seed", 0, "the `seed` of the walks (default MACETEST_SEED of the environment, or the test's)")
)

// scale is how many times as far a search goes as by default.
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
		return 0, fmt.Errorf("macetest: %s is not a number of more than 0, as 0.5 or 100", name)
	}
	return n, nil
}

// seed is that of the walks.
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

// search are the options of the search.
func (o Options) search(sys *sim.System, short bool) (search.Options, error) {
	out := search.Options{
		Conditions: o.Conditions,
		Engine:     o.Engine, Depth: o.Depth, WalkSteps: o.WalkSteps, WalkLeast: o.WalkLeast, Walking: o.Walking, Memory: o.Memory,
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
	out.Effort, out.Roam = many(o.Transitions, transitionsDefault), many(o.Walks, walksDefault)
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
