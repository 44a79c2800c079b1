package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

type duration = time.Duration

const minute = time.Minute

// These are the verdicts on a mutant.
const (
	killed   = "killed"
	survived = "survived"
	noBuild  = "no build"
)

// outcome is the result of trying a mutant, which is one line of the journal.
type outcome struct {
	ID, Room, Verdict string
	By                string // the test that noticed
	Seconds           float64
	Told              string
	mutant            *mutant
}

var (
	failing = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	running = regexp.MustCompile(`(?m)^\t+(Test\S+) \((\S+)\)$`)
)

// look runs the tests of one package after the other and sets the verdict. In all, the tests may
// run for the time limit; building them does not count. If that time ends while a test is running
// that takes a fraction of its present time without the mutant, then the test hangs, and counts as
// having noticed the mutant.
func (o *outcome) look(ctx context.Context, packages []string, dir, overlay string, limit duration) {
	left := limit
	for _, p := range packages {
		p, named, _ := strings.Cut(p, " ")
		binary := filepath.Join(dir, strings.ReplaceAll(p, "/", "_")+".test")
		if _, err := os.Stat(binary); err != nil { // else its other tests have looked
			if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, p).CombinedOutput(); err != nil {
				o.Verdict, o.By = noBuild, p+" "+firstLine(string(out))
				return
			}
		}
		began := time.Now()
		which := []string{"-test.run", named}
		if not, ok := strings.CutPrefix(named, "-"); ok {
			which = []string{"-test.skip", not}
		}
		cmd := exec.CommandContext(ctx, binary, append(which, "-test.failfast", "-test.timeout", fmt.Sprint(left.Round(time.Second)))...)
		cmd.Dir = p
		out, err := cmd.CombinedOutput()
		took := time.Since(began)
		o.Seconds += took.Seconds()
		if err != nil && ctx.Err() == nil {
			text := string(out)
			at := running.FindStringSubmatch(text)
			if !strings.Contains(text, "panic: test timed out") {
				o.Verdict, o.By = killed, p+" "+noticed(text)
				return
			}
			if at != nil && hangs(ctx, p, at[1], at[2], dir) {
				o.Verdict, o.By = killed, p+" "+at[1]+" hangs"
				return
			}
		}
		if left -= took; left < time.Second {
			return
		}
	}
}

// A test hangs if it runs hangsAfter times as long as without the change.
const hangsAfter = 5

// hangs reports whether a test hangs because of a mutant: it has run for the time running, and
// without the change it passes in a fraction of that time.
func hangs(ctx context.Context, pkg, test, running, dir string) bool {
	d, err := time.ParseDuration(running)
	if d /= hangsAfter; err != nil || d < time.Second {
		return false
	}
	test, _, _ = strings.Cut(test, "/")
	binary := filepath.Join(dir, "unchanged.test")
	if err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary, pkg).Run(); err != nil {
		return false
	}
	cmd := exec.CommandContext(ctx, binary, "-test.run", "^"+test+"$", "-test.timeout", fmt.Sprint(d))
	cmd.Dir = pkg
	return cmd.Run() == nil
}

func noticed(text string) string {
	if at := failing.FindStringSubmatch(text); at != nil {
		return at[1]
	}
	return firstLine(text)
}

// book is the journal of the mutants that were tried.
type book struct {
	file *os.File
	of   map[string]outcome
}

func openBook(name string) (*book, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	b := &book{f, map[string]outcome{}}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var o outcome
		if json.Unmarshal(lines.Bytes(), &o) == nil { // else it was cut when it was written
			b.of[o.ID] = o
		}
	}
	return b, lines.Err()
}

func (b *book) write(o outcome) error {
	b.of[o.ID] = o
	line, err := json.Marshal(o)
	if err == nil {
		_, err = b.file.Write(append(line, '\n'))
	}
	return err
}

// readReasons reads the file of mutants that change no result. A line with such a mutant has its
// identity, a blank and the reason. Other lines are comments. It returns the reasons by identity.
func readReasons(name string) (map[string]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if id, reason, ok := strings.Cut(strings.TrimSpace(line), " "); ok && identity.MatchString(id) {
			reasons[id] = reason
		}
	}
	return reasons, nil
}

var identity = regexp.MustCompile(`^[0-9a-f]{8}(\.[0-9]+)?$`)

func unexplained(tried []outcome, reasons map[string]string) (n int) {
	for _, o := range tried {
		if o.Verdict == survived && reasons[o.ID] == "" {
			n++
		}
	}
	return n
}

// summary prints the mutants that survived, and the number of those that were noticed, by room and
// by test.
func summary(tried []outcome, reasons map[string]string) {
	all, dead, equal, by := map[string]int{}, map[string]int{}, 0, map[string]int{}
	fmt.Println()
	for _, o := range tried {
		all[o.Room]++
		switch {
		case o.Verdict == killed:
			dead[o.Room]++
			where, _, _ := strings.Cut(o.By, " ")
			by[where]++
		case reasons[o.ID] != "":
			equal++
		default:
			fmt.Printf("survived  %s\n", o.mutant)
		}
	}
	fmt.Println()
	for _, r := range rooms {
		fmt.Printf("%-10s %3d of %3d noticed\n", r.name, dead[r.name], all[r.name])
	}
	for _, p := range slices.Sorted(maps.Keys(by)) {
		fmt.Printf("%4d by %s\n", by[p], p)
	}
	fmt.Printf("%d tried, %d survive, %d of them mean nothing\n", len(tried), equal+unexplained(tried, reasons), equal)
	if n := len(tried); n > 0 && equal*10 > n {
		fmt.Println("more than a tenth is said to mean nothing: that is too many to believe")
	}
}
