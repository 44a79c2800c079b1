package quic

import (
	"testing"

	"macemc/macetest"
)

// A search finds nothing if round trips take time.
func TestLossDetection(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Depth: 5, Walks: 20, WalkSteps: 500})
}
