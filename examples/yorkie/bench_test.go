package yorkie

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/world"
)

// processor returns the processor time of this process, in seconds.
func processor(b *testing.B) float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
}

// Walks by macemc to their ends: steps of a second of processor time.
func BenchmarkWalk(b *testing.B) {
	params, err := System.Configure(2, []string{"edits=insert"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	w, err := world.New(System, params, world.Config{})
	if err != nil {
		b.Fatal(err)
	}
	walk, steps, began := choose.NewWalk(1), 0, processor(b)
	for i := uint64(0); b.Loop(); i++ {
		walk.Restart(1, i)
		if f := w.Protect(func() {
			for w.Start(walk); w.Judge.Check() == nil && w.Step(walk) == world.Stepped; {
			}
		}); f != nil {
			b.Fatal(f.Message)
		}
		steps += w.Run.Steps()
	}
	b.ReportMetric(float64(steps)/(processor(b)-began), "steps/s")
}

// The same edits on replicas that are kept, without macemc.
func BenchmarkBare(b *testing.B) {
	menu := edits([]string{"insert"}, last)
	draw, steps, began := rand.New(rand.NewPCG(1, 1)), 0, processor(b)
	for b.Loop() {
		replicas := []replica{newReplica(1, []deed{{Wire: first}}), newReplica(2, []deed{{Wire: first}})}
		var changes []wire
		for _, r := range replicas {
			if steps++; r.edit(menu[draw.IntN(len(menu))]) == nil {
				changes = append(changes, r.last())
			} else {
				changes = append(changes, "")
			}
		}
		for i, r := range replicas {
			if w := changes[1-i]; w != "" {
				steps++
				if err := r.hear(w); err != nil {
					b.Fatal(err)
				}
			}
			_ = r.xml()
		}
	}
	b.ReportMetric(float64(steps)/(processor(b)-began), "steps/s")
}
