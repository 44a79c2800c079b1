package command

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	tables    = flag.Int("tables", 0, "TestTables prints the tables of BENCHMARKS.md that stand beside the paper's, over so many seeds")
	tableTime = flag.Duration("table-time", time.Minute, "a search of TestTables that is not done by then is given up")
)

// A mode is one way to search.
type mode struct {
	name  string
	args  string
	paper [4]string // its time, search depth, actual depth, paths searched; "" if it does not say
}

// compared has the modes of Table 2 and Table 3 of the paper, to the depths of its searches, and some modes
// that the paper does not have. A time that the paper gives for two modes is in both rows.
var compared = []struct {
	system, bug string
	modes       []mode
}{
	{"brokentree", "BT1", []mode{
		{"plain", "--visited off --no-walks --depth 10", [4]string{"56 ms", "10", "11", "87"}},
		{"hash", "--visited fingerprint --no-walks --depth 10", [4]string{"63 ms", "10", "11", "55"}},
		{"hash, 32 bits", "--visited fingerprint --hash-bits 32 --no-walks --depth 10", [4]string{"36 ms", "10", "9", "27"}},
		{"hash, runs from the start", "--engine reference --no-walks --depth 10", [4]string{}},
		{"walks", "--visited off --depth 5 --walk uniform", [4]string{"15 ms", "5", "14", "0"}},
		{"biased walks", "--visited off --depth 5 --walk weighted", [4]string{"15 ms", "5", "22", "0"}},
		{"walks, hash", "--visited fingerprint --depth 5 --walk uniform", [4]string{"16 ms", "5", "14", "0"}},
		{"biased walks, hash", "--visited fingerprint --depth 5 --walk weighted", [4]string{"16 ms", "5", "22", "0"}},
		{"walks from the start", "--depth 1 --walk uniform", [4]string{}},
		{"biased walks from the start", "--depth 1 --walk weighted", [4]string{}},
		{"default", "", [4]string{}},
	}},
	{"brokentree", "BT2", []mode{
		{"plain", "--visited off --no-walks --depth 20", [4]string{"6.5 h", "20", "21", "15 M"}},
		{"hash", "--visited fingerprint --no-walks --depth 20", [4]string{"30 s", "20", "21", "18 K"}},
		{"hash, 32 bits", "--visited fingerprint --hash-bits 32 --no-walks --depth 20", [4]string{"4.5 s", "20", "21", "2.5 K"}},
		{"hash, runs from the start", "--engine reference --no-walks --depth 20", [4]string{}},
		{"walks", "--visited off --depth 10 --walk uniform", [4]string{"0.37 s", "10", "25", "445"}},
		{"biased walks", "--visited off --depth 10 --walk weighted", [4]string{"1.9 s", "10", "42", "2.6 K"}},
		{"walks, hash", "--visited fingerprint --depth 10 --walk uniform", [4]string{"0.16 s", "10", "41", "120"}},
		{"walks, hash, 32 bits", "--visited fingerprint --hash-bits 32 --depth 10 --walk uniform", [4]string{"0.16 s", "10", "67", "55"}},
		{"biased walks, hash", "--visited fingerprint --depth 10 --walk weighted", [4]string{"0.25 s", "10", "27", "213"}},
		{"biased walks, hash, 32 bits", "--visited fingerprint --hash-bits 32 --depth 10 --walk weighted", [4]string{"0.14 s", "10", "68", "78"}},
		{"walks from the start", "--depth 1 --walk uniform", [4]string{}},
		{"biased walks from the start", "--depth 1 --walk weighted", [4]string{}},
		{"default", "", [4]string{}},
	}},
	{"overcast", "OV1", []mode{
		{"walks", "--visited off --depth 15 --walk uniform", [4]string{"76 s", "15", "", "16 K"}},
		{"biased walks", "--visited off --depth 10 --walk weighted", [4]string{"51 s", "10", "", "13 K"}},
		{"walks, hash", "--visited fingerprint --depth 20 --walk uniform", [4]string{"29 s", "20", "", "10 K"}},
		{"biased walks, hash", "--visited fingerprint --depth 20 --walk weighted", [4]string{"11 s", "20", "", "5 K"}},
		{"walks, hash, 32 bits", "--visited fingerprint --hash-bits 32 --depth 20 --walk uniform", [4]string{"13 s", "20", "", "5 K"}},
		{"biased walks, hash, 32 bits", "--visited fingerprint --hash-bits 32 --depth 25 --walk weighted", [4]string{"46 s", "25", "", "16 K"}},
		{"walks from the start", "--depth 1 --walk uniform", [4]string{}},
		{"biased walks from the start", "--depth 1 --walk weighted", [4]string{}},
		{"default", "", [4]string{}},
	}},
}

