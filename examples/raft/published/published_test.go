package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"
)

// Each fix can be undone in the present source of the library, and the result is valid Go.
func TestBugs(t *testing.T) {
	folder, err := library()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bugs {
		for _, u := range b.undo {
			text, err := os.ReadFile(filepath.Join(folder, u.file))
			if err != nil {
				t.Fatal(err)
			}
			undone, err := u.apply(string(text))
			if err != nil {
				t.Errorf("%s: %v", b.name, err)
			}
			if _, err := parser.ParseFile(token.NewFileSet(), u.file, undone, 0); err != nil {
				t.Errorf("%s: %v", b.name, err)
			}
		}
		if (b.core == "") != (len(b.undo) > 0) {
			t.Errorf("%s has neither a version nor a change, or both", b.name)
		}
	}
}
