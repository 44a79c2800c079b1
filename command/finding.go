package command

import (
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"macemc/internal/finding"
	"macemc/search"
)

// commands are what can be done with the path of a finding.
func (t *tool) commands(file string) []finding.Command {
	return []finding.Command{
		{What: "take the run again, with every check on", Line: t.line("replay", file)},
		{What: "what happened before what", Line: t.line("graph", file)},
		{What: "step by step, forth and back", Line: t.line("mdb", file)},
		{What: "take steps out, longer than the search did", Line: t.line("shrink", file)},
	}
}

// storePrefixes writes prefixes into a new folder, and notes their names.
func (t *tool) storePrefixes(r *search.Result) error {
	if len(r.Prefixes) == 0 {
		return nil
	}
	folder, err := t.shelf.Put(r.System.Name+"-prefixes", func(folder string) (files []finding.File) {
		for i := range r.Prefixes {
			p := &r.Prefixes[i]
			name := strconv.Itoa(i+1) + ".path"
			p.File = filepath.Join(folder, name)
			files = append(files, finding.File{Name: name, Write: func(w io.Writer) error {
				_, err := p.WriteTo(w)
				return err
			}})
		}
		return files
	})
	if folder == "" {
		for i := range r.Prefixes {
			r.Prefixes[i].File = ""
		}
	}
	return err
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// shellWord is a file name as it must be typed.
func shellWord(name string) string {
	if plainWord.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
