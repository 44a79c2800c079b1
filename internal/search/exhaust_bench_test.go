package search

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"macemc/internal/search/internal/explore"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/jointree"
	"macemc/systems/paxos"
	"macemc/systems/simtcp"
	"macemc/systems/storage"
	"macemc/systems/twophase"
)

// spaces are the systems and depths on which the engines are measured. Each takes an engine about a
// second.
var spaces = []struct {
	name     string
	sys      *sim.System
	nodes    int
	settings []string
	depth    int // for the engines that visit every state once
	shallow  int // the reference's too, which takes every run again from its start
}{
	{"small", jointree.System, 4, nil, 11, 9},
	{"1KB", jointree.System, 4, []string{"ballast=1KB"}, 9, 8},
	{"20KB", jointree.System, 4, []string{"ballast=20KB"}, 8, 6},
	{"brokentree", brokentree.System, 3, nil, 34, 24},
	{"simtcp", simtcp.System, 3, nil, 8, 7},
	{"twophase", twophase.System, 7, []string{"rms=6"}, 18, 9},
}

// once are the engines that visit every state once.
var once = []Engine{EngineLocal, EngineMemo}

// exhausting are the options of an exhaustive search without any walk.
func exhausting(b *testing.B, sys *sim.System, nodes int, settings []string, depth int, engine Engine) Options {
	b.Helper()
	params, err := sys.Configure(nodes, settings, nil)
	if err != nil {
		b.Fatal(err)
	}
	return Options{Params: params, Depth: depth, Effort: 1 << 40, NoWalks: true, Reduce: ReduceNone, Engine: engine, Workers: 1}
}

func exhausted(b *testing.B, sys *sim.System, opts Options) *Result {
	b.Helper()
	res, err := Search(sys, opts)
	if err != nil {
		b.Fatal(err)
	}
	if res.Finding != nil {
		b.Fatalf("found: %s", res.Finding.Message)
	}
	return res
}

// BenchmarkExhaust measures the engines that visit every state once. An
// operation is a transition; a benchmark takes whole searches until it has
// enough of them.
func BenchmarkExhaust(b *testing.B) {
	for _, s := range spaces {
		for _, engine := range once {
			b.Run(s.name+"/"+string(engine), func(b *testing.B) { benchExhaust(b, exhausting(b, s.sys, s.nodes, s.settings, s.depth, engine), s.sys) })
		}
	}
}

// BenchmarkWhole measures a space that is exhausted, with exact liveness, by one
// worker: an operation is a transition.
func BenchmarkWhole(b *testing.B) {
	opts := exhausting(b, twophase.System, 9, []string{"rms=8"}, 1_000, EngineMemo)
	opts.Workers = 1
	transitions := 0
	cpu := Processor()
	for transitions < b.N {
		transitions += exhausted(b, twophase.System, opts).Stats.Transitions
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric((Processor()-cpu).Seconds()/(float64(transitions)/18_507_777), "cpu-s/search")
}

// BenchmarkWorkers measures several workers beside one, by turns, by the clock:
// an operation is a pair of searches.
func BenchmarkWorkers(b *testing.B) {
	for _, s := range []struct {
		name     string
		sys      *sim.System
		nodes    int
		settings []string
		depth    int
	}{
		{"twophase", twophase.System, 9, []string{"rms=8"}, 1_000},
		{"brokentree", brokentree.System, 4, nil, 26},
		{"small", jointree.System, 4, nil, 12},
	} {
		b.Run(s.name, func(b *testing.B) {
			var wall, spent [2]time.Duration
			for b.Loop() {
				for i, workers := range []int{1, 2} {
					opts := exhausting(b, s.sys, s.nodes, s.settings, s.depth, EngineMemo)
					opts.Workers = workers
					cpu, began := Processor(), time.Now()
					exhausted(b, s.sys, opts)
					wall[i], spent[i] = wall[i]+time.Since(began), spent[i]+Processor()-cpu
				}
			}
			b.ReportMetric(wall[0].Seconds()/float64(b.N), "s-by-one")
			b.ReportMetric(wall[1].Seconds()/float64(b.N), "s-by-two")
			b.ReportMetric(float64(wall[0])/float64(wall[1]), "ratio")
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "cpu-ratio")
		})
	}
}

func benchExhaust(b *testing.B, opts Options, sys *sim.System) {
	var before, after runtime.MemStats
	var states, transitions, ran int
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	cpu := Processor()
	for transitions < b.N {
		res := exhausted(b, sys, opts)
		states, transitions, ran = states+res.Stats.States, transitions+res.Stats.Transitions, ran+res.Stats.HandlerRuns
	}
	spent := Processor() - cpu
	b.StopTimer()
	runtime.ReadMemStats(&after)
	b.ReportMetric(0, "ns/op") // no meaning: a search takes more transitions than b.N
	rates(b, spent, states, transitions)
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(transitions), "allocs/transition")
	b.ReportMetric(bytesPerState(b, sys, opts), "bytes/state")
	if opts.Engine == EngineMemo {
		b.ReportMetric(float64(transitions)/float64(ran), "transitions/run")
	}
}

