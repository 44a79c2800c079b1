package mdb

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"macemc/systems/jointree"
)

const longSteps = "100000"

func BenchmarkOpen(b *testing.B) {
	name := longPath(b, longSteps)
	for b.Loop() {
		s, err := Opener{Find: systems}.Open(name, Settings{})
		if err != nil || s.Len() != 100_000 {
			b.Fatal(err)
		}
	}
	s, _ := Opener{Find: systems}.Open(name, Settings{})
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MB")
	runtime.KeepAlive(s)
}

func BenchmarkLine(b *testing.B) {
	name := longPath(b, longSteps)
	s, err := Opener{Find: systems}.Open(name, Settings{})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, line := range []string{
		"jump %d; state", "jump 100000; prev; state", "jump start; next property \"one root\"", "jump start; watch n3.kids[n1]",
		"jump end; watch back n3.nothing", "jump start; next /no such thing/", "list sends leave", "jump end; diff 1", "jump end; properties",
	} {
		text := line
		if line[len(line)-5:] == "state" && line[:7] == "jump %d" {
			text = ""
		}
		b.Run(line, func(b *testing.B) {
			for b.Loop() {
				s.run.cached = nil
				l := text
				if l == "" {
					l = fmt.Sprintf(line, rng.IntN(100_000))
				}
				_, _ = s.Do(l)
			}
		})
	}
}

// BenchmarkWatch searches a run backwards for changes of a field, which is a small part of the state of the
// nodes.
func BenchmarkWatch(b *testing.B) {
	for _, ballast := range []string{"none", "20KB"} {
		s := explored(b, jointree.System, Settings{Params: []string{"ballast=" + ballast}})
		must(b, s, "walk 10000")
		name := filepath.Join(b.TempDir(), "long.path")
		must(b, s, "save "+name)
		s, err := Opener{Find: systems}.Open(name, Settings{})
		if err != nil {
			b.Fatal(err)
		}
		for _, field := range []string{"n3.nothing", "n3.kids", "nothing"} {
			b.Run(ballast+"/"+field, func(b *testing.B) {
				for b.Loop() {
					s.run.cached = nil
					_, _ = s.Do("jump end; watch back " + field)
				}
			})
		}
	}
}
