package search

import (
	"testing"

	"macemc/systems/jointree"
)

// BenchmarkPrefix compares exhaustive searches that begin at the start, after a prefix of 30 steps and
// after one of 700. All execute the same number of transitions. One operation is a transition. The
// time includes the steps of the prefix, which each audit takes again.
func BenchmarkPrefix(b *testing.B) {
	params, err := jointree.System.Configure(0, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	var long *Result
	for steady := 10; long == nil || len(long.Prefixes[0].Steps) < 700; steady += 10 {
		if long, err = Search(jointree.System, Options{Params: params, Prefixes: 1, Steady: steady}); err != nil || len(long.Prefixes) == 0 {
			b.Fatal(steady, err)
		}
	}
	path := long.Prefixes[0].Prefix(700)
	const early = 30
	for _, c := range []struct {
		name string
		opts Options
	}{
		{"start", Options{Params: params}},
		{"early", Options{Params: params, Prefix: path.Prefix(early)}},
		{"prefix", Options{Params: params, Prefix: path}},
	} {
		for _, engine := range []Engine{EngineLocal, EngineMemo} {
			b.Run(c.name+"/"+string(engine), func(b *testing.B) {
				c.opts.Engine, c.opts.NoWalks, c.opts.Effort = engine, true, max(b.N, 1000)
				b.ResetTimer()
				cpu := Processor()
				res, err := Search(jointree.System, c.opts)
				spent := Processor() - cpu
				if err != nil || res.Finding != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(spent)/float64(res.Stats.Executed), "cpu-ns/transition")
				b.ReportMetric(float64(res.Stats.States), "states")
			})
		}
	}
}
