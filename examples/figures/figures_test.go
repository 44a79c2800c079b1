package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// With weights, walks become live sooner, as the figure shows. The figure is the same each time.
func TestFigure(t *testing.T) {
	var tables [2]bytes.Buffer
	var folders [2]string
	for i := range folders {
		folders[i] = t.TempDir()
		if err := run(folders[i], 20, 100_000, 15, &tables[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"live.csv", "live.svg"} {
		a, b := read(t, folders[0], name), read(t, folders[1], name)
		if a != b {
			t.Errorf("%s differs from one time to the next", name)
		}
	}
	if tables[0].String() != tables[1].String() {
		t.Errorf("one table is\n%s\nand the other\n%s", &tables[0], &tables[1])
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, folders[0], "live.csv"))).ReadAll()
	if err != nil || len(rows) != 1+4*20 {
		t.Fatalf("the data has %d rows, error %v", len(rows), err)
	}
	svg := read(t, folders[0], "live.svg")
	for _, want := range []string{"randtree, 2 nodes", "randtree, 8 nodes, with failures", "steps to a live state", "choices to a live state", ">weighted<", ">uniform<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the figure does not say %q", want)
		}
	}
	for _, s := range settings(15) {
		var halves [2]int
		for i, weighted := range []bool{true, false} {
			c, err := take(s, weighted, 40, 100_000)
			if err != nil {
				t.Fatal(err)
			}
			halves[i] = c.sorted(steps)[len(c.live)/2]
		}
		if halves[0] >= halves[1] {
			t.Errorf("%s: half of the weighted walks are live within %d steps, of the uniform ones within %d", s.name, halves[0], halves[1])
		}
	}
}

// The figure and the table name each system, with its share of live walks.
func TestSystems(t *testing.T) {
	folder := t.TempDir()
	var table bytes.Buffer
	if err := runSystems(folder, 10, 100_000, &table); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, folder, "systems.csv"))).ReadAll()
	if err != nil || len(rows) != 1+10*len(systems()) {
		t.Fatalf("the data has %d rows, error %v", len(rows), err)
	}
	svg := read(t, folder, "systems.svg")
	for _, s := range systems() {
		if want := "| " + s.name + " | 10 of 10 |"; !strings.Contains(svg, ">"+s.name+"<") || !strings.Contains(table.String(), want) {
			t.Errorf("%s is not told, in the figure or in\n%s", s.name, &table)
		}
	}
}

// A walk that does not become live counts among all walks, and has no length.
func TestGivenUp(t *testing.T) {
	c, err := take(settings(15)[1], false, 20, 400)
	if err != nil {
		t.Fatal(err)
	}
	if c.taken != 20 || len(c.live) == 0 || len(c.live) == 20 {
		t.Fatalf("%d of %d walks are live within 400 steps", len(c.live), c.taken)
	}
	if got := c.within(steps, 1); got != "more" {
		t.Errorf("all walks are live within %s steps", got)
	}
	points := c.distribution(steps, 1, 1000)
	if last := points[len(points)-1]; last.X != 1000 || last.Y != float64(len(c.live))/20 {
		t.Errorf("the curve ends at %v", last)
	}
}

func read(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The figures and the table show the measurements of the services.
func TestServices(t *testing.T) {
	mean, sd := spread([]float64{90, 100, 110})
	if mean != 100 || sd != 10 {
		t.Errorf("the mean is %v, the deviation %v", mean, sd)
	}
	var all []throughput
	for _, over := range []string{"chain", "multipaxos"} {
		all = append(all, throughput{"hash table", over, 1, mean, sd})
	}
	var svg, rows bytes.Buffer
	stall := []int{5, 5, 0, 0, 0, 5}
	if err := drawThroughput(&svg, all); err != nil {
		t.Fatal(err)
	}
	if err := drawStall(&svg, stall, 500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"CR-1FT", "MP-1FT", "hash table", "answers in 500ms"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the figures do not say %q", want)
		}
	}
	if two := sums([]int{1, 2, 3}, 2); len(two) != 2 || two[0] != 3 || two[1] != 3 {
		t.Errorf("the sums are %v", two)
	}
	if err := throughputRows(&rows, all, stall, 500*time.Millisecond); err != nil || !strings.Contains(rows.String(), "at most 1s without an answer; 10 answers a second before, 5 after") {
		t.Errorf("%v, it says %s", err, &rows)
	}
}
