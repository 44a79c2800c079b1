package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// block is what the README has between a line of three backquotes with this
// word and the next three.
func block(t *testing.T, word string) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n```"+word+"\n")
	block, _, ok := strings.Cut(rest, "\n```\n")
	if !ok {
		t.Fatalf("the README has no block of %s", word)
	}
	return block + "\n"
}

// The first finding is printed as the README shows it.
func TestReadmeFinding(t *testing.T) {
	command, shown, _ := strings.Cut(strings.TrimPrefix(block(t, "console"), "$ go run ./cmd/macemc "), "\n")
	t.Chdir(t.TempDir())
	out, _, _ := execute(words(command)...)
	out = strings.Replace(out, "replay: macemc", "replay: go run ./cmd/macemc", 1)
	if masked(out) != masked(shown) {
		t.Errorf("the README shows\n%s\n---- but the command prints\n%s", masked(shown), masked(out))
	}
}

// The service in the README is complete, and builds at the place that it names.
func TestReadmeService(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	service, overlay := filepath.Join(folder, "lock.go"), filepath.Join(folder, "overlay.json")
	put(service, block(t, "go"))
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "systems/lock/lock.go"): service}})
	if err != nil {
		t.Fatal(err)
	}
	put(overlay, string(list))
	build := exec.Command("go", "build", "-overlay", overlay, "./systems/lock")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
