//go:build unix

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"macemc/internal/long"
)

// A package of any module is searched, replayed and drawn without a program of its
// own, and nothing is left in it.
func TestPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	lock, err := filepath.Abs("../examples/lock")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", goEnv(t, "GOCACHE"))
	if *long.On { // else programs and copies that count lines may be of an earlier run
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
	}
	before, _ := filepath.Glob(lock + "/*")
	out := t.TempDir()
	said, errs, status := inFolder(t, lock, "search", ".", "--bug", "LK1", "--quiet", "--no-shrink", "--out", out)
	found := filepath.Join(out, "lock-LK1-1", "error.path")
	if status != exitFound || errs != "" || !strings.Contains(said, " replay . "+found+"\n") {
		t.Fatalf("status %d, stderr %q and\n%s", status, errs, said)
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(found), "report.md"))
	if want := "   52 > \tn.queue = append(n.queue, from)\n   53 > \tif len(n.queue) == 1 {\n   54   \t\tenv.TCP()"; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%v: the report does not mark the lines that ran:\n%s", err, text)
	}
	said, errs, status = inFolder(t, lock, "search", ".", "--quiet", "--depth", "12", "--paths", "50", "--coverage")
	if want := "\nnever ran, of 29 lines of code:\n  lock.go:93  lock.System: func(v sim.View[*node]) string {"; status != exitNothing || errs != "" || !strings.Contains(said, want) {
		t.Errorf("coverage: status %d, stderr %q and\n%s", status, errs, said)
	}
	if said, errs, status := inFolder(t, lock, "graph", ".", found); status != exitNothing || !strings.Contains(said, "n0 message ask{}") {
		t.Errorf("graph: status %d, stderr %q and\n%s", status, errs, said)
	}
	record := filepath.Join(t.TempDir(), "deep", "record")
	if said, errs, status := inFolder(t, lock, "live", ".", "--in-process", "--time", "300ms", "--record", record); status == exitInput || !strings.Contains(said, " merge . "+record+" makes") {
		t.Errorf("live: status %d, stderr %q and\n%s", status, errs, said)
	}
	if said, errs, status := inFolder(t, lock, "merge", ".", record); status != exitNothing || !strings.Contains(said, " replay . "+record) {
		t.Errorf("merge: status %d, stderr %q and\n%s", status, errs, said)
	}
	if said, errs, status := inFolder(t, lock, "list", "./check"); status != exitInput || said != "" || !strings.Contains(errs, "./check is a program") {
		t.Errorf("list: status %d, stderr %q and\n%s", status, errs, said)
	}
	none := "macemc: there is no folder ./nowhere; name the folder of a package, a path file or the folder of a finding\n"
	for _, command := range []string{"search", "replay"} {
		if said, errs, status := inFolder(t, lock, command, "./nowhere"); status != exitInput || said != "" || errs != none {
			t.Errorf("%s: status %d, stderr %q and\n%s", command, status, errs, said)
		}
	}
	if after, _ := filepath.Glob(lock + "/*"); strings.Join(after, " ") != strings.Join(before, " ") {
		t.Errorf("there were %q, and are %q", before, after)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// The word alone decides whether it names a package, or a system or a file.
func TestIsPackage(t *testing.T) {
	t.Chdir(t.TempDir())
	put("x.go", "package x")
	if err := os.MkdirAll("found", 0o777); err != nil {
		t.Fatal(err)
	}
	put("found/error.path", "")
	for word, want := range map[string]bool{
		".": true, "./nowhere": true, "example.com/lock": true, "../lock": true,
		"lock": false, "./found": false, "found": false, "found/error.path": false, "./typo.path": false, "macemc-findings/lock-1": false,
	} {
		if isPackage(word) != want {
			t.Errorf("%s: %v, want %v", word, !want, want)
		}
	}
}
