package worlds

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/bubble"
)

// A tape has the answers of a world that are not 0, and the questions that they answer.
type tape struct {
	of                       []choose.Field // the settings of the system, if the tape is of one
	test, toolchain, overlay string
	seed                     uint64
	draws                    []bubble.Draw
}

// randMost is the number of answers that a path records for a draw of 64 bits, whose answers are 0
// to 1<<30.
const randMost = 1<<30 + 1

// deviations returns the draws whose answer is not 0.
func deviations(draws []bubble.Draw) (out []bubble.Draw) {
	for _, d := range draws {
		if d.Value != 0 {
			out = append(out, d)
		}
	}
	return out
}

// path returns the tape as a path. A step has the draws of one instant.
func (t *tape) path() *choose.Path {
	p := &choose.Path{Header: slices.Clone(t.of)}
	if len(t.of) == 0 {
		p.Add("test", t.test)
	}
	p.Add("go", t.toolchain)
	p.Add("overlay", t.overlay)
	p.Add("seed", fmt.Sprint(t.seed))
	for i, d := range t.draws {
		if i == 0 || t.draws[i-1].Step != d.Step {
			p.Steps = append(p.Steps, choose.Step{Event: choose.Choice{Kind: choose.Event, Of: 1, What: fmt.Sprint("step ", d.Step)}})
		}
		s := &p.Steps[len(p.Steps)-1]
		of := int(d.N)
		if d.N == 0 {
			of = randMost
		}
		s.Coins = append(s.Coins, choose.Choice{Kind: choose.Coin, Of: of, Pick: int(d.Value), What: fmt.Sprintf("%v %d: %016x", d.Kind, d.Index, d.Key)})
	}
	return p
}

