package pingpong

import (
	"testing"

	"macemc/macetest"
)

func TestPingPong(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }
