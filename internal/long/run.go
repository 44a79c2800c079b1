package long

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

// Run runs the tests of a package that searches. A heap of such a test is small, and every
// part of it is made anew in each run, so the collector would run for a quarter of the time:
// it waits until the heap is five times what is in use. Benchmarks keep Go's own setting.
func Run(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
