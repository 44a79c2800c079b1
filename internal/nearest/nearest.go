package nearest

import (
	"fmt"
	"strings"
)

// Missing returns the error for a name that does not exist. It suggests the name that was
// probably meant, and lists all names.
func Missing(what, typed string, names []string) error {
	if len(names) == 1 {
		return fmt.Errorf("there is no %s %q; there is only %s", what, typed, names[0])
	}
	all := strings.Join(names, ", ")
	if meant := Name(typed, names); meant != "" {
		return fmt.Errorf("there is no %s %q; did you mean %s? There are %s", what, typed, meant, all)
	}
	return fmt.Errorf("there is no %s %q; there are %s", what, typed, all)
}

// Name returns the name that differs from typed by the fewest slips, and the first one if there are several. A
// name that begins with typed counts as having no slips. It returns "" if each name would need more slips than
// a third of its letters. Case does not matter.
func Name(typed string, names []string) (best string) {
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

// slips returns the number of letters to insert, delete or replace, and of neighbors to
// swap, to turn a into b (the Damerau-Levenshtein distance).
func slips(a, b string) int {
	var before []int              // the row before the previous one
	last := make([]int, len(b)+1) // the number of slips from the letters of a so far to each prefix of b
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := []int{i + 1}
		for j := range len(b) {
			away := last[j]
			if a[i] != b[j] {
				away++
			}
			away = min(away, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				away = min(away, before[j-1]+1)
			}
			row = append(row, away)
		}
		before, last = last, row
	}
	return last[len(b)]
}
