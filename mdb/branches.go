package mdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/choose"
	"macemc/internal/numerals"
)

// Branches are the runs of a session: the trunk, and the runs that leave it or another
// branch.
type Branches struct {
	all  []*branch // the trunk comes first
	made int       // the number of branches that were named by a number
}

// named returns the branch with a name, or nil.
func (t *Branches) named(name string) *branch {
	for _, b := range t.all {
		if b.name == name {
			return b
		}
	}
	return nil
}

// names returns the names of all branches, the trunk first.
func (t *Branches) names() (names []string) {
	for _, b := range t.all {
		names = append(names, b.name)
	}
	return names
}

// free returns the name if no branch has it, and otherwise the name with a number at its
// end.
func (t *Branches) free(name string) string {
	for k := 2; slices.Contains(t.names(), name); k++ {
		name = fmt.Sprintf("%s%d", name[:len(name)-len(digits(name))], k)
	}
	return name
}

// leave adds a branch that leaves parent after a step and has no steps of its own yet.
func (t *Branches) leave(parent *branch, step int, name string) *branch {
	b := &branch{name: t.free(name), parent: parent.owner(step), from: step}
	t.all = append(t.all, b)
	return b
}

// number adds a branch as leave does, and uses the next number as its name.
func (t *Branches) number(parent *branch, step int) *branch {
	t.made++
	return t.leave(parent, step, fmt.Sprintf("b%d", t.made))
}

// drop removes the last branch that the method number added.
func (t *Branches) drop() {
	t.made--
	t.all = t.all[:len(t.all)-1]
}

// taking returns the branch that takes the steps of a path, or nil.
func (t *Branches) taking(path *choose.Path) *branch {
	for _, b := range t.all {
		if b.takes(path) {
			return b
		}
	}
	return nil
}

// rename gives a branch another name. It rejects a name that a command would read as a
// step, a node or a file, and the name live.
func (t *Branches) rename(b *branch, name string) error {
	if _, err := strconv.Atoi(name); err == nil || name == "live" || nodeName.MatchString(name) || strings.ContainsAny(name, "/. ") || name == "" {
		return fmt.Errorf("%q cannot name a branch: it would be read as a step, a node, a file or live", name)
	}
	if t.named(name) != nil {
		return fmt.Errorf("there is a branch %s already", name)
	}
	b.name = name
	return nil
}

// BranchesPage returns the tree of branches.
func (s Look) BranchesPage() (p Page) {
	var tell func(b *branch, depth int)
	tell = func(b *branch, depth int) {
		mark, style := "  ", Plain
		if b == s.here {
			mark, style = "> ", Strong
		}
		text := fmt.Sprintf("%s%s%s, ", mark, strings.Repeat("  ", depth), b.name)
		if b.parent != nil {
			text += fmt.Sprintf("from step %s: ", numerals.Count(b.from))
		}
		text += fmt.Sprintf("%s, %s", numerals.Many(b.len(), "step"), b.condition(s.run))
		p.line(Span{style, text})
		for _, other := range s.run.branches.all {
			if other.parent == b {
				tell(other, depth+1)
			}
		}
	}
	tell(s.run.trunk, 0)
	return p
}

// condition returns how the branch ends: the verdict of its failure, live, or not live.
func (b *branch) condition(r *run) string {
	switch {
	case b.failure != nil:
		return b.failure.Verdict.String()
	case r.verdicts[b.verdict(b.len())].live:
		return "live"
	default:
		return "not live"
	}
}

// digits returns the digits at the end of a name.
func digits(name string) string {
	i := len(name)
	for i > 0 && name[i-1] >= '0' && name[i-1] <= '9' {
		i--
	}
	return name[i:]
}
