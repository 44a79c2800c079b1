package main

import (
	"fmt"
	"regexp"
	"strings"
)

// A named mutant is one that changed the meaning of a verdict and that no test noticed at
// first. It is found by the text that it replaces, in whichever file that is now.
type named struct {
	name string
	room string
	old  *regexp.Regexp // the text to replace; it must match once in the room
	by   string         // the replacement
}

var names = []named{
	{
		"rare steps lead back", "search",
		regexp.MustCompile(`g\.tree = g\.Owner\.Sys\.Weight == nil`),
		"g.tree = true",
	},
	{
		"outside is not alive", "search",
		regexp.MustCompile(`said&\(explore\.SaidGood\|explore\.SaidInside\) != explore\.SaidInside`),
		"said&explore.SaidGood != 0",
	},
	{
		"unassumed is forgotten", "search",
		regexp.MustCompile(`g\.Unassumed = true`),
		"",
	},
	{
		"walks never go back along causes", "search",
		regexp.MustCompile(`cause > s\.first && (by\.below\(2\) == 0)`),
		"false && $1",
	},
	{
		"connections open one way", "sim",
		regexp.MustCompile(`(![\w.]+\.severed\(from, to\)) && \([\w.()]+\.Flags\(from, to\)\.Open \|\| ![\w.]+\.severed\(to, from\)\)`),
		"$1",
	},
	{
		"sets cross partitions", "sim",
		regexp.MustCompile(`up && ![\w.]+\.severed\(m\.From, i\) && ns`),
		"up && ns",
	},
}

// find returns the mutant. It returns an error unless the text occurs exactly once in the
// files of the room.
func (n named) find(files []source) (*mutant, error) {
	var found *mutant
	for _, f := range files {
		if f.room != n.room {
			continue
		}
		for _, at := range n.old.FindAllStringIndex(f.text, -1) {
			if found != nil {
				return nil, fmt.Errorf("the named mutant %q matches in several places, one of which is %s:%d; make its pattern in named.go longer", n.name, found.File, found.Line)
			}
			old := f.text[at[0]:at[1]]
			by := n.old.ReplaceAllString(old, n.by)
			found = &mutant{
				ID: "named:" + strings.ReplaceAll(n.name, " ", "-"), Name: n.name, Room: f.room, Package: f.pkg, File: f.file,
				Line: 1 + strings.Count(f.text[:at[0]], "\n"), Kind: "named", Old: old, New: by,
				text: f.text[:at[0]] + by + f.text[at[1]:],
			}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("the named mutant %q matches nothing: the folder %[3]s has no text %[2]s any more; write the present text into named.go", n.name, n.old, n.room)
	}
	return found, nil
}
