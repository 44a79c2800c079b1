package bubble

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"macemc/internal/long"
	"macemc/internal/overlay"
)

// even has the Rates of random runs in these tests.
var even = [Kinds]uint32{1 << 15, 1 << 15, 1 << 13, 1 << 16, 1 << 16, 1 << 16, 1 << 16}

// TestChild runs random programs in the processes that the other tests start, which are built with the overlay.
func TestChild(t *testing.T) {
	var from, to, times uint64
	if _, err := fmt.Sscan(os.Getenv("MACEMC_BUBBLE_CHILD"), &from, &to, &times); err != nil {
		t.Skip("no process of another test")
	}
	if err := os.WriteFile(os.Getenv("MACEMC_BUBBLE_OUT"), child(from, to, times), 0o644); err != nil {
		t.Fatal(err)
	}
}

// child runs each of some programs several times, and returns the draws and the output of each run as text.
func child(from, to, times uint64) []byte {
	Prepare()
	var out bytes.Buffer
	r := new(Recorder)
	for n := from; n < to; n++ {
		r.Run(Plan{Seed: n + 1, Rates: even}, func() { run(n) }) // fills the caches of packages: what fmt knows of types, and the like
		for range times {
			var said []string
			rec, left, err := r.Run(Plan{Seed: n + 1, Rates: even}, func() { said = run(n) })
			if times == 1 {
				tell(&out, rec, said)
			}
			fmt.Fprintf(&out, "%d %x asked %d left %d err %v\n", n, digest(rec, said), rec.Asked, len(left), err)
		}
	}
	return out.Bytes()
}

// tell writes the draws and the output of a run to out.
func tell(out *bytes.Buffer, rec Record, said []string) {
	for _, d := range rec.Draws {
		fmt.Fprintf(out, "%v: %s\n", d, d.Goroutine())
	}
	for _, s := range said {
		fmt.Fprintln(out, s)
	}
}

func digest(rec Record, said []string) uint64 {
	h := fnv.New64()
	for _, d := range rec.Draws {
		fmt.Fprintln(h, d, d.Gopc, d.Startpc)
	}
	for _, s := range said {
		fmt.Fprintln(h, s)
	}
	return h.Sum64()
}

// build builds this test with an overlay, and returns the file of the program.
func build(t *testing.T, o overlay.Overlay) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bubble.test")
	args := append([]string{"test", "-c", "-o", file}, o.Flags()...)
	if out, err := o.Command(append(args, ".")...).CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return file
}

// children runs the programs in another process, and returns the results.
func children(t *testing.T, file string, from, to, times int) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command(file, "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("MACEMC_BUBBLE_CHILD=%d %d %d", from, to, times), "MACEMC_BUBBLE_OUT="+out)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("programs %d to %d: %v\n%s", from, to, err, said)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// written writes the overlay, without the named hunks, and returns it.
func written(t *testing.T, without ...string) overlay.Overlay {
	t.Helper()
	dir, err := overlay.Cache()
	if err != nil {
		t.Fatal(err)
	}
	o, err := overlay.Write(dir, without...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestRandomPrograms checks that random programs have the same draws and the same output however often they
// are run, in one process and in others.
func TestRandomPrograms(t *testing.T) {
	if long.Of(0, 1) == 0 {
		t.Skip("the overlay compiles the standard library: with -long")
	}
	const programs, times = 2000, 10
	file := build(t, written(t))
	first, second := children(t, file, 0, programs, times), children(t, file, 0, programs, times)
	different := map[string]bool{}
	for i, line := range first {
		n := i / times
		if line != first[n*times] || line != second[i] {
			t.Fatalf("program %d differs:\n%s\n%s\n%s", n, first[n*times], line, second[i])
		}
		different[line] = true
	}
	if len(different) < programs {
		t.Errorf("%d programs come to %d different runs", programs, len(different))
	}
	// A goroutine has the memory of one of an earlier run, and nothing else of it.
	const selects = 901 // a program that selects much
	for i, line := range children(t, file, selects, selects+1, 300) {
		if line != first[selects*times] {
			t.Fatalf("run %d of program %d in one process differs:\n%s\n%s", i, selects, first[selects*times], line)
		}
	}
}

// TestHunkThatIsLeftOut checks that runs differ if one hunk of the overlay is left out, and that the first
// difference names a goroutine of the program: it is a draw, reported with the line that started the goroutine,
// or, if all draws are equal, a line of output.
func TestHunkThatIsLeftOut(t *testing.T) {
	if long.Of(0, 1) == 0 {
		t.Skip("each overlay compiles the standard library: with -long")
	}
	for hunk, names := range map[string]*regexp.Regexp{
		"the order of select cases":               regexp.MustCompile(`goroutine .*program_test\.go:\d+`),
		"ties of timers":                          regexp.MustCompile(`goroutine .*program_test\.go:\d+`),
		"random numbers, map order and map seeds": regexp.MustCompile(`^\d+ [\d.]+ (ranged|drew|hashed) `),
	} {
		t.Run(hunk, func(t *testing.T) {
			file := build(t, written(t, hunk))
			for n := range 100 {
				a, b := children(t, file, n, n+1, 1), children(t, file, n, n+1, 1)
				i := 0
				for i < min(len(a), len(b))-1 && a[i] == b[i] {
					i++
				}
				if a[i] != b[i] && names.MatchString(a[i]) {
					t.Logf("program %d: the first difference is\n%s\n%s", n, a[i], b[i])
					return
				}
			}
			t.Error("100 programs are equal without the hunk")
		})
	}
}
