package command

import (
	"fmt"
	"strings"

	"macemc/internal/nearest"
	"macemc/internal/wording"
)

// suggest returns "; did you mean X?", where X is the name that is nearest to word, or else the only name
// that contains word. It returns "" if there is none.
func suggest(word string, names []string) string {
	meant := nearest.Name(word, names)
	if meant == "" {
		meant = within(word, names)
	}
	if meant == "" {
		return ""
	}
	if strings.Contains(meant, " ") {
		return fmt.Sprintf("; did you mean %q?", meant)
	}
	return "; did you mean " + meant + "?"
}

// within returns the only name that contains word, or "" if none or several do.
func within(word string, names []string) (found string) {
	for _, name := range names {
		if strings.Contains(strings.ToLower(name), strings.ToLower(word)) {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

// suggestOrAll returns the same as suggest, or a list of all names if suggest returns "".
func suggestOrAll(word string, names []string) string {
	if meant := suggest(word, names); meant != "" {
		return meant
	}
	if len(names) == 0 {
		return "; it has none"
	}
	if strings.Contains(strings.Join(names, ""), " ") {
		return "; it has " + wording.Quoted(names)
	}
	return "; it has " + strings.Join(names, ", ")
}
