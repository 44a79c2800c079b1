package long

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

// Run runs the tests of a package that searches, and sets the garbage collector to run when the heap is 17 times
// the memory in use; with -long, whose heaps are large, five times. The heaps of the usual tests are small and
// change completely in each run, so with Go's own setting the collector would take a quarter of the time.
// Benchmarks keep Go's own setting.
func Run(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(Of(1600, 400))
	}
	os.Exit(m.Run())
}
