package oracle

import (
	_ "embed"
	"strings"

	"macemc/internal/spec"
)

//go:embed testdata/kept.txt
var kept string

// KeptSpec is a random system for which a search and the oracle once disagreed, with the
// reason.
type KeptSpec struct {
	Why string
	*spec.Spec
}

// Kept returns the specs of testdata/kept.txt, each of which is a line below a comment about its bug.
func Kept() (all []KeptSpec) {
	var why []string
	for line := range strings.Lines(kept) {
		switch line = strings.TrimSpace(line); {
		case line == "":
			why = nil
		case strings.HasPrefix(line, "{"):
			s, err := spec.Parse(line)
			if err != nil {
				panic("macemc bug: oracle: testdata/kept.txt: " + err.Error())
			}
			all = append(all, KeptSpec{strings.Join(why, " "), s})
		default:
			why = append(why, line)
		}
	}
	return all
}
