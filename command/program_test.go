package command

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"macemc/sim"
	"macemc/systems/handshake"
)

func TestSelf(t *testing.T) {
	const folder = "run ./cmd/check"
	for arg0, want := range map[string]string{
		"macemc":                              "macemc",
		"":                                    "macemc",
		"/usr/bin/macemc":                     "/usr/bin/macemc",
		"./bin/macemc":                        "./bin/macemc",
		"bin/macemc":                          "bin/macemc",
		"my tools/macemc":                     "'my tools/macemc'",
		"/x/go-build/macemc":                  "go run ./cmd/check",
		"/tmp/go-build12345/b001/exe/macemc":  "go run ./cmd/check",
		"/x/.cache/go-build/ab/abcd-d/macemc": "go run ./cmd/check",
		"/elsewhere/ab/" + strings.Repeat("0a", 32) + "-d/check": "go run ./cmd/check",
	} {
		if got := self(arg0, folder); got != want {
			t.Errorf("self(%q) is %q, want %q", arg0, got, want)
		}
	}
	if got := self("/tmp/go-build1/b001/exe/main", ""); got != "go run ." {
		t.Errorf("built of files: %q", got)
	}
}

// A program with systems of its own knows those and no others.
func TestProgramOfAUser(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		line, out, errs string
		status          int
	}{
		{line: "list", out: "handshake", status: exitNothing},
		{line: "search handshake --bug HS1 --quiet", out: "replay: check replay macemc-findings/handshake-HS1-1/error.path\n", status: exitFound},
		{line: "replay macemc-findings/handshake-HS1-1 --quiet", out: "reproduced", status: exitNothing},
		{line: "critical macemc-findings/handshake-HS1-1", out: "lose confirm{}", status: exitNothing},
		{line: "graph macemc-findings/handshake-HS1-1", out: "the critical step", status: exitNothing},
		{line: "mdb macemc-findings/handshake-HS1-1 -x 'jump critical; recovers'", out: "dead: proved", status: exitNothing},
		{line: "mdb handshake -x alternatives", out: "script connect{}", status: exitNothing},
		{line: "search brokentree", errs: `macemc: there is no system "brokentree"; there is only handshake` + "\n", status: exitInput},
		{line: "bugs", errs: `macemc: there is no command "bugs"; see check --help` + "\n", status: exitInput},
		{line: "--help", out: "check search handshake", status: exitNothing},
	} {
		var out, errs bytes.Buffer
		x := &tool{Program: Program{Systems: []*sim.System{handshake.System}}, calling: calling{Name: "check"}, stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
		status := x.run(words(c.line))
		if status != c.status || !strings.Contains(out.String(), c.out) || errs.String() != c.errs {
			t.Errorf("%s: status %d, stderr %q and\n%s", c.line, status, errs.String(), out.String())
		}
	}
}

// The help of a user's program names its systems, and no system of the catalogue.
func TestHelpOfAUser(t *testing.T) {
	lock := &sim.System{Name: "lock", Bugs: []sim.Bug{{ID: "LK1"}}}
	for _, c := range []struct {
		systems []*sim.System
		line    string
		has     []string
	}{
		{[]*sim.System{lock}, "--help", []string{"check search lock --bug LK1\n", "check replay macemc-findings/lock-LK1-1\n"}},
		{[]*sim.System{lock}, "search --help", []string{"check search lock\n", "check search lock --bug LK1 --faults loss=1\n"}},
		{[]*sim.System{{Name: "swim"}}, "--help", []string{"check search swim\n", "check replay macemc-findings/swim-WHAT-1\n"}},
	} {
		var out bytes.Buffer
		x := &tool{Program: Program{Systems: c.systems}, calling: calling{Name: "check"}, stdout: &out, stderr: &out}
		x.run(words(c.line))
		for _, has := range c.has {
			if !strings.Contains(out.String(), has) {
				t.Errorf("%s of %s lacks %q:\n%s", c.line, c.systems[0].Name, has, out.String())
			}
		}
		for _, alien := range []string{"handshake", "HS1", "simtcp", "twophase"} {
			if strings.Contains(out.String(), alien) {
				t.Errorf("%s of %s names %s:\n%s", c.line, c.systems[0].Name, alien, out.String())
			}
		}
	}
}

func TestProgramErrors(t *testing.T) {
	for want, systems := range map[string][]*sim.System{
		"this program has no systems; give command.Main one or more":                     nil,
		"system 2 of this program is nil; give command.Main the address of a sim.System": {handshake.System, nil},
		"system 1 of this program has no Name; it is what one types after search":        {{}},
		`two systems of this program are called "handshake"; rename one`:                 {handshake.System, handshake.System},
	} {
		if err := (Program{Systems: systems}).check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The version of a user's program is that of macemc.
func TestVersionOfAUser(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1", Main: debug.Module{Path: "example.com/lock", Version: "v9"}, Deps: []*debug.Module{
		{Path: "other", Version: "v8"}, {Path: module, Version: "v0.3.0"},
	}}
	if got := versionOf(info); got != "v0.3.0 (go1)" {
		t.Error(got)
	}
	info.Deps[1].Replace = &debug.Module{Path: "../macemc"}
	if got := versionOf(info); got != "v0.3.0, replaced by ../macemc (go1)" {
		t.Error(got)
	}
}

// quiet is a node that is asked for nothing.
type quiet struct{}

func (quiet) Init(sim.Env)                           {}
func (quiet) Handle(sim.Env, sim.Signal)             {}
func (quiet) Deliver(sim.Env, sim.Addr, sim.Message) {}

// A search of a system without properties does not report that it is correct.
func TestNoProperties(t *testing.T) {
	t.Chdir(t.TempDir())
	mute := &sim.System{Name: "mute", Doc: "It does nothing.", New: func(sim.Params, sim.Addr) sim.Node { return quiet{} }}
	var out, errs bytes.Buffer
	x := &tool{Program: Program{Systems: []*sim.System{mute}}, calling: calling{Name: "check"}, stdout: &out, stderr: &errs}
	status := x.run(words("search mute --quiet"))
	if has := strings.Join(strings.Fields(out.String()), " "); status != exitNothing || errs.Len() > 0 ||
		!strings.Contains(has, "every state was visited; the system has no properties, so only panics and their like were looked for") {
		t.Errorf("exit %d, stderr %q and\n%s", status, errs.String(), out.String())
	}
}

// Suggested commands name the program as a user must type it in the current folder.
func TestAsTyped(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"own/cmd/check", "other/below", "tool"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(root, "own", "go.mod"), "module example.com/own\n")
	put(filepath.Join(root, "other", "go.mod"), "module example.com/other\n\nrequire example.com/own v1.0.0\n")
	put(filepath.Join(root, "tool", "go.mod"), "module example.com/tools\n\ntool (\n\texample.com/own/cmd/check\n)\n")
	for here, want := range map[string]string{
		"own": "run ./cmd/check", "own/cmd": "run ./check", "own/cmd/check": "run .", "other/below": "run example.com/own/cmd/check", "tool": "tool check",
	} {
		if got := asTyped("example.com/own/cmd/check", "example.com/own", filepath.Join(root, here)); got != want {
			t.Errorf("in %s: %s, want %s", here, got, want)
		}
	}
}
