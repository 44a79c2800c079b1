package f3

import (
	"testing"

	"macemc/internal/long"
	"macemc/macetest"
	"macemc/trace"
)

// If all members propose one chain, every walk comes to a decision.
func TestDecides(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Params: []string{"proposals=same"}, Depth: 2, Walks: 20})
}

// A search finds that a member which proposes another chain may come to rest for ever: see docs/found.md.
func TestFindsTheRest(t *testing.T) {
	if !*long.On {
		t.Skip("it takes 40 s")
	}
	macetest.Run(t, System, macetest.Options{Depth: 2, WalkSteps: 1_000, Walks: 1_000, Expect: trace.VerdictDead, NoShrink: true})
}
