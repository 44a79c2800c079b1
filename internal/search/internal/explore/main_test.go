package explore

import (
	"testing"

	"macemc/internal/long"
)

func TestMain(m *testing.M) { long.Run(m) }
