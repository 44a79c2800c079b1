package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRename checks that every occurrence of the module's path is renamed, and that texts which only look like it are not.
func TestRename(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", "module tool\n\ngo 1.26\n")
	put("sim/sim.go", "package sim\n\nimport (\n\t\"tool/sim/b\"\n\t\"tool/sim/a\"\n)\n\nconst is = \"tool\"\n")
	put("README.md", "tool is in cmd/tool/main.go: go doc tool/sim, -require tool@v0.0.0 -replace tool=../tool, `tool search`, go tool tool search, testdata/tool/sim\n")
	put("x.txt", "\"\\ntool/sim.View\" tool/other\n")
	for _, line := range [][]string{{"init", "-q"}, {"add", "."}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, line...)...).CombinedOutput(); err != nil {
			t.Skipf("%v %s", err, out)
		}
	}
	if err := rename(dir, "tool"); err == nil {
		t.Error("a path without a dot is taken")
	}
	if err := rename(dir, "example.org/you/tool"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"go.mod":     "module example.org/you/tool\n\ngo 1.26\n",
		"sim/sim.go": "package sim\n\nimport (\n\t\"example.org/you/tool/sim/a\"\n\t\"example.org/you/tool/sim/b\"\n)\n\nconst is = \"tool\"\n",
		"README.md":  "tool is in cmd/tool/main.go: go doc example.org/you/tool/sim, -require example.org/you/tool@v0.0.0 -replace example.org/you/tool=../tool, `tool search`, go tool tool search, testdata/tool/sim\n",
		"x.txt":      "\"\\nexample.org/you/tool/sim.View\" tool/other\n",
	} {
		if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
