package worlds

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A program keeps its own name if it is built again, and names of processes that have ended are removed.
func TestOwn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.test")
	write := func(name, text string) {
		t.Helper()
		os.Remove(name)
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ended := fmt.Sprint(file, "-", 1<<30)
	write(file, "one")
	write(ended, "old")
	name := own(file)
	write(file, "two")
	if text, err := os.ReadFile(name); err != nil || string(text) != "one" {
		t.Errorf("%s is %q, %v", name, text, err)
	}
	if _, err := os.Stat(ended); err == nil {
		t.Error("the name of a process that has ended is there")
	}
	again := own(file)
	if text, err := os.ReadFile(again); err != nil || string(text) != "two" {
		t.Errorf("%s is %q, %v after the program was built again", again, text, err)
	}
}
