package worlds

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/bubble"
)

// A tape is the answers of a world that are not 0, and the questions that they answer.
type tape struct {
	of                       []choose.Field // of a system
	test, toolchain, overlay string
	seed                     uint64
	draws                    []bubble.Draw
}

// deviations returns the draws whose answer is not 0.
func deviations(draws []bubble.Draw) (out []bubble.Draw) {
	for _, d := range draws {
		if d.Value != 0 {
			out = append(out, d)
		}
	}
	return out
}

// path returns the tape as a path. A step stands for the draws of an instant.
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
			of = 2
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

// tapeOf reads the tape that a path is.
func tapeOf(p *choose.Path) (*tape, error) {
	t := new(tape)
	t.test, _ = p.Get("test")
	t.toolchain, _ = p.Get("go")
	t.overlay, _ = p.Get("overlay")
	seed, _ := p.Get("seed")
	if _, err := fmt.Sscan(seed, &t.seed); err != nil {
		return nil, fmt.Errorf("it is no tape of a program: its header has no seed")
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
		return fmt.Errorf("%q is no step of a program's tape, which is as \"step 12\"", s.Event.What)
	}
	for _, c := range s.Coins {
		d := bubble.Draw{Step: step, N: uint32(c.Of), Value: uint32(c.Pick)}
		var word string
		if _, err := fmt.Sscanf(strings.ReplaceAll(c.What, ":", ""), "%s %d %x", &word, &d.Index, &d.Key); err != nil || kind(word) == bubble.Kinds {
			return fmt.Errorf("%q is no draw of a program's tape, which is as \"select 3: 81c1b2e0a5b0e75c\"", c.What)
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

// plan returns how the world of the tape is taken.
func (t *tape) plan() bubble.Plan {
	fed := t.draws
	if fed == nil {
		fed = []bubble.Draw{}
	}
	return bubble.Plan{Seed: t.seed, Fed: fed}
}

// without returns the tape with some draws left out.
func (t *tape) without(cut [2]int) *tape {
	return t.with(slices.Concat(t.draws[:cut[0]], t.draws[cut[1]:]))
}

// until returns the plan of a world that follows the tape up to a step, and then goes on like the fresh
// world with a number.
func (t *tape) until(step uint32, number int) bubble.Plan {
	p := planOf(^t.seed, number+1)
	if step == 0 {
		return p
	}
	p.Fed, p.Until, p.After, p.Seed = t.plan().Fed, step, p.Seed, t.seed
	return p
}

// A manner is how the draws of a world deviate.
type manner struct {
	rates [bubble.Kinds]uint32
	slow  uint32 // one of this many places is slow; 0 for none
}

// manners are taken by turns.
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

// planOf returns the plan of a world.
func planOf(seed uint64, world int) bubble.Plan {
	if world == 0 {
		return bubble.Plan{Fed: []bubble.Draw{}}
	}
	m := manners[world%len(manners)]
	return bubble.Plan{Seed: seed*0x9e3779b97f4a7c15 + uint64(world), Rates: m.rates, Slow: m.slow}
}

// toolchain returns the version of Go that this program was built with.
func toolchain() string { return runtime.Version() }
