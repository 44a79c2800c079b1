package catalog

import (
	"fmt"
	"strings"

	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/handshake"
	"macemc/systems/jointree"
	"macemc/systems/overcast"
	"macemc/systems/peterson"
	"macemc/systems/randtree"
	"macemc/systems/simtcp"
	"macemc/systems/stopwait"
	"macemc/systems/twophase"
)

// Systems are all systems, in the order of their names.
func Systems() []*sim.System {
	return []*sim.System{
		brokentree.System,
		handshake.System,
		jointree.System,
		overcast.System,
		peterson.System,
		randtree.System,
		simtcp.System,
		stopwait.System,
		twophase.System,
	}
}

// Find is the system of that name. Its error says which there are, and which
// was probably meant.
func Find(name string) (*sim.System, error) {
	var all []string
	for _, sys := range Systems() {
		if sys.Name == name {
			return sys, nil
		}
		all = append(all, sys.Name)
	}
	if meant := Nearest(name, all); meant != "" {
		return nil, fmt.Errorf("there is no system %q; did you mean %s? There are %s", name, meant, strings.Join(all, ", "))
	}
	return nil, fmt.Errorf("there is no system %q; there are %s", name, strings.Join(all, ", "))
}

// Nearest is the first of the names that are the fewest slips away from what
// was typed; "" if that is more than a third of its letters, and one does not
// begin with the other. Capitals do not count.
func Nearest(typed string, names []string) (best string) {
	typed = strings.ToLower(typed)
	least := len(typed) + 1
	for _, name := range names {
		lower := strings.ToLower(name)
		away := slips(typed, lower)
		if typed != "" && strings.HasPrefix(lower, typed) {
			away = 0 // an abbreviation
		}
		if away < least && 3*away <= len(name) {
			best, least = name, away
		}
	}
	return best
}

// slips is the number of letters to insert, delete or replace to make b of a
// (the distance of Levenshtein).
func slips(a, b string) int {
	row := make([]int, len(b)+1) // from the letters of a so far to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
