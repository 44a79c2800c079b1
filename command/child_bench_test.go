//go:build unix

package command

import (
	"encoding/json"
	"path/filepath"
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

// BenchmarkState compares searches that keep their state on disk with the same ones that do not, by
// processor time, by turns.
func BenchmarkState(b *testing.B) {
	for name, line := range map[string]string{
		"walks":  "randtree --depth 1 --paths 60000",
		"states": "peterson --param n=5 --no-walks --depth 300",
	} {
		b.Run(name, func(b *testing.B) {
			var took [2]time.Duration
			states := 0
			for b.Loop() {
				dir := b.TempDir()
				for i, flags := range []string{"", " --state " + filepath.Join(dir, "state")} {
					before := ofChildren(b)
					p := command(b, b.Context(), "search "+line+flags+" --json --quiet --workers 1")
					if err := p.Run(); err != nil && p.ProcessState.ExitCode() != exitNothing {
						b.Fatal(err, p.stderr.String())
					}
					took[i] += ofChildren(b) - before
					var r struct {
						Stats struct {
							States int `json:"states"`
						} `json:"stats"`
					}
					if err := json.Unmarshal(p.stdout.Bytes(), &r); err == nil {
						states = r.Stats.States
					}
				}
			}
			b.ReportMetric(took[0].Seconds()/float64(b.N), "s-without")
			b.ReportMetric(took[1].Seconds()/float64(b.N), "s-with")
			b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
			b.ReportMetric(float64(states), "states")
		})
	}
}

// ofChildren returns the processor time of all child processes that have ended, and of their own children.
func ofChildren(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
