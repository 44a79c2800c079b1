package world

import (
	"fmt"

	"macemc/internal/canon"
	"macemc/internal/guard"
	"macemc/internal/state"
	"macemc/sim"
)

// clone returns the copy of a node that System.Clone makes. It checks that the copy has the same state. It
// does not check whether the copy shares memory with the node: the audits that repeat steps notice that.
func (all *nodes) clone(i int) (c sim.Node) {
	n := all.at[i].node
	if err := guard.Call("Clone", func() { c = all.sys.Clone(all.params, state.AddrOf(i), n) }); err != nil {
		panic(unsupported(fmt.Sprintf("system %s: %v", all.sys.Name, err)))
	}
	if c == nil {
		panic(unsupported(fmt.Sprintf("system %s: Clone made a nil node of %s", all.sys.Name, state.AddrOf(i))))
	}
	all.work.copied()
	if all.sum(c) != all.sum(n) {
		panic(unsupported(fmt.Sprintf("system %s: Clone made another state of %s: %s", all.sys.Name, state.AddrOf(i), apart(all.walker, n, c))))
	}
	return c
}

// apart returns the first line of text in which two values differ that should be equal.
func apart(walker *canon.Walker, want, got any) string {
	a, b := walker.Lines(want), walker.Lines(got)
	for k := range max(len(a), len(b)) {
		switch {
		case k >= len(b):
			return fmt.Sprintf("%s is %s and is missing in the copy", a[k].Path, a[k].Value)
		case k >= len(a):
			return fmt.Sprintf("%s is %s in the copy and not there in the node", b[k].Path, b[k].Value)
		case a[k] != b[k]:
			return fmt.Sprintf("%s is %s, and in the copy %s is %s", a[k].Path, a[k].Value, b[k].Path, b[k].Value)
		}
	}
	return "they look alike"
}
