package lines

import (
	"bytes"
	"slices"
)

// Piece is a stretch of code without a branch: from a line and a column up to, and without,
// another line and column.
type Piece struct{ Line, Column, EndLine, EndColumn int }

// Function is a function or a function literal, with the pieces of its code.
type Function struct {
	File   string // the path on the disk
	Name   string
	Pieces []Piece
}

// Ran has the code that ran in each step of a run.
type Ran struct {
	Functions []Function
	Steps     [][]Part // what ran in the start, and in each step
}

// Part lists the pieces of a function that ran.
type Part struct {
	Function int   // its index in Ran.Functions
	Pieces   []int // their indices in Function.Pieces
}

// Counted returns the code of some packages that has run in this process, which must be a copy
// that counts lines. Ran.Steps has one entry, for the whole process.
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
	first := map[int]int{} // the index of the first function of each package
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

// Of returns what ran in a step; ok is false if that is not known.
func (r *Ran) Of(step int) (parts []Part, ok bool) {
	if r == nil || step < 0 || step >= len(r.Steps) {
		return nil, false
	}
	return r.Steps[step], true
}
