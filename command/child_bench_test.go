//go:build unix

package command

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkChild compares a search in a child with the same one in process, by
// processor time, in turns.
func BenchmarkChild(b *testing.B) {
	for name, line := range map[string]string{
		"walks":  "search randtree --depth 1 --paths 25000",
		"states": "search randtree --no-walks --nodes 4 --depth 11 --faults crash=1,reset=1",
	} {
		b.Run(name, func(b *testing.B) {
			var took [2]time.Duration
			for b.Loop() {
				for i, where := range []string{"", " --in-process"} {
					before := ofChildren(b)
					p := command(b, b.Context(), line+where+" --quiet --workers 1")
					if err := p.Run(); err != nil && p.ProcessState.ExitCode() != exitNothing {
						b.Fatal(err, p.stderr.String())
					}
					took[i] += ofChildren(b) - before
				}
			}
			b.ReportMetric(took[0].Seconds()/float64(b.N), "s-child")
			b.ReportMetric(took[1].Seconds()/float64(b.N), "s-in-process")
			b.ReportMetric(float64(took[0])/float64(took[1]), "ratio")
		})
	}
}

// ofChildren is the processor time of all processes that have ended, and theirs.
func ofChildren(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
