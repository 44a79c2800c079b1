package command

import (
	"io"
	"macemc/choose"
	"path/filepath"
	"strconv"

	"macemc/internal/finding"
	"macemc/internal/search"
)

// commands returns the commands that a report suggests for the path of a finding.
func (c *calling) commands(file string) []finding.Command {
	return []finding.Command{
		{What: "take the run again, with every check on", Line: c.line("replay", file)},
		{What: "what happened before what", Line: c.line("graph", file)},
		{What: "step by step, forth and back", Line: c.line("mdb", file)},
		{What: "take steps out, longer than the search did", Line: c.line("shrink", file)},
	}
}

// storePrefixes writes the paths of r.Prefixes into a new folder. They are the beginnings of runs
// from which another search may start.
func storePrefixes(on *finding.Shelf, r *search.Result) error {
	return storePaths(on, r.System.Name+"-prefixes", len(r.Prefixes), func(i int) (*choose.Path, *string) {
		return r.Prefixes[i].Path, &r.Prefixes[i].File
	})
}

// storeUndecided writes the paths of runs that may be dead into a new folder.
func storeUndecided(on *finding.Shelf, r *search.Result) error {
	return storePaths(on, r.System.Name+"-undecided", len(r.Undecided), func(i int) (*choose.Path, *string) {
		return r.Undecided[i].Path, &r.Undecided[i].File
	})
}

// storeLeftOut writes paths into a new folder. They lead to the states that the search did not
// visit because each of them ends the process that visits it.
func storeLeftOut(on *finding.Shelf, r *search.Result) error {
	return storePaths(on, r.System.Name+"-left-out", len(r.LeftAt), func(i int) (*choose.Path, *string) {
		return r.LeftAt[i].Path, &r.LeftAt[i].File
	})
}

// storePaths writes n paths into a new folder with this name. It calls of for each number i below n. of
// returns the path with this number, and a pointer to the variable that gets the name of the path's file.
func storePaths(on *finding.Shelf, name string, n int, of func(i int) (*choose.Path, *string)) error {
	if n == 0 {
		return nil
	}
	folder, err := on.Put(name, func(folder string) (files []finding.File) {
		for i := range n {
			path, file := of(i)
			name := strconv.Itoa(i+1) + ".path"
			*file = filepath.Join(folder, name)
			files = append(files, finding.File{Name: name, Write: func(w io.Writer) error {
				_, err := path.WriteTo(w)
				return err
			}})
		}
		return files
	})
	if folder == "" {
		for i := range n {
			_, file := of(i)
			*file = ""
		}
	}
	return err
}
