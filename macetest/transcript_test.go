package macetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/transcript"
)

// TestTranscripts runs testdata, with the tests of testdata/lock in a program of their own.
// Its commands:
//
//	test    run them with the flags in the input; NAME=value before them sets
//	        a variable of the environment
//	files   list the files of a folder, without their contents
//
// FINDINGS stands for the folder of findings. Measured values are left out.
func TestTranscripts(t *testing.T) {
	program := built(t)
	transcript.RunFresh(t, "testdata", func() transcript.Handler {
		folder := t.TempDir()
		found := filepath.Join(folder, fmt.Sprintf("macetest-findings-%d", os.Getuid()))
		return func(t *testing.T, d *transcript.Data) string {
			transcript.Allow(t, d)
			input := strings.ReplaceAll(strings.TrimSpace(d.Input), "FINDINGS", found)
			switch d.Cmd {
			case "test":
				return strings.ReplaceAll(masked(run(t, program, folder, input)), found, "FINDINGS")
			case "files":
				entries, err := os.ReadDir(input)
				if err != nil {
					return err.Error()
				}
				var names []string
				for _, e := range entries {
					names = append(names, e.Name())
				}
				return strings.Join(names, "\n")
			default:
				d.Fatalf(t, "no command %q", d.Cmd)
				return ""
			}
		}
	})
}

// lockOfExamples maps the service of examples/lock, which is in another module, into the
// folder of the tests of testdata/lock.
func lockOfExamples(t *testing.T) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(here, "testdata", "lock", "lock.go")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{there: filepath.Join(here, "..", "examples", "lock", "lock.go")}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// run runs the tests of a program.
func run(t *testing.T, program, folder, line string) string {
	t.Helper()
	words := strings.Fields(line)
	cmd := exec.Command(program)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "TMPDIR="+folder, "MACETEST_SCALE=1", "MACETEST_SEED=1")
	for len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		cmd.Env, words = append(cmd.Env, words[0]), words[1:]
	}
	cmd.Args = append(cmd.Args, words...)
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	return string(out)
}

var (
	times    = regexp.MustCompile(`\(\d+\.\d+s\)`)
	measured = regexp.MustCompile(`(?m)^        measured:\n(          .*\n)+`)
	effort   = regexp.MustCompile(`(?m)^          effort  .*\n( {22}.*\n)*`)
)

func masked(text string) string {
	text = times.ReplaceAllString(text, "(...)")
	text = measured.ReplaceAllString(text, "        measured: ...\n")
	return effort.ReplaceAllString(text, "          effort      ...\n")
}

// built returns the test binary of testdata/lock.
func built(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "lock.test")
	build := exec.Command("go", "test", "-c", "-overlay", lockOfExamples(t), "-o", program, "./testdata/lock")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestCorpus checks that a finding of a test is kept beside the test, and that tests with the same known bugs, and no
// others, replay it before their next search. A test binary that does not run beside its test keeps nothing.
func TestCorpus(t *testing.T) {
	program, folder := built(t), t.TempDir()
	twice := "-test.run ^TestAskedTwice$"
	run(t, program, folder, twice)
	if kept, _ := filepath.Glob(folder + "/testdata/macemc/*"); len(kept) > 0 {
		t.Errorf("kept is %s", kept)
	}
	if err := os.WriteFile(filepath.Join(folder, "lock_test.go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if said := run(t, program, folder, twice); !strings.Contains(said, "the path is kept as testdata/macemc/lock-LK1-") {
		t.Error(said)
	}
	kept, _ := filepath.Glob(folder + "/testdata/macemc/lock-LK1-*.path")
	if len(kept) != 1 {
		t.Fatalf("kept is %s", kept)
	}
	if said := run(t, program, folder, twice); !strings.Contains(said, "reproduced: ") || strings.Contains(said, "is kept as") {
		t.Errorf("the second time the test says\n%s", said)
	}
	if said := run(t, program, folder, "-test.run ^TestLock$ -test.v"); strings.Contains(said, "reproduced") || !strings.Contains(said, "PASS") {
		t.Errorf("a test without the bug says\n%s", said)
	}
	// If the system is renamed, nobody replays its corpus.
	path, err := choose.Open(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	path.Set("system", "key")
	if _, err := path.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "testdata/macemc/key.path"), text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if said := run(t, program, folder, "-test.run ^TestLock$ -test.v"); !strings.Contains(said, `key.path is of the system "key", and was not taken again by this test of "lock"`) {
		t.Errorf("beside a path of another system a test says\n%s", said)
	}
}
