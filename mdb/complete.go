package mdb

import (
	"os"
	"slices"
	"strings"

	"macemc/internal/wording"
	"macemc/sim"
)

// completer returns the words that an argument may be, given the arguments before it.
type completer func(s *Session, before []string) []string

func ofWords(words ...string) completer { return func(*Session, []string) []string { return words } }

func ofNodes(s *Session, _ []string) []string { return s.Nodes() }

func ofBranches(s *Session, _ []string) []string { return s.run.branches.names() }

func ofCommands(*Session, []string) []string {
	return append(commandNames(), topicQueries, topicFields)
}

// ofQuery returns the words that may come next in a query whose words so far are before.
func ofQuery(s *Session, before []string) (words []string) {
	switch before[len(before)-1] {
	case "node":
		return s.Nodes()
	case "kind":
		return kindNames()
	case "type", "sends":
		return s.run.types()
	case "field":
		return ofFields(s, before)
	case "property":
		for _, name := range s.run.names {
			words = append(words, `"`+name+`"`)
		}
		return words
	}
	return slices.Concat(termWords, s.Nodes())
}

// ofFields returns the top-level fields of the present state.
func ofFields(s *Session, _ []string) (names []string) {
	lines, err := s.lines()
	if err != nil {
		return nil
	}
	for _, l := range lines {
		if m := nodeName.FindString(l.Path); strings.HasSuffix(m, ".") {
			name, _, _ := strings.Cut(l.Path, "[")
			names = append(names, name)
		}
	}
	return names
}

// types returns the names of the types of messages and signals in the trunk.
func (r *run) types() (names []string) {
	met := map[string]bool{}
	for i := range r.trunk.steps {
		value := r.trunk.steps[i].Event.Value
		body, _ := wording.Carried(value)
		met[typeName(value)], met[typeName(body)] = true, true
	}
	delete(met, "")
	return sim.Keys(met)
}

func ofFiles(*Session, []string) (names []string) {
	entries, err := os.ReadDir(".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		switch {
		case e.IsDir():
			names = append(names, e.Name()+"/")
		case strings.HasSuffix(e.Name(), ".path"):
			names = append(names, e.Name())
		}
	}
	return names
}

// Complete returns the words, in order, that the last word of a line may be completed to.
func (s *Session) Complete(line string) (words []string) {
	if i := strings.LastIndexByte(line, ';'); i >= 0 {
		line = line[i+1:]
	}
	before, typed := "", strings.TrimLeft(line, " ")
	if i := strings.LastIndexByte(typed, ' '); i >= 0 {
		before, typed = typed[:i], typed[i+1:]
	}
	var all []string
	if parts := strings.Fields(before); len(parts) == 0 {
		all = commandNames()
	} else if c := lookup(parts[0]); c != nil && len(c.args) > 0 {
		all = c.args[min(len(parts), len(c.args))-1](s, parts)
	}
	slices.Sort(all)
	for _, w := range slices.Compact(all) {
		if strings.HasPrefix(w, typed) && w != typed {
			words = append(words, w)
		}
	}
	return words
}
