package mdb

import (
	"flag"
	"os"
	"strings"
	"testing"
)

const manual = "../docs/mdb.md"

// docs/mdb.md is generated from the table of commands.
func TestManual(t *testing.T) {
	want := manualText()
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(manual, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is stale; run go test ./mdb -run Manual -rewrite", manual)
	}
}

// Every command has a help text and an example that executes it, no two commands have the same name, and the
// transcript of examples shows each of them.
func TestCommands(t *testing.T) {
	shown, err := os.ReadFile("testdata/examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, c := range commands() {
		if c.Short == "" || c.Group == "" || c.run == nil {
			t.Errorf("%s has no help, no group or does nothing", c.Name)
		}
		if !strings.Contains(c.Example, c.Name) {
			t.Errorf("the example of %s does not execute it: %s", c.Name, c.Example)
		}
		if !strings.Contains(string(shown), "\n# "+c.Heading()+"\n") {
			t.Errorf("testdata/examples.txt does not show %s", c.Name)
		}
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			if other, taken := names[name]; taken {
				t.Errorf("%s and %s both go by %s", other, c.Name, name)
			}
			names[name] = c.Name
		}
	}
	for _, c := range commands() {
		for _, word := range strings.Fields(c.Meant) {
			if other, taken := names[word]; taken {
				t.Errorf("%s is suggested for %q, which is a name of %s", c.Name, word, other)
			}
		}
	}
}
