package mdb

import (
	"math/rand/v2"
	"strings"
	"testing"

	"macemc/systems/stopwait"
)

// Whatever a user types, the session answers it or refuses it with an error of one line, and the recorded run
// stays as it was.
func TestAnyLine(t *testing.T) {
	t.Chdir(t.TempDir())
	s := explored(t, stopwait.System, Settings{})
	must(t, s, "walk 20; save trunk.path")
	const look = "branch trunk 1; jump 10; state; jump 0; list 10"
	want := must(t, s, look)
	words := []string{
		"n0", "n1", "n9", "node", "kind", "timer", "type", "data", "sends", "fault", "field", "n0.next", "n1", "property", `"all increments are counted"`,
		"live", "/data/", "/(/", "not", "0", "1", "3", "-1", "+2", "99", "start", "end", "critical", "back", "all", "off", "trunk", "b1", "trunk.path",
		"seed", "around", "=", "x", `"`, "'", ";", "", "#", "/", "no/such.path", "tcp n0->n1",
	}
	rng := rand.New(rand.NewPCG(5, 5))
	refused := 0
	for range 1500 {
		c := commands()[rng.IntN(len(commands()))]
		if c.Name == "quit" || c.Name == "save" || c.Name == "critical" || c.Name == "recovers" {
			continue
		}
		line := append([]string{c.Name}, c.Aliases...)[rng.IntN(1+len(c.Aliases))]
		for range rng.IntN(4) {
			line += " " + words[rng.IntN(len(words))]
		}
		if _, err := s.Do(line); err != nil {
			refused++
			if text := err.Error(); text == "" || strings.Contains(text, "\n") || text[0] >= 'A' && text[0] <= 'Z' {
				t.Errorf("%s is refused with %q", line, text)
			}
		}
		s.Complete(line)
		s.Title()
		if len(s.run.branches.all) > 40 {
			s.run.branches.all = s.run.branches.all[:1]
			s.here, s.step = s.run.trunk, 0
		}
	}
	if refused < 100 {
		t.Errorf("only %d lines were refused", refused)
	}
	s.filter = nil
	s.run.trunk.name = "trunk"
	s.run.branches.all = s.run.branches.all[:1] // and with them the marks of where they leave
	if got := must(t, s, look); got != want {
		t.Errorf("the trunk was\n%s\nand is\n%s", want, got)
	}
}
