package eventgraph

import (
	"fmt"
	"slices"

	"macemc/choose"
)

// Beside compares two runs that begin alike and then differ. Steps with the same event stand in
// one row.
type Beside struct {
	Here, There *Graph
	Split       int // the number of steps from the start that are the same in both

	rows []besideRow
}

// besideRow is a row of a comparison: an equal step of both runs, or a step of one run
// beside nothing.
type besideRow struct {
	here, there int // the point of each run; none if the run has no step in the row
	same        bool
}

// Compare puts two runs of a system side by side.
func Compare(here, there *Graph) *Beside {
	a := choose.Align(here.path(), there.path())
	b := &Beside{Here: here, There: there, Split: a.Prefix}
	i, j := 0, 0
	apart := func(m, n int) { // steps without a partner share rows, too
		for i < m || j < n {
			r := besideRow{none, none, false}
			if i < m {
				r.here = here.starts + i
				i++
			}
			if j < n {
				r.there = there.starts + j
				j++
			}
			b.rows = append(b.rows, r)
		}
	}
	for _, m := range a.Same {
		apart(m.A, m.B)
		for range m.N {
			b.rows = append(b.rows, besideRow{here.starts + i, there.starts + j, true})
			i, j = i+1, j+1
		}
	}
	apart(here.Steps(), there.Steps())
	return b
}

// path returns the run in the form that choose.Align compares: each step has the identity of its
// event and its coins.
func (g *Graph) path() *choose.Path {
	p := &choose.Path{}
	for i := range g.points {
		at := &g.points[i]
		if i < g.starts {
			p.Start = append(p.Start, at.Coins...)
			continue
		}
		p.Steps = append(p.Steps, choose.Step{Event: choose.Choice{Kind: choose.Event, What: at.Identity}, Coins: at.Coins})
	}
	return p
}

// apart returns the rows to draw, the number of rows before them, and the number of rows after them. If part
// has a first or last step, these are the rows from the first to the last that contains a selected step of
// either run. Otherwise they begin stay rows before the split, and go on to the end.
func (b *Beside) apart(part Part, stay int) (before int, rows []besideRow, after int) {
	from, to := max(0, b.Split-stay), len(b.rows)
	if part.steps() {
		in := func(r besideRow) bool {
			return r.here != none && part.has(b.Here.number(r.here)) || r.there != none && part.has(b.There.number(r.there))
		}
		from = 0
		for from < to && !in(b.rows[from]) {
			from++
		}
		for to > from && !in(b.rows[to-1]) {
			to--
		}
	}
	return from, b.rows[from:to], len(b.rows) - to
}

// leading describes the first rows, which are not drawn. before is their number.
func (b *Beside) leading(before int) string {
	if before <= b.Split {
		return steps(1, before) + ", the same in both"
	}
	return fmt.Sprintf("%d rows before", before)
}

// pointed reports whether a row has the critical or the failed step of its run.
func (b *Beside) pointed(r besideRow) bool {
	is := func(g *Graph, p int) bool { return p != none && (g.critical(p) || g.failed(p)) }
	return is(b.Here, r.here) || is(b.There, r.there)
}

// shortened returns the rows without the middle of each long stretch in which both runs are the
// same. If whole is set, it returns all rows. One row without points takes the place of such a
// middle. For each row of out, left has the number of rows in whose place it stands, or 0.
func (b *Beside) shortened(rows []besideRow, whole bool) (out []besideRow, left []int) {
	const around = 2 // rows of a stretch that stay, before and after
	for i := 0; i < len(rows); {
		k := i
		for k < len(rows) && rows[k].same && !b.pointed(rows[k]) {
			k++
		}
		if k-i > 2*around+1 && !whole {
			out = append(out, rows[i:i+around]...)
			left = append(left, make([]int, around)...)
			out, left = append(out, besideRow{none, none, true}), append(left, k-i-2*around)
			i = k - around
		}
		for ; i < max(k, min(i+1, len(rows))); i++ {
			out, left = append(out, rows[i]), append(left, 0)
		}
	}
	return out, left
}

// sameDid reports whether the two steps of a row have the same coins and effects. (Their messages
// may have been delivered in one run and lost in the other.)
func (b *Beside) sameDid(r besideRow) bool {
	x, y := &b.Here.points[r.here], &b.There.points[r.there]
	return slices.Equal(x.coins, y.coins) && slices.EqualFunc(x.did, y.did, func(d, e did) bool { return d.identity == e.identity })
}
