package choose

import (
	"math/bits"
	"slices"
)

// An Alignment pairs steps of two paths that are the same event, in the order of both
// paths. The steps of the common prefix lead to the same states. Later pairs are equal
// events in states that may differ.
type Alignment struct {
	Prefix int     // the number of leading steps that agree in event and coins
	Same   []Match // the pairs, in order; the first Match is the prefix, if there is one
}

// A Match is a stretch of N paired steps: steps A+1, A+2, ... of the first path, and B+1,
// B+2, ... of the second.
type Match struct{ A, B, N int }

// Paired returns the number of pairs.
func (a Alignment) Paired() (n int) {
	for _, m := range a.Same {
		n += m.N
	}
	return n
}

// Align aligns two paths by the identities of their events: first the common prefix, then a
// longest common subsequence of the rest. It needs len(a)*len(b)/64 operations and words of
// memory. If that is too much memory, it takes twice the time instead. Two paths of 10,000
// steps with little in common take a few milliseconds.
func Align(a, b *Path) Alignment {
	var out Alignment
	out.Prefix = commonPrefix(a, b)
	out.add(0, 0, out.Prefix)
	x, y := numbered(a.Steps[out.Prefix:], b.Steps[out.Prefix:])
	tail := 0 // pairing equal ends loses no pair; for a shrunk path it finds most pairs
	for tail < min(len(x), len(y)) && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	x, y = x[:len(x)-tail], y[:len(y)-tail]
	out.subsequence(x, y, out.Prefix, out.Prefix, rowsMost)
	out.add(out.Prefix+len(x), out.Prefix+len(y), tail)
	return out
}

// commonPrefix counts the leading steps that agree, coins included. If the starts differ,
// it is 0.
func commonPrefix(a, b *Path) int {
	if !slices.EqualFunc(a.Start, b.Start, sameChoice) {
		return 0
	}
	n := 0
	for n < min(len(a.Steps), len(b.Steps)) && sameStep(&a.Steps[n], &b.Steps[n]) {
		n++
	}
	return n
}

func sameStep(a, b *Step) bool {
	return a.Event.What == b.Event.What && slices.EqualFunc(a.Coins, b.Coins, sameChoice)
}

func sameChoice(a, b Choice) bool { return a.What == b.What }

// add pairs n steps: those after the first i steps of one path with those after the first j
// steps of the other.
func (a *Alignment) add(i, j, n int) {
	if n == 0 {
		return
	}
	if k := len(a.Same) - 1; k >= 0 {
		if m := &a.Same[k]; m.A+m.N == i && m.B+m.N == j {
			m.N += n
			return
		}
	}
	a.Same = append(a.Same, Match{i, j, n})
}

// numbered maps events to numbers, from 0 without gaps. Equal events get equal numbers.
func numbered(a, b []Step) (x, y []int) {
	number := map[string]int{}
	of := func(steps []Step) []int {
		out := make([]int, len(steps))
		for i := range steps {
			what := steps[i].Event.What
			n, known := number[what]
			if !known {
				n = len(number)
				number[what] = n
			}
			out[i] = n
		}
		return out
	}
	return of(a), of(b)
}

// rowsMost limits the memory for rows of the table that subsequence computes: 4 Mi words of 64
// bits, which are 32 MiB.
const rowsMost = 4 << 20

// subsequence adds the pairs of a longest common subsequence of x and y to the Alignment. x and y
// are the numbers of the events after the first i steps of one path and after the first j steps of
// the other. The table of this computation has a row for each element of x. If all rows need more
// than most words of memory, subsequence computes each half of x by itself. It splits y at the
// place where the two halves together have the most in common.
func (a *Alignment) subsequence(x, y []int, i, j, most int) {
	if len(x) == 0 || len(y) == 0 {
		return
	}
	if len(x) == 1 || len(x)*words(len(y)) <= most {
		a.trace(x, y, i, j)
		return
	}
	half := len(x) / 2
	left := lengths(x[:half], y)
	right := lengths(reversed(x[half:]), reversed(y))
	at := 0
	for k := range left {
		if left[k]+right[len(y)-k] > left[at]+right[len(y)-at] {
			at = k
		}
	}
	a.subsequence(x[:half], y[:at], i, j, most)
	a.subsequence(x[half:], y[at:], i+half, j+at, most)
}

