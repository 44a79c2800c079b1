package lines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/sim"
)

// asked is the environment variable that holds the order for a copy of the program.
const asked = "MACEMC_LINES"

// order tells a copy of the program which path to take, and where to write the answer.
type order struct {
	Path   string            // the file with the path to take
	Answer string            // the file to write the answer to
	Main   string            // the package main, whose lines are not reported
	Dirs   map[string]string // the directories of packages, by import path
}

// Asked does the work of a copy of the program that counts lines: it takes a path, and writes which lines
// ran. It returns false if this process was not started for that. load reads the file of a path, and finds
// its system.
func Asked(load func(file string) (*sim.System, *choose.Path, error)) bool {
	text := os.Getenv(asked)
	if text == "" {
		return false
	}
	os.Unsetenv(asked) // processes that handlers start get no order
	var o order
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		err = o.take(load)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return true
}

func (o *order) take(load func(file string) (*sim.System, *choose.Path, error)) error {
	sys, path, err := load(o.Path)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(o.Answer, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	return o.answer(file, sys, path)
}

// answer takes the path, and writes a line with all functions, and then a line for each step as soon as it
// has been taken, since the last step may end the process.
func (o *order) answer(w io.Writer, sys *sim.System, path *choose.Path) error {
	known, err := functions()
	if err != nil {
		return err
	}
	first := map[int]int{} // the index of the first function of each package
	all := make([]Function, len(known))
	for i, f := range known {
		if _, ok := first[f.pkg]; !ok {
			first[f.pkg] = i
		}
		if f.path != o.Main {
			all[i] = Function{File: o.onDisk(f.file), Name: f.name, Pieces: f.unit}
		}
	}
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	if err := e.Encode(all); err != nil {
		return err
	}
	var counters bytes.Buffer
	var failed error
	err = search.Retake(sys, path, func() { failed = clearCounts() }, func() bool {
		parts := []Part{}
		if failed == nil {
			failed = count(&counters, func(pkg, function, piece int) {
				f := first[pkg] + function
				switch n := len(parts); {
				case len(all[f].Pieces) == 0: // a function of the program's package main
				case n > 0 && parts[n-1].Function == f:
					parts[n-1].Pieces = append(parts[n-1].Pieces, piece)
				default:
					parts = append(parts, Part{f, []int{piece}})
				}
			})
		}
		slices.SortFunc(parts, func(a, b Part) int { return a.Function - b.Function })
		if failed == nil {
			failed = e.Encode(parts)
		}
		if failed == nil {
			failed = b.Flush()
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// onDisk returns the path on the disk of a file that coverage names by its package.
func (o *order) onDisk(file string) string {
	i := strings.LastIndexByte(file, '/')
	if dir := o.Dirs[file[:max(i, 0)]]; dir != "" {
		return dir + "/" + file[i+1:]
	}
	return file
}

// read parses what a copy has written. The copy may have died before it wrote everything, so read ignores an
// incomplete last line.
func read(text []byte) (*Ran, error) {
	r := &Ran{}
	for i := 0; len(text) > 0; i++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			break
		}
		text = rest
		var err error
		if i == 0 {
			err = json.Unmarshal(line, &r.Functions)
		} else {
			var parts []Part
			err = json.Unmarshal(line, &parts)
			r.Steps = append(r.Steps, parts)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}
