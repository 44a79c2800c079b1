package report

import (
	"fmt"
	"time"

	"macemc/search"
)

// Progress is how far a search is, as one short line.
func Progress(s search.Stats, elapsed time.Duration) string {
	doing := fmt.Sprintf("depth %s done, %s", count(s.Depth), many(s.States, "state"))
	if s.Walks > 0 {
		doing = many(s.Walks, "walk")
		if s.Suspects > 0 {
			doing += ", " + many(s.Suspects, "suspect")
		}
	}
	return fmt.Sprintf("%s, %s, %s steps/s, %d s", doing, many(s.Steps, "step"), rate(s.Steps, elapsed), int(elapsed.Seconds()))
}
