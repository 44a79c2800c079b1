package main

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"macemc/choose"
	"macemc/internal/finding"
	"macemc/search"
)

// commands are what can be done with the path of a finding.
func (t *tool) commands(file string) []finding.Command {
	word := shellWord(file)
	return []finding.Command{
		{What: "take the run again, with every check on", Line: t.name + " replay " + word},
		{What: "what happened before what", Line: t.name + " graph " + word},
		{What: "step by step, forth and back", Line: t.name + " mdb " + word},
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

// likePrefix fills in the number of nodes and the parameters of a search that
// begins with a path: the path's, where the user said nothing else.
func likePrefix(path *choose.Path, nodes int, params []string) (int, []string, error) {
	if text, _ := path.Get("nodes"); nodes == 0 {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return 0, nil, fmt.Errorf("the path's header says nodes: %q; it must be a number of 1 or more", text)
		}
		nodes = n
	}
	for _, setting := range path.All("param") {
		key, _, _ := strings.Cut(setting, "=")
		if !slices.ContainsFunc(params, func(p string) bool { return strings.HasPrefix(p, key+"=") }) {
			params = append(params, setting)
		}
	}
	return nodes, params, nil
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// shellWord is a file name as it must be typed.
func shellWord(name string) string {
	if plainWord.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
