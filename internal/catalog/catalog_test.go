package catalog

import (
	"slices"
	"strings"
	"testing"

	"macemc/sim"
)

// TestSystems checks that every system is valid, also with each of its known bugs, and that Find finds it by its name.
func TestSystems(t *testing.T) {
	var names []string
	for _, sys := range Systems() {
		names = append(names, sys.Name)
		if found, err := Find(sys.Name); found != sys || err != nil {
			t.Errorf("Find(%q) is %v, %v", sys.Name, found, err)
		}
		choices := [][]string{nil}
		for _, b := range sys.Bugs {
			choices = append(choices, []string{string(b.ID)})
		}
		for _, bugs := range choices {
			p, err := sys.Configure(0, nil, bugs)
			if err == nil {
				err = sys.Validate(p)
			}
			if err != nil {
				t.Errorf("bugs %v: %v", bugs, err)
			}
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("not in order: %v", names)
	}
}

// TestBugsAreUnique checks that no two systems have a known bug with the same id.
func TestBugsAreUnique(t *testing.T) {
	owner := map[sim.BugID]string{}
	for _, sys := range Systems() {
		for _, b := range sys.Bugs {
			if other, taken := owner[b.ID]; taken {
				t.Errorf("%s and %s both have a known bug %s", other, sys.Name, b.ID)
			}
			owner[b.ID] = sys.Name
		}
	}
}

func TestFindErrors(t *testing.T) {
	var names []string
	for _, sys := range Systems() {
		names = append(names, sys.Name)
	}
	all := strings.Join(names, ", ")
	for name, want := range map[string]string{
		"brokntree":  `there is no system "brokntree"; did you mean brokentree? There are ` + all,
		"BrokenTree": `there is no system "BrokenTree"; did you mean brokentree? There are ` + all,
		"two":        `there is no system "two"; did you mean twophase? There are ` + all,
		"stop-wait":  `there is no system "stop-wait"; did you mean stopwait? There are ` + all,
		"raft":       `there is no system "raft"; there are ` + all,
		"":           `there is no system ""; there are ` + all,
	} {
		if _, err := Find(name); err == nil || err.Error() != want {
			t.Errorf("Find(%q):\n got %v\nwant %s", name, err, want)
		}
	}
}
