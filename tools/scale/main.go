package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// measured holds the times of BenchmarkCalls and BenchmarkResults, in microseconds, and sizes in
// bytes.
var (
	inMemory = costs{publish: 39, create: 40, put: 23, get: 34, handOut: 55, byteCost: 0.001, fold: 7.6, learn: 9.4, trip: 100, bytes: 66}
	inFiles  = costs{publish: 1417, create: 1782, put: 570, get: 34, handOut: 98, byteCost: 0.001, fold: 7.6, learn: 9.4, trip: 100, bytes: 66}
)

// These are the sizes of lots that are compared, as functions of the first walk of a lot.
var (
	fixed   = func(int) int { return 1024 }
	growing = func(i int) int { return min(1<<14, max(1024, i/64)) }
	without = func(int) int { return 1 << 14 } // for searches without a corpus
)

// tables prints the tables about walks in docs/scale.md.
func tables(w io.Writer) {
	numbers := []int{1, 2, 8, 32, 128, 320, 1000, 8000}
	head := func(first string) {
		fmt.Fprintf(w, "| %s |", first)
		for _, n := range numbers {
			fmt.Fprintf(w, " %d |", n)
		}
		fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---:|", len(numbers)))
	}
	row := func(name string, of func(n int) string) {
		fmt.Fprintf(w, "| %s |", name)
		for _, n := range numbers {
			fmt.Fprintf(w, " %s |", of(n))
		}
		fmt.Fprintln(w)
	}
	run := func(c costs, n, each int, walk float64, lot func(int) int, corpus bool) outcome {
		return simulate(setup{costs: c, workers: n, each: each, walk: walk * 1000, span: 700_000, lot: lot, from: 1 << 20, lots: 3, corpus: corpus})
	}
	percent := func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

	fmt.Fprintln(w, "### The share of the workers' time that walks take")
	fmt.Fprintln(w)
	head("a walk takes, lots")
	for _, walk := range []float64{0.24, 5, 50} {
		for _, l := range []struct {
			name   string
			costs  costs
			each   int
			lot    func(int) int
			corpus bool
		}{
			{"of 1,024, all synced", inFiles, 1, fixed, true},
			{"of 1,024", inMemory, 1, fixed, true},
			{"of 1,024, read once", inMemory, 8, fixed, true},
			{"of 16,384, read once", inMemory, 8, growing, true},
			{"of 16,384, no corpus", inMemory, 8, without, false},
		} {
			row(fmt.Sprintf("%g ms, %s", walk, l.name), func(n int) string { return percent(run(l.costs, n, l.each, walk, l.lot, l.corpus).efficiency) })
		}
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "### What is busy, with walks of 5 ms and lots of 16,384 that are read once")
	fmt.Fprintln(w)
	head("goroutines of workers")
	for _, r := range []struct {
		name string
		of   func(o outcome) string
	}{
		{"calls of the server in a second", func(o outcome) string { return fmt.Sprintf("%.0f", o.calls) }},
		{"the server", func(o outcome) string { return percent(o.server) }},
		{"the coordinator", func(o outcome) string { return percent(o.coordinator) }},
		{"walks in a second", func(o outcome) string { return fmt.Sprintf("%.0f", o.walks) }},
	} {
		row(r.name, func(n int) string { return r.of(run(inMemory, n, 8, 5, growing, true)) })
	}
}

// shardTables prints the tables about states in shards in docs/scale.md.
func shardTables(w io.Writer) {
	numbers := []int{1, 2, 8, 32, 128, 320, 1000}
	head := func(first string) {
		fmt.Fprintf(w, "| %s |", first)
		for _, n := range numbers {
			fmt.Fprintf(w, " %d |", n)
		}
		fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---:|", len(numbers)))
	}
	run := func(c costs, n, states int, visit float64) outcome {
		return simulateShards(space{costs: c, workers: n, shards: min(shardsMost, 2*n), states: states, levels: 3, visit: visit})
	}
	fmt.Fprintln(w, "\n### The share of the workers' time that visiting states takes, with two shards for each goroutine and 256 at most")
	fmt.Fprintln(w)
	head("a state takes, a level has")
	for _, visit := range []float64{3, 100, 1000} {
		for _, states := range []int{10_000, 1_000_000, 100_000_000} {
			fmt.Fprintf(w, "| %g µs, %d states |", visit, states)
			for _, n := range numbers {
				fmt.Fprintf(w, " %.0f %% |", 100*run(inFiles, n, states, visit).efficiency)
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintln(w, "\n### States in a second, and what keeps the server busy, with levels of a million states of 100 µs")
	fmt.Fprintln(w)
	head("goroutines of workers")
	for _, r := range []struct {
		name string
		of   func(o outcome) string
	}{
		{"states in a second", func(o outcome) string { return fmt.Sprintf("%.0f", o.walks) }},
		{"calls of the server in a second", func(o outcome) string { return fmt.Sprintf("%.0f", o.calls) }},
		{"the server", func(o outcome) string { return fmt.Sprintf("%.0f %%", 100*o.server) }},
	} {
		fmt.Fprintf(w, "| %s |", r.name)
		for _, n := range numbers {
			fmt.Fprintf(w, " %s |", r.of(run(inFiles, n, 1_000_000, 100)))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "\n### Messages of a level of a million states")
	fmt.Fprintln(w)
	head("goroutines of workers")
	fmt.Fprint(w, "| messages, and states in each |")
	for _, n := range numbers {
		s := space{workers: n, shards: min(shardsMost, 2*n), states: 1_000_000}
		groups, _, stores := s.spread()
		all := s.shards * groups * stores
		fmt.Fprintf(w, " %d of %d |", all, s.states/all)
	}
	fmt.Fprintln(w)
}

func main() {
	cores := flag.Bool("cores", false, "print the tables of BENCHMARKS.md on many cores")
	if flag.Parse(); *cores {
		coreTables(os.Stdout)
		return
	}
	tables(os.Stdout)
	shardTables(os.Stdout)
}
