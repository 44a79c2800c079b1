package lines

// Piece is a piece of code that runs as a whole: from a line and a column to a
// line and a column, which is behind it.
type Piece struct{ Line, Column, EndLine, EndColumn int }

// Function is a function, or a literal of one.
type Function struct {
	File   string // on the disk
	Name   string
	Pieces []Piece
}

// Ran is which code ran in the steps of a run.
type Ran struct {
	Functions []Function
	Steps     [][]Part // of the start, and of each step
}

// Part is what ran of a function: some of its pieces, by their numbers.
type Part struct {
	Function int
	Pieces   []int
}

// Of is what ran in a step; ok: that is known.
func (r *Ran) Of(step int) (parts []Part, ok bool) {
	if r == nil || step < 0 || step >= len(r.Steps) {
		return nil, false
	}
	return r.Steps[step], true
}