// TestTables prints how each mode finds the bugs for which the paper has figures.
func TestTables(t *testing.T) {
	if *tables == 0 {
		t.Skip("it only measures; see make tables")
	}
	t.Chdir(t.TempDir())
	for _, c := range compared {
		t.Run(c.bug, func(t *testing.T) {
			fmt.Printf("<!-- table %s -->\n| %s | paper: time, depth, path, paths | flags of `search %s --bug %s` | seconds | path: steps, choices | states | runs | walks |\n",
				c.bug, c.bug, c.system, c.bug)
			fmt.Println("|---|---|---|---:|---:|---:|---:|---:|")
			for _, m := range c.modes {
				fmt.Println("|", strings.Join(tableRow(t, c.system, c.bug, m), " | "), "|")
			}
			fmt.Printf("<!-- end of table %s -->\n", c.bug)
		})
	}
}

// A measurement has the members of a search's --json output that the tables need.
type measurement struct {
	Verdict        string
	Steps, Choices int
	Stats          struct {
		Paths, Walks, States int
		Periphery            struct{ Walked int }
	}
	Measured struct {
		Seconds float64
		CPU     float64 `json:"cpu_seconds"`
	}
}

func tableRow(t *testing.T, system, bug string, m mode) []string {
	paper := "none"
	if m.paper[1] != "" {
		paper = strings.Join(slices.DeleteFunc(slices.Clone(m.paper[:]), func(s string) bool { return s == "" }), ", ")
	}
	var runs []measurement
	given := 0 // up, for lack of time
	cut := 0   // short, by time, after something was found
	for seed := 1; seed <= *tables; seed++ {
		args := append([]string{"search", system, "--bug", bug}, strings.Fields(m.args)...)
		out, stderr, status := execute(append(args, "--seed", fmt.Sprint(seed), "--time", tableTime.String(),
			"--no-critical", "--no-shrink", "--quiet", "--json")...)
		var f measurement
		if err := json.Unmarshal([]byte(out), &f); err != nil {
			t.Fatalf("%s: %v, status %d, stderr %q", args, err, status, stderr)
		}
		if f.Verdict == "" || f.Verdict == "none" {
			given++
			if len(runs) == 0 { // nor will the others be
				break
			}
			continue
		}
		if f.Measured.Seconds >= tableTime.Seconds() {
			cut++
		}
		runs = append(runs, f)
	}
	cells := []string{m.name, paper, "`" + m.args + "`"}
	if m.args == "" {
		cells[2] = "none"
	}
	if len(runs) == 0 {
		return append(cells, fmt.Sprintf("not found within %s", *tableTime), "", "", "", "")
	}
	middle := func(what func(measurement) int) string {
		var all []int
		for _, f := range runs {
			all = append(all, what(f))
		}
		slices.Sort(all)
		if all[0] == all[len(all)-1] {
			return fmt.Sprint(all[0])
		}
		return fmt.Sprintf("%d (%d to %d)", all[len(all)/2], all[0], all[len(all)-1])
	}
	var times []float64
	for _, f := range runs {
		times = append(times, f.Measured.CPU)
	}
	seconds := median(times)
	if cut > 0 {
		seconds += fmt.Sprintf("; %d of %d were ended after %s, when it was found and not known to be the nearest", cut, *tables, *tableTime)
	}
	if given > 0 {
		seconds += fmt.Sprintf("; %d of %d not within %s", given, *tables, *tableTime)
	}
	return append(cells, seconds,
		middle(func(f measurement) int { return f.Steps })+", "+middle(func(f measurement) int { return f.Choices }),
		middle(func(f measurement) int { return f.Stats.States }),
		middle(func(f measurement) int { return f.Stats.Paths - f.Stats.Walks }),
		middle(func(f measurement) int { return f.Stats.Walks + f.Stats.Periphery.Walked }))
}
