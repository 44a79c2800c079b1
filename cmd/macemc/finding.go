package main

import (
	"regexp"
	"strings"

	"macemc/internal/finding"
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

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// shellWord is a file name as it must be typed.
func shellWord(name string) string {
	if plainWord.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
