package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// measured are the times of BenchmarkCalls and BenchmarkResults, in microseconds and bytes.
var (
	inMemory = costs{publish: 39, create: 40, put: 23, get: 34, handOut: 55, byteCost: 0.001, fold: 7.6, learn: 9.4, trip: 100, bytes: 66}
	inFiles  = costs{publish: 1417, create: 1782, put: 570, get: 34, handOut: 98, byteCost: 0.001, fold: 7.6, learn: 9.4, trip: 100, bytes: 66}
)

// The lots that are compared.
var (
	fixed   = func(int) int { return 1024 }
	growing = func(i int) int { return min(1<<14, max(1024, i/64)) }
	without = func(int) int { return 1 << 14 } // searches without a corpus
)

// tables prints the tables of docs/scale.md.
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

func main() { tables(os.Stdout) }
