package search

import (
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macemc/internal/search/internal/explore"
	"macemc/sim"
	"macemc/systems/echomulticast"
	"macemc/systems/paxos"
	"macemc/systems/storage"
)

var tables = flag.Int("tables", 0, "if not 0, TestRefinements and TestRatios print their tables of BENCHMARKS.md")

// A refined instance is a protocol of the paper on reduction with quorums, whose transitions the paper splits by senders. paper
// has its numbers of states: without splitting, with replies split, with quorums split, and with both.
type refined struct {
	name     string
	sys      *sim.System
	params   string
	property int
	quorums  []string // the types of messages that are taken in quorums
	paper    [4]int
}

var refineds = []refined{
	{"Paxos (2,3,1)", paxos.System, "answers=quorum", 0, []string{"readRepl", "accept"}, [4]int{2_822_764, 1_087_486, 1_826_560, 548_061}},
	{"Echo Multicast (3,0,1,1)", echomulticast.System, "answers=quorum initiators=0", 0, []string{"echo"}, [4]int{652, 652, 232, 232}},
	{"Echo Multicast (2,1,0,1)", echomulticast.System, "answers=quorum receivers=2 bad-receivers=0", 0, []string{"echo"}, [4]int{2787, 1165, 2787, 1165}},
	{"Echo Multicast (3,1,1,1)", echomulticast.System, "answers=quorum", 0, []string{"echo"}, [4]int{12_023_663, 10_472_557, 7_600_843, 7_087_193}},
	{"Storage (3,1), 2 writes, 1 read", storage.System, "answers=quorum", 0, []string{"ack", "value"}, [4]int{20_039, 18_451, 18_451, 18_451}},
	{"Storage (3,1), 2 writes, 2 reads", storage.System, "answers=quorum reads=2", 0, []string{"ack", "value"}, [4]int{20_039, 18_451, 18_451, 18_451}},
}

// merges returns a value of Reduction.Merge for each column of paper: it reports which messages are of
// one kind, whoever has sent them.
func (c *refined) merges() [4]func(of reflect.Type) bool {
	quorum := func(of reflect.Type) bool { return slices.Contains(c.quorums, of.Name()) }
	return [4]func(of reflect.Type) bool{
		func(reflect.Type) bool { return true }, quorum, func(of reflect.Type) bool { return !quorum(of) }, nil,
	}
}

// states returns the number of states that an exploration of the instance visits, reduced in the way
// how.
func (c *refined) states(t *testing.T, params string, how Reduce, tune func(*explore.Reduction)) int {
	t.Helper()
	p, err := c.sys.Configure(0, strings.Fields(params), nil)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Params: p, Reduce: how, Effort: 1 << 40, Conditions: sim.Conditions{Properties: []string{c.sys.Properties[c.property].Name}}}
	s, done := shows(t, c.sys, opts, 1<<31, tune)
	if !done || s.wrong != "" {
		t.Fatalf("%s: %s", c.name, s.wrong)
	}
	return s.states
}

// TestRefinements prints a table: the numbers of states that a reduction visits if messages of different
// senders are of different kinds, and if they are not, beside the numbers of the paper. The paper splits
// transitions by hand; here the kinds have senders unless Merge says otherwise.
func TestRefinements(t *testing.T) {
	if *tables == 0 {
		t.Skip("it only measures; see make tables")
	}
	fmt.Println("<!-- table refinements -->\n| instance | whole | unsplit | reply-split | quorum-split | both | static | whole to both | paper: unsplit | reply-split | quorum-split | both |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, c := range refineds {
		whole := c.states(t, c.params, ReduceNone, nil)
		row := fmt.Sprintf("| %s | %s |", c.name, grouped(whole))
		last := 0
		for _, merge := range c.merges() {
			last = c.states(t, c.params, ReduceStubborn, func(r *explore.Reduction) { r.Merge = merge })
			row += " " + grouped(last) + " |"
		}
		row += " " + grouped(c.states(t, c.params, ReduceStubborn, func(r *explore.Reduction) { r.Static = true })) + " |"
		row += fmt.Sprintf(" %.1f |", float64(whole)/float64(last))
		for _, n := range c.paper {
			row += " " + grouped(n) + " |"
		}
		fmt.Println(row)
	}
	fmt.Println("<!-- end of table refinements -->")
}

// grouped writes a number in groups of three digits.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
