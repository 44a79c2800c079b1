package main

import (
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
)

// Every form is drawn of a dead run, of an unsafe one, of one that breaks the
// simulated TCP, and of a crash.
func TestGraphFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	begins := map[string]string{
		"text": "", "svg": "<svg ", "html": "<!DOCTYPE html>", "mermaid": "sequenceDiagram\n", "dot": "digraph macemc {", "shiviz": "(?<event>",
	}
	for _, line := range []string{
		"brokentree --bug BT1", "brokentree --bug BT2", "simtcp --bug ST3", "stopwait --bug SW1", "handshake --bug HS1",
	} {
		out := t.TempDir()
		if _, told, status := execute(words("search " + line + " --quiet --out " + out)...); status != exitFound {
			t.Fatalf("search %s: status %d: %s", line, status, told)
		}
		paths, _ := filepath.Glob(filepath.Join(out, "*", "error.path"))
		if len(paths) != 1 {
			t.Fatalf("search %s has written %q", line, paths)
		}
		for _, f := range formats {
			file := filepath.Join(t.TempDir(), "graph"+f.end)
			text, told, status := execute("graph", paths[0], "--format", f.name)
			_, _, again := execute("graph", paths[0], "--out", file)
			if status != exitNothing || told != "" || again != exitNothing || get(t, file) != text {
				t.Errorf("graph of %s as %s: status %d, %d with --out: %s", line, f.name, status, again, told)
			}
			if !strings.HasPrefix(text, begins[f.name]) || len(text) < 200 {
				t.Errorf("graph of %s as %s begins %.100q", line, f.name, text)
			}
			if f.name == "svg" {
				wellFormed(t, line, text)
			}
		}
	}
}

func wellFormed(t *testing.T, line, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("the picture of %s: %v", line, err)
			return
		}
	}
}

// The live.path beside a path is drawn beside it, unless that is not wanted.
func TestGraphLive(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	execute(words("search handshake --bug HS1 --quiet --out .")...)
	paths, _ := filepath.Glob("*/error.path")
	if len(paths) != 1 {
		t.Fatalf("the search has written %q", paths)
	}
	failed, err := load(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	last := len(failed.Steps) - 1
	live := failed.Prefix(last) // before the datagram is lost: here it arrives
	event := failed.Steps[last].Event
	event.Pick, event.What = 0, "n1 message confirm{} from n0 by udp"
	live.Steps = append(live.Steps, choose.Step{Event: event})
	live.Header = slices.DeleteFunc(live.Header, func(f choose.Field) bool {
		return slices.Contains([]string{"verdict", "violates", "state", "critical"}, f.Key)
	})
	var b strings.Builder
	if _, err := live.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	put(filepath.Join(filepath.Dir(paths[0]), "live.path"), b.String())
	both, told, status := execute("graph", filepath.Dir(paths[0]))
	if status != exitNothing || !strings.Contains(both, "they part here") || !strings.Contains(both, "there: handshake") {
		t.Errorf("status %d: %s\n%s", status, told, both)
	}
	alone, _, _ := execute("graph", filepath.Dir(paths[0]), "--alone")
	if strings.Contains(alone, "they part here") || !strings.HasPrefix(both, alone) {
		t.Errorf("--alone draws\n%s", alone)
	}
	for _, f := range formats[1:] {
		text, told, status := execute("graph", filepath.Dir(paths[0]), "--format", f.name)
		if status != exitNothing || !strings.Contains(text, "there") {
			t.Errorf("as %s, status %d: %s\n%s", f.name, status, told, text)
		}
	}
}