func (t *tape) save(file string) error {
	var b bytes.Buffer
	if _, err := t.path().WriteTo(&b); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// load reads a tape.
func load(file string) (*tape, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := choose.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	t, err := tapeOf(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// tapeOf returns the tape that a path represents.
func tapeOf(p *choose.Path) (*tape, error) {
	t := new(tape)
	t.test, _ = p.Get("test")
	t.toolchain, _ = p.Get("go")
	t.overlay, _ = p.Get("overlay")
	seed, _ := p.Get("seed")
	if _, err := fmt.Sscan(seed, &t.seed); err != nil {
		return nil, fmt.Errorf("this is not the recording of a program: its header has no seed")
	}
	for _, s := range p.Steps {
		if err := t.read(s); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// read reads the draws of a step.
func (t *tape) read(s choose.Step) error {
	var step uint32
	if _, err := fmt.Sscanf(s.Event.What, "step %d", &step); err != nil {
		return fmt.Errorf("the step %q is not valid in the recording of a program; a valid one looks like \"step 12\"", s.Event.What)
	}
	for _, c := range s.Coins {
		d := bubble.Draw{Step: step, N: uint32(c.Of), Value: uint32(c.Pick)}
		var word string
		if _, err := fmt.Sscanf(strings.ReplaceAll(c.What, ":", ""), "%s %d %x", &word, &d.Index, &d.Key); err != nil || kind(word) == bubble.Kinds {
			return fmt.Errorf("the draw %q is not valid in the recording of a program; a valid one looks like \"select 3: 81c1b2e0a5b0e75c\"", c.What)
		}
		d.Kind = kind(word)
		if d.Kind == bubble.Rand {
			d.N = 0
		}
		t.draws = append(t.draws, d)
	}
	return nil
}

func kind(word string) bubble.Kind {
	for k := range bubble.Kinds {
		if k.String() == word {
			return k
		}
	}
	return bubble.Kinds
}

// plan returns a plan, which says how the draws of a world are answered: as on the tape, and with 0
// for every draw that is not on it.
func (t *tape) plan() bubble.Plan {
	fed := t.draws
	if fed == nil {
		fed = []bubble.Draw{}
	}
	return bubble.Plan{Seed: t.seed, Fed: fed}
}

// without returns the tape without its draws with indices in [cut[0], cut[1]).
func (t *tape) without(cut [2]int) *tape {
	return t.with(slices.Concat(t.draws[:cut[0]], t.draws[cut[1]:]))
}

// before returns a plan that answers the draws up to a step as on the tape, and the later ones at
// random, with the seed of p.
func (t *tape) before(step uint32, p bubble.Plan) bubble.Plan {
	if step == 0 {
		return p
	}
	p.Fed, p.Until, p.After = t.plan().Fed, step, p.Seed
	return p
}

// last returns the step of the last deviation.
func (t *tape) last() uint32 {
	if len(t.draws) == 0 {
		return 0
	}
	return t.draws[len(t.draws)-1].Step
}

// further returns the deviations that may come next: for each draw after the last one that deviates, each other
// answer. A draw of 64 bits has too many, so only answers 1 and 2 are tried.
func further(draws, deviate []bubble.Draw) (all []bubble.Draw) {
	after := -1
	for _, d := range deviate {
		after = max(after, slices.IndexFunc(draws, func(o bubble.Draw) bool { return o.Key == d.Key }))
	}
	for _, d := range draws[after+1:] {
		answers := d.N
		if d.N == 0 {
			answers = 3
		}
		for v := uint32(1); v < answers; v++ {
			d.Value = v
			all = append(all, d)
		}
	}
	return all
}

// A manner sets how often the draws of a world deviate: of 65,536 draws of kind k, rates[k] get a
// random answer. It may also make some places in the code slow: goroutines pause at each of them,
// up to a limit.
type manner struct {
	rates [bubble.Kinds]uint32
	slow  uint32 // if not 0, on average one of this many places is slow
}

// manners lists the manners that worlds use in turn.
var manners = []manner{
	// select   next     yield    tie      rand     host    choice
	{[...]uint32{1 << 16, 1 << 15, 1 << 10, 1 << 16, 1 << 16, 1 << 16, 1 << 16}, 0},
	{[...]uint32{1 << 16, 0, 0, 1 << 16, 1 << 16, 1 << 16, 1 << 16}, 0},
	{[...]uint32{1 << 16, 1 << 16, 1 << 13, 1 << 16, 1 << 16, 1 << 14, 1 << 16}, 0},
	{[...]uint32{1 << 13, 1 << 13, 1 << 11, 1 << 13, 1 << 16, 1 << 16, 1 << 16}, 0},
	{[...]uint32{1 << 16, 1 << 15, 1 << 14, 1 << 16, 1 << 16, 1 << 16, 1 << 16}, 0},
	{[...]uint32{1 << 12, 1 << 12, 1 << 9, 1 << 14, 1 << 16, 1 << 13, 1 << 15}, 0},
	{[...]uint32{0, 0, 0, 0, 1 << 16, 0, 1 << 16}, 0},
	{[...]uint32{1 << 15, 1 << 14, 0, 1 << 15, 1 << 16, 1 << 16, 1 << 16}, 4},
	{[...]uint32{1 << 16, 1 << 15, 0, 1 << 16, 1 << 16, 1 << 16, 1 << 16}, 2},
}

// The names of manners of walks, as in search.Walking. "auto" and "" use all manners in the
// list manners, in turn.
const (
	weighted = "weighted" // all worlds use the first of the list
	uniform  = "uniform"  // all answers of each draw are equally likely
	swarm    = "swarm"    // each world deviates at rates of its own
)

// Walks lists the manners that a search of programs has.
var Walks = []string{"auto", weighted, uniform, swarm}

// mannerOf returns the manner of a world.
func mannerOf(seed uint64, world int, walk string) (m manner) {
	switch walk {
	case weighted:
		return manners[0]
	case uniform:
		for k := range m.rates {
			m.rates[k] = 1 << 16
		}
		return m
	case swarm:
		rng := rand.New(rand.NewPCG(seed, uint64(world)))
		for k := range m.rates {
			if n := rng.IntN(18); n > 0 {
				m.rates[k] = 1 << (n - 1)
			}
		}
		m.rates[bubble.Yield] >>= 2
		m.rates[bubble.Rand], m.rates[bubble.Choice] = 1<<16, max(m.rates[bubble.Choice], 1<<14)
		if rng.IntN(4) == 0 {
			m.slow = 1 << rng.IntN(5)
		}
		return m
	}
	return manners[world%len(manners)]
}

// planOf returns the plan of a world.
func planOf(seed uint64, world int, walk string) bubble.Plan {
	if world == 0 {
		return bubble.Plan{Fed: []bubble.Draw{}}
	}
	m := mannerOf(seed, world, walk)
	return bubble.Plan{Seed: seed*0x9e3779b97f4a7c15 + uint64(world), Rates: m.rates, Slow: m.slow}
}

// prefix returns the tape that worlds of the job follow first, or nil.
func (j *job) prefix() (*tape, error) {
	if j.Prefix == "" {
		return nil, nil
	}
	return load(j.Prefix)
}

// plan returns the plan of a world of the job.
func (j *job) plan(world int, prefix *tape) bubble.Plan {
	switch p := planOf(j.Seed, world, j.Walk); {
	case prefix == nil:
		return p
	case world == 0:
		return prefix.plan()
	default:
		return prefix.before(prefix.last(), p)
	}
}

// toolchain returns the version of Go that this program was built with.
func toolchain() string { return runtime.Version() }
