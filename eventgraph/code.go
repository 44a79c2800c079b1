package eventgraph

import (
	"encoding/binary"
	"strings"
)

// Code is a piece of the service's source that belongs to a step.
type Code struct {
	Func  string // the name of the function
	At    string // the file and the line of the function
	Lines []CodeLine
}

// CodeLine is a line of Code.
type CodeLine struct {
	Number int // the number of the line in its file; 0 means that lines are left out here
	Text   string
	Ran    bool
}

// code adds the lines of source that ran in a step to the data of the page. Pieces of source that
// are equal are stored once.
func (r *pageRun) code(step int) {
	if r.g.code == nil || step < 1 {
		return
	}
	var all []int
	for _, c := range r.g.code(step) {
		piece := []int{r.d.str(clean(c.Func + "  " + c.At))}
		for _, l := range c.Lines {
			ran := 0
			if l.Ran {
				ran = 1
			}
			piece = append(piece, l.Number, ran, r.d.str(codeText(l.Text)))
		}
		all = append(all, r.d.piece(piece))
	}
	if len(all) > 0 {
		r.Code[step] = all
	}
}

// piece returns the index of a piece of source in the page, and adds the piece if it is new.
func (d *page) piece(piece []int) int {
	var b []byte
	for _, n := range piece {
		b = binary.AppendUvarint(b, uint64(n))
	}
	key := string(b)
	i, ok := d.pieces[key]
	if !ok {
		i = len(d.Pieces)
		d.pieces[key] = i
		d.Pieces = append(d.Pieces, piece)
	}
	return i
}

// codeText returns a line of a source file with blanks instead of tabs, as a page shows it.
func codeText(line string) string {
	rest := strings.TrimLeft(line, "\t")
	return strings.Repeat("    ", len(line)-len(rest)) + clean(rest)
}
