package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// Data is one command of a transcript with its arguments and input.
type Data = datadriven.TestData

// Handler executes one command of a transcript and returns its output.
type Handler func(t *testing.T, d *Data) string

// Run runs the transcript at path, or every *.txt in it if it is a folder. All
// files share one handler, with its state. RunFresh makes a new handler for each
// file.
func Run(t *testing.T, path string, handle Handler) {
	t.Helper()
	RunFresh(t, path, func() Handler { return handle })
}

// RunFresh does what Run does, with a new handler for every file.
func RunFresh(t *testing.T, path string, fresh func() Handler) {
	t.Helper()
	for _, file := range files(t, path) {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			requireProse(t, file)
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("%s differs from what the code does. First decide which of them is right; if it is the code, run\n"+
						"\tgo test -run '^%s$' -rewrite\nin this package, and read the diff.", file, t.Name())
				}
			})
			datadriven.RunTest(t, file, fresh())
		})
	}
}

// RunInFolders does what RunFresh does, and makes an empty folder for every file, in which
// its commands work.
func RunInFolders(t *testing.T, path string, fresh func() Handler) {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	t.Chdir(base)
	RunFresh(t, path, func() Handler {
		own, err := os.MkdirTemp(base, "")
		if err == nil {
			err = os.Chdir(own)
		}
		if err != nil {
			t.Fatal(err)
		}
		return fresh()
	})
}

// files returns path if it is a file, or the transcripts in the folder path, in order.
// Folders in it are not entered: testdata/fuzz is not a transcript.
func files(t *testing.T, path string) []string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !info.IsDir() {
		return []string{path}
	}
	found, err := filepath.Glob(filepath.Join(path, "*.txt"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no transcript (*.txt) in %s: %v", path, err)
	}
	return found // Glob sorts
}

func requireProse(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "# ") {
		t.Fatalf("%s does not open with a comment: say in a sentence what it shows", file)
	}
}

// Allow fails the test if the command has an argument that is not listed.
func Allow(t *testing.T, d *Data, keys ...string) {
	t.Helper()
	for _, arg := range d.CmdArgs {
		if !slices.Contains(keys, arg.Key) {
			d.Fatalf(t, "%s has no argument %q; it has %v", d.Cmd, arg.Key, keys)
		}
	}
}

// Word returns the value of the argument key, or otherwise if there is no such argument.
func Word(d *Data, key, otherwise string) string {
	arg, ok := d.Arg(key)
	if !ok {
		return otherwise
	}
	return strings.Join(arg.Vals, ",")
}

// Int returns the value of the argument key, or otherwise if there is no such argument.
func Int(t *testing.T, d *Data, key string, otherwise int) int {
	t.Helper()
	d.MaybeScanArgs(t, key, &otherwise)
	return otherwise
}

// Ints returns the values of the argument key, as in key=(1,2,3), or nil if there is no
// such argument.
func Ints(t *testing.T, d *Data, key string) []int {
	t.Helper()
	arg, _ := d.Arg(key)
	var ints []int
	for _, val := range arg.Vals {
		n, err := strconv.Atoi(val)
		if err != nil {
			d.Fatalf(t, "argument %s of %s: %v", key, d.Cmd, err)
		}
		ints = append(ints, n)
	}
	return ints
}

// Try returns the result of f, or "panic: " and the panic value. It is for commands that are
// expected to panic: any other panic fails the test, and -rewrite must not write it into a
// transcript.
func Try(f func() string) (answer string) {
	defer func() {
		if p := recover(); p != nil {
			answer = fmt.Sprintf("panic: %v\n", p)
		}
	}()
	return f()
}
