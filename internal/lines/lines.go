package lines

import (
	"bytes"
	"slices"
)

// Piece is a stretch of code without a branch: from a line and a column up to, and without,
// another line and column.
type Piece struct{ Line, Column, EndLine, EndColumn int }

// Function is a function, or a literal of one.
type Function struct {
	File   string // on the disk
	Name   string
	Pieces []Piece
}

// Ran has the code that ran in each step of a run.
type Ran struct {
	Functions []Function
	Steps     [][]Part // of the start, and of each step
}

// Part has the pieces of a function that ran, by their numbers.
type Part struct {
	Function int
	Pieces   []int
}

// Counted returns the code of some packages that has run in this process, which must be a copy
// that counts. Steps has one entry, for everything.
func Counted(packages []string) (*Ran, error) {
	_, dirs, err := copyOf()
	if err != nil {
		return nil, err
	}
	known, err := functions()
	if err != nil {
		return nil, err
	}
	o := &order{Dirs: dirs}
	ran := &Ran{Functions: make([]Function, len(known)), Steps: make([][]Part, 1)}
	first := map[int]int{} // of a package: its first function
	for i, f := range known {
		if _, ok := first[f.pkg]; !ok {
			first[f.pkg] = i
		}
		if slices.Contains(packages, f.path) {
			ran.Functions[i] = Function{File: o.onDisk(f.file), Name: f.name, Pieces: f.unit}
		}
	}
	var b bytes.Buffer
	err = count(&b, func(pkg, function, piece int) {
		ran.Steps[0] = append(ran.Steps[0], Part{first[pkg] + function, []int{piece}})
	})
	return ran, err
}

// Of returns the parts of the source that ran in a step; ok is false if they are not known.
func (r *Ran) Of(step int) (parts []Part, ok bool) {
	if r == nil || step < 0 || step >= len(r.Steps) {
		return nil, false
	}
	return r.Steps[step], true
}
