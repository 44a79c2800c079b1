package canon

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// refusal says what cannot be walked and where. The path is collected from the
// inside out while the walk, or the compilation of a plan, unwinds.
type refusal struct {
	typ    reflect.Type
	reason string
	advice string   // used where no field can be left out
	rule   string   // the rule which would leave out the innermost field
	path   []string // innermost first
}

func refuse(t reflect.Type, reason, advice string) *refusal {
	return &refusal{typ: t, reason: reason, advice: advice}
}

// in adds one step of the path.
func (r *refusal) in(step string) *refusal {
	r.path = append(r.path, step)
	return r
}

// inField adds a field of the struct t.
func (r *refusal) inField(t reflect.Type, name string) *refusal {
	if r.rule == "" {
		r.rule = "*." + name
		if names := ruleNames(t); names != nil {
			r.rule = names[0] + "." + name
		}
	}
	return r.in("." + name)
}

// under returns the error of a walk from a root of type t.
func (r *refusal) under(t reflect.Type) error {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	advice := r.advice
	if r.rule != "" {
		advice = fmt.Sprintf("tag the field mc:\"-\" or add %q to System.Opaque", r.rule)
	}
	return fmt.Errorf("canon: cannot walk %s%s (%s): %s; %s", t, r.where(), r.typ, r.reason, advice)
}

// where returns the path, outermost first, shortened when very deep.
func (r *refusal) where() string {
	const ends = 12
	steps := slices.Clone(r.path)
	slices.Reverse(steps)
	if len(steps) > 3*ends {
		steps = slices.Concat(steps[:ends], []string{"..."}, steps[len(steps)-ends:])
	}
	return strings.Join(steps, "")
}
