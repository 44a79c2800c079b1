package overlay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHunksApply checks that every hunk occurs once in the sources of the Go release that runs the tests.
func TestHunksApply(t *testing.T) {
	o, err := Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(o.JSON)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hunks {
		if h.in == "" && !strings.Contains(string(text), h.file) {
			t.Errorf("the overlay does not replace %s", h.file)
		}
	}
	if again, err := Write(filepath.Dir(filepath.Dir(o.JSON))); err != nil || again != o {
		t.Errorf("written again: %v, %v; want %v", again, err, o)
	}
}

// fake returns a GOROOT with one file.
func fake(t *testing.T, name, text string) string {
	t.Helper()
	root := t.TempDir()
	file := filepath.Join(root, "src", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestRefused(t *testing.T) {
	one := []hunk{{name: "the order", file: "runtime/a.go", old: "\tfirst()\n", new: "\tsecond()\n"}}
	const good = "package runtime\n\nfunc a() {\n\tfirst()\n}\n"
	for _, c := range []struct{ version, text, want string }{
		{"go1.26.3", good, ""},
		{"go1.26.3", strings.Replace(good, "first", "other", 1), `hunk "the order" does not apply to runtime/a.go of go1.26.3 (sha256 `},
		{"go1.26.3", good + good, "the text that it replaces is there 2 times, not once"},
		{"go1.26.3", "package {\n\tfirst()\n", "is not valid Go"},
		{"go1.25.9", good, "macemc has no overlay for the sources of go1.25.9; use go1.26 or go1.27"},
		{"devel", good, "no overlay for the sources of devel"},
	} {
		o, err := write(t.TempDir(), fake(t, "runtime/a.go", c.text), c.version, one)
		if c.want == "" {
			if err != nil {
				t.Error(err)
			}
			text, _ := os.ReadFile(filepath.Join(filepath.Dir(o.JSON), "runtime_a.go"))
			if !strings.Contains(string(text), "second()") {
				t.Errorf("the patched file is %q", text)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.version, err, c.want)
		}
	}
}

// TestHash checks that the hash covers everything that the overlay replaces and adds, and the version.
func TestHash(t *testing.T) {
	files := func(text string) map[string]string { return map[string]string{"a": text, "b": "c"} }
	if hash("go1.26.1", files("x")) == hash("go1.26.1", files("y")) || hash("go1.26.1", files("x")) == hash("go1.26.2", files("x")) {
		t.Error("two overlays have one hash")
	}
}

// TestLink checks that a toolchain in the module cache gets another name, and a new one if it has moved.
func TestLink(t *testing.T) {
	dir, one, two := t.TempDir(), t.TempDir(), t.TempDir()
	for _, root := range []string{one, one, two} {
		name, err := link(dir, root, "go1.26.9")
		if err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(name); err != nil || to != root {
			t.Errorf("%s is %s, %v; want %s", name, to, err, root)
		}
	}
	if got := (Overlay{root: one}).Command("version").Args[0]; got != filepath.Join(one, "bin", "go") {
		t.Errorf("the command is %s", got)
	}
}
