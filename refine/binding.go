package refine

import (
	"fmt"
	"slices"

	"macemc/sim"
)

// A Binding is a system with a parameter, Over, that says what a part of the system consists of.
// The first word of the parameter stands for an abstraction of that part, and each other word for
// an implementation of it.
type Binding struct {
	System   *sim.System
	Over     *sim.Param
	Settings []string              // the values of the other parameters
	Survives map[string]sim.Faults // by word of an implementation: the faults under which it must refine the abstraction
	Options
}

// Refined is the outcome for one implementation.
type Refined struct {
	Over string // the word that stands for the implementation
	*Result
}

// Check reports for each implementation whether the system over it refines the system over the
// abstraction. If so, every safety property of the emitted facts that holds over the abstraction
// holds over the implementation, too.
func (b Binding) Check() (all []Refined, err error) {
	if !slices.Contains(b.System.Params, b.Over) || len(b.Over.Words) < 2 {
		return nil, fmt.Errorf("%s has no parameter %q with two words or more; Binding.Over is the one that chooses between an abstraction and its implementations", b.System.Name, b.Over.Name)
	}
	abstraction, err := b.side(b.Over.Words[0])
	if err != nil {
		return nil, err
	}
	for _, word := range b.Over.Words[1:] {
		implementation, err := b.side(word)
		if err != nil {
			return all, err
		}
		r, err := Check(implementation, abstraction, b.Options)
		if err != nil {
			return all, fmt.Errorf("over %s: %w", word, err)
		}
		all = append(all, Refined{word, r})
	}
	return all, nil
}

func (b Binding) side(word string) (s Side, err error) {
	p, err := b.System.Configure(0, append(slices.Clone(b.Settings), b.Over.Name+"="+word), nil)
	faults := b.Survives[word]
	return Side{System: b.System, Params: p, Conditions: sim.Conditions{Faults: &faults}}, err
}
