package command

import (
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/search"
)

// The table of known bugs has a row for each, and one below it for its flags.
func TestBugsIsComplete(t *testing.T) {
	out, stderr, status := execute("bugs")
	if status != exitNothing || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	rows := strings.Split(out, "\n")[1:]
	for _, b := range catalog.Bugs() {
		cells := strings.Fields(rows[0])
		if len(cells) < 5 || cells[0] != string(b.ID) || cells[1] != b.System.Name || cells[2] != string(b.Kind) || cells[3] != b.Verdict.String() {
			t.Fatalf("a row is %q, want %s of %s", rows[0], b.ID, b.System.Name)
		}
		rows = rows[1:]
		flags := b.Flags.Args()
		if len(flags) == 0 {
			continue
		}
		if got := strings.ReplaceAll(strings.TrimSpace(rows[0]), "'", ""); got != strings.Join(flags, " ") {
			t.Errorf("below %s is %q, want its flags %q", b.ID, got, flags)
		}
		rows = rows[1:]
	}
}

// What is verified does not depend on how fast the machine is: shrinking goes by
// the runs that it tries.
func TestTries(t *testing.T) {
	o := searchFlags{tries: 2}.critical(search.Options{}, &progress{}, nil)
	if a, b, c := o.Enough(), o.Enough(), o.Enough(); a || b || !c {
		t.Errorf("enough after one try: %v, two: %v, three: %v", a, b, c)
	}
}
