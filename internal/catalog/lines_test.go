package catalog

import (
	"path/filepath"
	"strings"
	"testing"

	"macemc/internal/known"
)

// TestLines checks that the code asks for every known bug in at least one place. Lists of bugs and tests do not
// count.
func TestLines(t *testing.T) {
	for _, e := range Bugs() {
		lines, err := e.Lines()
		if err != nil || len(lines) == 0 {
			t.Errorf("%s: %d lines, %v", e.ID, len(lines), err)
		}
		for _, l := range lines {
			if !strings.Contains(l.Text, string(e.ID)) || strings.HasSuffix(l.File, "_test.go") ||
				strings.Contains(l.Text, "BugID") || strings.Contains(l.Text, "Story") {
				t.Errorf("%s: %s:%d: %s", e.ID, filepath.Base(l.File), l.Line, l.Text)
			}
		}
	}
	two, err := known.Find(Bugs(), []string{"OV1"})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := two[0].Lines()
	if err != nil || len(lines) != 3 {
		t.Errorf("OV1: %v, %v", lines, err)
	}
}
