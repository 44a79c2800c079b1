package command

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// instance is a search to the end of a space, of one property of safety.
type instance struct{ name, args string }

const (
	consensus  = `paxos --property no_two_values_are_learnt`
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
}

// crashes are instances of the paper on crash models, with the states that it counted
// with 1, 2 and 3 crashes and in the implicit model.
var crashes = []struct {
	instance
	explicit [3]int
	implicit int
}{
	{instance{"Paxos (6)", consensus + " --param answers=quorum"}, [3]int{1_541_622, 4_216_431, 11_843_034}, 548_961},
	{instance{"Register (5)", regularity + " --param answers=quorum"}, [3]int{56_508, 128_697, 301_562}, 18_451},
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
	fmt.Println("\n| instance | single | quorum | ratio | paper: single | quorum | ratio |\n|---|---:|---:|---:|---:|---:|---:|")
	for _, q := range quorums {
		one, many := q.explored(t), q.explored(t, "--param", "answers=quorum")
		fmt.Printf("| %s | %s | %s | %.1f | %s | %s | %.1f |\n", q.name, grouped(one.Stats.States), grouped(many.Stats.States),
			float64(one.Stats.States)/float64(many.Stats.States), grouped(q.single), grouped(q.quorum), float64(q.single)/float64(q.quorum))
	}
	fmt.Println("\n| instance | crashes | explicit: states | seconds | growth | implicit: states | seconds | paper: explicit | growth | implicit |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, c := range crashes {
		before, theirs := c.explored(t, "--faults", "none").Stats.States, c.implicit
		for k, paper := range c.explicit {
			down := "down=" + strconv.Itoa(k+1)
			explicit, implicit := c.explored(t, "--faults", down), c.explored(t, "--faults", down, "--crash", "implicit")
			if explicit.Verdict != implicit.Verdict {
				t.Errorf("%s, %s: %s, and %s in the implicit model", c.name, down, explicit.Verdict, implicit.Verdict)
			}
			fmt.Printf("| %s | %d | %s | %.1f | %.2f | %s | %.1f | %s | %.2f | %s |\n", c.name, k+1,
				grouped(explicit.Stats.States), explicit.Measured.CPU, float64(explicit.Stats.States)/float64(before),
				grouped(implicit.Stats.States), implicit.Measured.CPU,
				grouped(paper), float64(paper)/float64(theirs), grouped(c.implicit))
			before, theirs = explicit.Stats.States, paper
		}
	}
}

// grouped writes a number in groups of three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for k := len(text) - 3; k > 0; k -= 3 {
		text = text[:k] + "," + text[k:]
	}
	return text
}
