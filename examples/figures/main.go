package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"macemc/systems/randtree"
)

func main() {
	count := flag.Int("walks", 1000, "how many walks each curve is of")
	most := flag.Int("steps", 100_000, "a walk that is not live after so many steps is given up")
	storm := flag.Int("storm", 15, "with failures, so many steps of faults come first")
	services := flag.Duration("services", 0, "also run the replicated services, each three times for so long")
	out := flag.String("out", ".", "the folder to write into")
	flag.Parse()
	err := run(*out, *count, *most, *storm, os.Stdout)
	if err == nil {
		err = runSystems(*out, *count, *most, os.Stdout)
	}
	if err == nil && *services > 0 {
		err = runServices(*out, *services, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func settings(storm int) []setting {
	return []setting{
		{name: "randtree, 2 nodes", system: randtree.System, nodes: 2},
		{name: "randtree, 8 nodes, with failures", system: randtree.System, nodes: 8, storm: storm},
	}
}

// run takes count walks of at most most steps for each curve, writes the figure
// and its data into folder out, and prints a table.
func run(out string, count, most, storm int, table io.Writer) error {
	var curves []*curve
	for _, s := range settings(storm) {
		for _, weighted := range []bool{true, false} {
			c, err := take(s, weighted, count, most)
			if err != nil {
				return err
			}
			curves = append(curves, c)
		}
	}
	if err := write(filepath.Join(out, "live.csv"), func(w io.Writer) error { return data(w, curves) }); err != nil {
		return err
	}
	if err := write(filepath.Join(out, "live.svg"), func(w io.Writer) error { return drawTo(w, curves) }); err != nil {
		return err
	}
	return rows(table, curves)
}

func write(name string, what func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := what(f); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	return f.Close()
}

// data writes the lengths of all walks that became live, as CSV.
func data(w io.Writer, curves []*curve) error {
	out := csv.NewWriter(w)
	out.Write([]string{"nodes", "storm", "walks", "walk", "steps", "choices"})
	for _, c := range curves {
		for _, s := range c.byNumber() {
			out.Write([]string{strconv.Itoa(c.setting.nodes), strconv.Itoa(c.setting.storm), c.name(),
				strconv.Itoa(s.Number), strconv.Itoa(s.Steps), strconv.Itoa(s.Choices)})
		}
	}
	out.Flush()
	return out.Error()
}

// rows prints the table in BENCHMARKS.md.
func rows(w io.Writer, curves []*curve) error {
	var b strings.Builder
	fmt.Fprintln(&b, "| randtree | walks | became live | half of them within | nine tenths | all but a hundredth |")
	fmt.Fprintln(&b, "|---|---|---:|---:|---:|---:|")
	for _, c := range curves {
		fmt.Fprintf(&b, "| %s | %s | %d of %d |", strings.TrimPrefix(c.setting.name, "randtree, "), c.name(), len(c.live), c.taken)
		for _, share := range []float64{0.5, 0.9, 0.99} {
			fmt.Fprintf(&b, " %s steps, %s choices |", c.within(steps, share), c.within(choices, share))
		}
		fmt.Fprintln(&b)
		if c.failed > 0 {
			return fmt.Errorf("%s, %s: in %d of %d walks the service failed; search it", c.setting.name, c.name(), c.failed, c.taken)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
