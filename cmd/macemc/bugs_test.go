package main

import (
	"strings"
	"testing"

	"macemc/internal/catalog"
)

// The table of known bugs has a row for each.
func TestBugsIsComplete(t *testing.T) {
	out, stderr, status := execute("bugs")
	if status != exitNothing || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	rows := strings.Split(out, "\n")[1:]
	for i, b := range catalog.Bugs() {
		cells := strings.Fields(rows[i])
		if len(cells) < 5 || cells[0] != string(b.ID) || cells[1] != b.System.Name || cells[2] != string(b.Kind) || cells[3] != b.Verdict.String() {
			t.Errorf("row %d is %q, want %s of %s", i, rows[i], b.ID, b.System.Name)
		}
	}
}