func reversed(x []int) []int {
	x = slices.Clone(x)
	slices.Reverse(x)
	return x
}

// lengths returns the length of the longest common subsequence of x and each prefix of y.
func lengths(x, y []int) []int {
	r := newRows(y)
	row := r.first()
	for _, n := range x {
		r.next(row, row, n)
	}
	out := make([]int, len(y)+1)
	for k := range y {
		out[k+1] = out[k] + int(^row[k/64]>>(k%64)&1)
	}
	return out
}

// trace adds the same pairs as subsequence. It keeps all rows of the table in memory, and finds the
// pairs by going through the rows from the last to the first.
func (a *Alignment) trace(x, y []int, i, j int) {
	r := newRows(y)
	rows := make([][]uint64, len(x)+1)
	rows[0] = r.first()
	all := make([]uint64, len(x)*len(rows[0]))
	for k, n := range x {
		rows[k+1], all = all[:len(rows[0])], all[len(rows[0]):]
		r.next(rows[k+1], rows[k], n)
	}
	var pairs []Match // in reverse order
	for m, n := len(x), len(y); m > 0 && n > 0; {
		switch {
		case x[m-1] == y[n-1]: // pairing the last elements of both is never wrong
			m, n = m-1, n-1
			pairs = append(pairs, Match{i + m, j + n, 1})
		case rows[m][(n-1)/64]>>((n-1)%64)&1 == 1: // without the last element of y the subsequence is as long
			n--
		default:
			m--
		}
	}
	for _, p := range slices.Backward(pairs) {
		a.add(p.A, p.B, p.N)
	}
}

// rows computes the table of longest common subsequences a row at a time, 64 columns at
// once (Hyyrö, 2004). Bit k of row m is 0 if the first m elements of x have a longer common
// subsequence with the first k+1 elements of y than with the first k.
type rows struct {
	at    [][]int32  // for each number: its positions in y
	masks [][]uint64 // for numbers with many positions: the positions as bits
	row   []uint64   // a mask that is built for one row
}

func words(n int) int { return (n + 63) / 64 }

func newRows(y []int) *rows {
	most := 0
	for _, n := range y {
		most = max(most, n)
	}
	r := &rows{at: make([][]int32, most+1), masks: make([][]uint64, most+1), row: make([]uint64, words(len(y)))}
	for k, n := range y {
		r.at[n] = append(r.at[n], int32(k))
	}
	for n, at := range r.at {
		if len(at) > len(r.row) { // fewer than 64 numbers have so many positions that they get a mask
			r.masks[n] = make([]uint64, len(r.row))
			put(r.masks[n], at)
		}
	}
	return r
}

func put(mask []uint64, at []int32) {
	for _, k := range at {
		mask[k/64] |= 1 << (k % 64)
	}
}

func (r *rows) first() []uint64 {
	row := make([]uint64, len(r.row))
	for k := range row {
		row[k] = ^uint64(0)
	}
	return row
}

// next computes the row for an element n of x from the row before it. row and before may be the
// same slice.
func (r *rows) next(row, before []uint64, n int) {
	var mask []uint64
	if n < len(r.at) {
		mask = r.masks[n]
	}
	if mask == nil {
		mask = r.row
		if n < len(r.at) {
			put(mask, r.at[n])
			defer func() {
				for _, k := range r.at[n] {
					mask[k/64] = 0
				}
			}()
		}
	}
	carry := uint64(0)
	for k, v := range before {
		var sum uint64
		sum, carry = bits.Add64(v, v&mask[k], carry)
		row[k] = sum | v&^mask[k]
	}
}
