package command

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// instance is a search to the end of a space, of one property of safety.
type instance struct{ name, args string }

const (
	consensus  = `paxos --property no_two_values_are_learnt`
	agreement  = `echomulticast --property agreement`
	regularity = `storage --property a_read_returns_no_less_than_the_last_write_that_was_complete_when_it_began`
)

// quorums are instances of the quorum paper, with the states that it counted, with its
// static reduction, for single messages and for quorums.
var quorums = []struct {
	instance
	single, quorum int
}{
	{instance{"Paxos (2,3,1)", consensus}, 6_247_530, 2_822_764},
	{instance{"Storage (3,1), 2 writes, 1 read", regularity}, 185_711, 20_039},
	{instance{"Storage (3,1), 2 writes, 2 reads", regularity + " --param reads=2"}, 185_711, 20_039},
	{instance{"Echo Multicast (3,0,1,1)", agreement + " --param initiators=0"}, 9_222, 652},
	{instance{"Echo Multicast (2,1,0,1)", agreement + " --param receivers=2 --param bad-receivers=0"}, 9_986, 2_787},
	{instance{"Echo Multicast (3,1,1,1)", agreement}, 0, 12_023_663},
}

// crashes are instances of the paper on crash models, with the states that it counted
// with 1, 2 and 3 crashes and in the implicit model.
var crashes = []growing{
	{instance{"Paxos (6)", consensus + " --param answers=quorum"}, [3]int{1_541_622, 4_216_431, 11_843_034}, 548_961},
	{instance{"Register (5)", regularity + " --param answers=quorum"}, [3]int{56_508, 128_697, 301_562}, 18_451},
}

type growing struct {
	instance
	explicit [3]int
	implicit int
}

// counted is what --json says of a space.
type counted struct {
	Verdict, Stop string
	Stats         struct{ States int }
	Measured      struct {
		CPU float64 `json:"cpu_seconds"`
	}
}

// explored searches an instance to its end.
func (of instance) explored(t *testing.T, more ...string) counted {
	args := []string{"search", "--no-walks", "--depth", "100000", "--workers", "1", "--quiet", "--json"}
	for _, word := range strings.Fields(of.args) {
		if strings.Contains(word, "_") {
			word = strings.ReplaceAll(word, "_", " ")
		}
		args = append(args, word)
	}
	if !slices.Contains(more, "--reduce") {
		args = append(args, "--reduce", "none")
	}
	out, stderr, _ := execute(append(args, more...)...)
	var c counted
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		t.Fatalf("%v %v: %v, stderr %q", args, more, err, stderr)
	}
	if c.Verdict == "none" && c.Stop != "done" {
		t.Errorf("%v %v: the space was not exhausted: %s", args, more, c.Stop)
	}
	return c
}

// TestPapers prints how many states two models of one protocol have, beside what the papers
// count for theirs. Their absolute numbers are of other models; the ratios are comparable.
func TestPapers(t *testing.T) {
	if *tables == 0 {
		t.Skip("it only measures; see make tables")
	}
	t.Chdir(t.TempDir())
	table("quorums", "instance | single | reduced | quorum | reduced | single to quorum | both reduced | paper: single | quorum | ratio", func() {
		for _, q := range quorums {
			one, many := q.explored(t), q.explored(t, "--param", "answers=quorum")
			less, least := q.explored(t, "--reduce", "stubborn"), q.explored(t, "--param", "answers=quorum", "--reduce", "stubborn")
			rowOf(q.name, one.Stats.States, less.Stats.States, many.Stats.States, least.Stats.States, ratio(one.Stats.States, many.Stats.States),
				ratio(less.Stats.States, least.Stats.States), q.single, q.quorum, ratio(q.single, q.quorum))
		}
	})
	table("crashes", "instance | crashes | explicit: states | seconds | growth | implicit: states | seconds | paper: explicit | growth | implicit", func() {
		for _, c := range crashes {
			c.grows(t)
		}
	})
	table("symmetry", "instance | whole | up to names | ratio | seconds: whole | up to names", func() {
		for managers := 3; managers <= 8; managers++ {
			of := instance{fmt.Sprint("twophase, ", managers, " managers"), fmt.Sprint("twophase --param rms=", managers)}
			whole, some := of.explored(t), of.explored(t, "--symmetry", "auto")
			rowOf(of.name, whole.Stats.States, some.Stats.States, ratio(whole.Stats.States, some.Stats.States), whole.Measured.CPU, some.Measured.CPU)
		}
		some := instance{"", "twophase --param rms=10"}.explored(t, "--symmetry", "auto")
		rowOf("twophase, 10 managers", 0, some.Stats.States, "", "", some.Measured.CPU)
	})
}

// A growing instance has fewer states without crashes.
func (of growing) grows(t *testing.T) {
	before, theirs := of.explored(t, "--faults", "none").Stats.States, of.implicit
	for k, paper := range of.explicit {
		down := "down=" + strconv.Itoa(k+1)
		explicit, implicit := of.explored(t, "--faults", down), of.explored(t, "--faults", down, "--crash", "implicit")
		if explicit.Verdict != implicit.Verdict {
			t.Errorf("%s, %s: %s, and %s in the implicit model", of.name, down, explicit.Verdict, implicit.Verdict)
		}
		rowOf(of.name, k+1, explicit.Stats.States, explicit.Measured.CPU, ratio(explicit.Stats.States, before),
			implicit.Stats.States, implicit.Measured.CPU, paper, ratio(paper, theirs), of.implicit)
		before, theirs = explicit.Stats.States, paper
	}
}

// table prints a table with a name, between the marks at which make tables puts it into BENCHMARKS.md.
func table(name, head string, rows func()) {
	fmt.Printf("<!-- table %s -->\n| %s |\n|%s\n", name, head, "---|"+strings.Repeat("---:|", strings.Count(head, "|")))
	rows()
	fmt.Printf("<!-- end of table %s -->\n", name)
}

// rowOf prints a row. A number of 0 is not known; one with a fraction is in seconds, and a text stands as it is.
func rowOf(cells ...any) {
	for _, c := range cells {
		switch c := c.(type) {
		case int:
			c, text := c, ""
			if c > 0 {
				text = grouped(c)
			}
			fmt.Print("| ", text, " ")
		case float64:
			fmt.Printf("| %.1f ", c)
		default:
			fmt.Print("| ", c, " ")
		}
	}
	fmt.Println("|")
}

func ratio(a, b int) string {
	if a == 0 || b == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

// grouped writes a number in groups of three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for k := len(text) - 3; k > 0; k -= 3 {
		text = text[:k] + "," + text[k:]
	}
	return text
}

// BENCHMARKS.md has a place for each table that make tables prints.
func TestPlacesOfTables(t *testing.T) {
	page, err := os.ReadFile("../BENCHMARKS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"BT1", "BT2", "OV1", "quorums", "crashes", "symmetry", "refinements", "ratios"} {
		begin, end := "\n<!-- table "+name+" -->\n|", "|\n<!-- end of table "+name+" -->\n"
		if text := string(page); strings.Count(text, begin) != 1 || strings.Count(text, end) != 1 || strings.Index(text, begin) > strings.Index(text, end) {
			t.Errorf("BENCHMARKS.md needs %q and %q, once each, around table %s", strings.TrimSpace(begin), strings.TrimSpace(end), name)
		}
	}
}
