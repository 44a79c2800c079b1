package command

import (
	"path/filepath"
	"strings"
	"testing"
)

// What nodes did for real becomes a path, which every command takes that takes paths.
func TestLiveRunIsAPath(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	out, errs, status := execute(words("live brokentree --in-process --time 700ms --pace 0.02 --seed 1 --faults kill=100ms,loss=0.1 --faults-for 300ms --record run")...)
	for _, want := range []string{"3 nodes of brokentree run in this process, on 127.0.0.1", "n0 is killed", "healed: all nodes run", "recorded: macemc merge run"} {
		if want == "n0 is killed" && strings.Contains(out, "is killed") {
			continue
		}
		if !strings.Contains(out, want) {
			t.Errorf("live does not say %q, status %d: %s%s", want, status, out, errs)
		}
	}
	out, errs, _ = execute(words("merge run")...)
	if !strings.Contains(out, "merged: ") || strings.Contains(out, "parted") {
		t.Fatalf("merge says %s%s", out, errs)
	}
	path := filepath.Join("run", "merged.path")
	for command, want := range map[string]string{
		"replay " + path:          "reproduced",
		"graph " + path:           "n0",
		"mdb " + path + " --at 3": "step 3",
	} {
		line := words(command)
		if line[0] == "mdb" {
			line = append(line, "-x", "show; next; diff")
		}
		if out, errs, status := execute(line...); status == exitInput || !strings.Contains(out, want) {
			t.Errorf("%s ends with %d: %s%s", command, status, out, errs)
		}
	}
}
