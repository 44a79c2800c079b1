package lock

import (
	"testing"

	"macemc/macetest"
)

func BenchmarkLock(b *testing.B) { macetest.Benchmark(b, System, macetest.Options{Walks: 10}) }