func rates(b *testing.B, spent time.Duration, states, transitions int) {
	b.ReportMetric(float64(spent)/float64(transitions), "cpu-ns/transition")
	b.ReportMetric(float64(transitions)/spent.Seconds(), "transitions/s")
	b.ReportMetric(float64(states)/spent.Seconds(), "states/s")
}

// bytesPerState returns the memory, on the heap and off it, that an engine needs for each visited
// state. It measures when nine tenths of a search are done.
func bytesPerState(b *testing.B, sys *sim.System, opts Options) float64 {
	b.Helper()
	total := exhausted(b, sys, opts).Stats.States
	first := heap()
	var r *runner
	var per float64
	opts.Progress = func(s Progress) {
		if per == 0 && s.States > total*9/10 {
			per = (heap() - first + float64(r.Exploring.(*explore.Taker).Set.Bytes())) / float64(s.States)
		}
	}
	r, err := newRunner(sys, opts)
	if err == nil {
		_, err = r.search()
	}
	if err != nil {
		b.Fatal(err)
	}
	return per
}

func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkAgainstReference measures the engines beside the reference engine,
// by turns, on the same space to the same depth.
func BenchmarkAgainstReference(b *testing.B) {
	engines := append([]Engine{EngineReference}, once...)
	for _, s := range spaces {
		b.Run(s.name, func(b *testing.B) {
			spent := make([]time.Duration, len(engines))
			transitions := 0
			for b.Loop() {
				results := make([]Stats, len(engines))
				for i, engine := range engines {
					opts := exhausting(b, s.sys, s.nodes, s.settings, s.shallow, engine)
					cpu := Processor()
					results[i] = exhausted(b, s.sys, opts).Stats
					spent[i] += Processor() - cpu
				}
				for i, r := range results {
					if r.States != results[0].States || r.Transitions != results[0].Transitions {
						b.Fatalf("engine %s disagrees with the reference: %+v and %+v", engines[i], r, results[0])
					}
				}
				transitions += results[0].Transitions
			}
			b.ReportMetric(0, "ns/op")
			for i, engine := range engines {
				b.ReportMetric(float64(transitions)/spent[i].Seconds(), string(engine)+"-transitions/s")
				if i > 0 {
					b.ReportMetric(spent[0].Seconds()/spent[i].Seconds(), string(engine)+"-ratio")
				}
			}
		})
	}
}

// BenchmarkReplay measures what it costs to take a finding again, in lockstep
// and with every check on: an operation is a step.
func BenchmarkReplay(b *testing.B) {
	params, err := brokentree.System.Configure(0, nil, []string{string(brokentree.BT2)})
	if err != nil {
		b.Fatal(err)
	}
	res, err := Search(brokentree.System, Options{Params: params})
	if err != nil || res.Finding == nil {
		b.Fatal(fmt.Sprint(res, err))
	}
	path := res.Finding.Path
	steps := 0
	cpu := Processor()
	for b.Loop() {
		again, err := Replay(brokentree.System, path, Options{})
		if err != nil || !again.Reproduced {
			b.Fatal(err)
		}
		steps += len(path.Steps)
	}
	b.ReportMetric(float64(Processor()-cpu)/float64(steps), "cpu-ns/step")
}

// BenchmarkLiveness measures the cost of deciding liveness exactly: it compares searches of whole
// spaces with one worker, by turns with liveness and with safety alone.
func BenchmarkLiveness(b *testing.B) {
	for _, s := range []struct {
		name     string
		sys      *sim.System
		settings []string
		faults   sim.Faults
	}{
		{"storage", storage.System, []string{"reads=2"}, sim.Faults{}},
		{"storage,down=1", storage.System, nil, sim.Faults{Down: 1}},
		{"paxos", paxos.System, nil, sim.Faults{}},
		{"paxos,pause=1", paxos.System, nil, sim.Faults{Pause: 1}},
	} {
		b.Run(s.name, func(b *testing.B) {
			var spent [2]time.Duration
			for b.Loop() {
				for i := range spent {
					opts := exhausting(b, s.sys, 0, s.settings, 1000, EngineMemo)
					opts.Workers, opts.Faults = 1, &s.faults
					for _, p := range s.sys.Properties {
						if i == 0 && !p.Liveness() {
							opts.Properties = append(opts.Properties, p.Name)
						}
					}
					began := Processor()
					r := exhausted(b, s.sys, opts)
					spent[i] += Processor() - began
					b.ReportMetric(float64(r.Stats.States), "states")
				}
			}
			b.ReportMetric(spent[0].Seconds()/float64(b.N), "s-safety")
			b.ReportMetric(spent[1].Seconds()/float64(b.N), "s-liveness")
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "ratio")
		})
	}
}
