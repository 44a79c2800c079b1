package catalog

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"macemc/internal/known"
	"macemc/trace"
)

// TestEntries checks that every known bug of a system has an entry and every entry a bug, in the same order.
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

// TestEntriesAreComplete checks that every entry states something that is possible and that a search can be given.
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
		if e.Verdict == trace.VerdictNone {
			t.Errorf("%s: no verdict is stated", e.ID)
		}
		if e.Verdict == trace.VerdictDead && len(e.Critical) == 0 {
			t.Errorf("%s: no critical step is stated", e.ID)
		}
		if n := len(e.Critical); (n == 0 || n > 3) && e.Meant == "" {
			t.Errorf("%s: %d kinds of critical steps, and Meant does not say what they have in common, or why there is none", e.ID, n)
		}
	}
}

func TestFindBugs(t *testing.T) {
	if all, err := known.Find(Bugs(), nil); err != nil || len(all) != len(Bugs()) {
		t.Errorf("%d bugs, %v", len(all), err)
	}
	two, err := known.Find(Bugs(), []string{"HS1", "BT2"})
	if err != nil || len(two) != 2 || two[0].ID != "BT2" || two[1].ID != "HS1" {
		t.Errorf("%v, %v", two, err)
	}
	const want = `there is no known bug "BT3"; did you mean BT1? `
	if _, err := known.Find(Bugs(), []string{"BT1", "BT3"}); err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
		t.Errorf("%v, want %s...", err, want)
	}
}

// TestElsewhere checks that Elsewhere names all known bugs of the examples, and no others.
func TestElsewhere(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*.go")
	deeper, _ := filepath.Glob("../../examples/ladder/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	bugs := map[string]map[string]bool{} // of an example
	for _, file := range append(files, deeper...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		example := strings.Split(filepath.ToSlash(file), "/")[3]
		for _, m := range regexp.MustCompile(`(?m)^(?:const|\t)\s*([A-Z]{2})(\d+)\s+(?:sim.BugID\s+)?= "`).FindAllStringSubmatch(string(text), -1) {
			if bugs[example] == nil {
				bugs[example] = map[string]bool{}
			}
			bugs[example][m[1]+m[2]] = true
		}
	}
	for example, ids := range bugs {
		all := slices.Collect(maps.Keys(ids))
		name := all[0][:2]
		want := fmt.Sprintf("examples/%s (%s1 to %s%d)", example, name, name, len(all))
		if len(all) == 1 {
			want = fmt.Sprintf("examples/%s (%s)", example, all[0])
		}
		if !strings.Contains(Elsewhere, want) {
			t.Errorf("Elsewhere does not have %s", want)
		}
	}
	if n := strings.Count(Elsewhere, "examples/"); n != len(bugs) {
		t.Errorf("Elsewhere names %d examples, and %d have known bugs", n, len(bugs))
	}
}
