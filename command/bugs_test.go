package command

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/known"
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

// A finding without a known bug is written, and the report ends with the command
// that replays it. With crashes stopwait fails without a bug too.
func TestVerifyWritesWhatItFinds(t *testing.T) {
	found, err := known.Find(catalog.Bugs(), []string{"SW1"})
	if err != nil {
		t.Fatal(err)
	}
	found[0].Flags.Faults = "loss=1,crash=1"
	var out, errs bytes.Buffer
	tool := &tool{
		Program: Program{Systems: catalog.Systems(), Parts: []Part{known.Entries(found)}}, calling: calling{Name: "macemc"},
		stdout: &out, stderr: &errs, exit: func(int) { panic("exit") }, getenv: func(string) string { return "" },
	}
	dir := t.TempDir()
	status := tool.run([]string{"bugs", "verify", "SW1", "--seeds", "1", "--out", dir})
	path := filepath.Join(dir, "stopwait-no-more-is-counted-than-was-sent-1", "error.path")
	if want := "  - without SW1: found is safety: no more is counted than was sent"; status != exitFound || !strings.Contains(out.String(), want) || !strings.HasSuffix(out.String(), "    macemc replay "+path+"\n") {
		t.Errorf("status %d\n%s\nwant %s, and to replay %s", status, out.String(), want, path)
	}
	if want := "1 bug on 1 seed each, then 1 search without a bug: to a million states or all"; !strings.HasPrefix(errs.String(), want) {
		t.Errorf("told was %q, want %q", errs.String(), want)
	}
	if _, _, status := execute("replay", path); status != exitNothing {
		t.Errorf("replayed with status %d", status)
	}
}
