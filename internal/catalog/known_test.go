package catalog

import (
	"testing"

	"macemc/sim"
)

// Every known bug of a system has an entry, every entry a bug, in one order.
func TestEntries(t *testing.T) {
	k := 0
	for _, e := range Bugs() {
		if k < len(list) && list[k].ID == e.ID {
			k++
			continue
		}
		t.Errorf("%s of %s has no entry, or not at its place; list[%d] is next in the catalogue", e.ID, e.System.Name, k)
	}
	if k < len(list) {
		t.Errorf("the entry %s is of no system's bug, or not at its place", list[k].ID)
	}
}

// What an entry states can be, and be asked for.
func TestEntriesAreComplete(t *testing.T) {
	for _, e := range Bugs() {
		if _, _, err := e.Configure(e.ID); err != nil {
			t.Errorf("%s: %v", e.ID, err)
		}
		if _, _, err := e.Configure(); err != nil {
			t.Errorf("%s: %v", e.ID, err)
		}
		switch e.Kind {
		case Safety, Liveness, Performance:
		default:
			t.Errorf("%s: the kind is %q", e.ID, e.Kind)
		}
		if e.Verdict == sim.VerdictNone {
			t.Errorf("%s: no verdict is stated", e.ID)
		}
		if e.Verdict == sim.VerdictDead && len(e.Critical) == 0 {
			t.Errorf("%s: no critical step is stated", e.ID)
		}
		if n := len(e.Critical); (n == 0 || n > 3) && e.Meant == "" {
			t.Errorf("%s: %d kinds of critical steps, and Meant does not say what they have in common, or why there is none", e.ID, n)
		}
	}
}

func TestFindBugs(t *testing.T) {
	if all, err := FindBugs(nil); err != nil || len(all) != len(Bugs()) {
		t.Errorf("%d bugs, %v", len(all), err)
	}
	two, err := FindBugs([]string{"HS1", "BT2"})
	if err != nil || len(two) != 2 || two[0].ID != "BT2" || two[1].ID != "HS1" {
		t.Errorf("%v, %v", two, err)
	}
	const want = `there is no known bug "BT3"; did you mean BT1? `
	if _, err := FindBugs([]string{"BT1", "BT3"}); err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
		t.Errorf("%v, want %s...", err, want)
	}
}
