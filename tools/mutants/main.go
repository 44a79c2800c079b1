package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A room is a set of packages in which mutants are made, and the packages whose tests should notice
// these, the fastest first. After the path of such a package may follow a blank and a pattern of
// test names: only these tests run, or, if the pattern begins with a minus, all but these.
type room struct {
	name     string
	packages []string // patterns of packages; one that matches nothing is ignored
	tests    []string
}

// kept is the test that notices most mutants, and soon. It runs first, since with a mutant by which
// searches find nothing at all, the other tests of package oracle take long.
const kept = "./internal/oracle TestKept"

// together is the test that compares a search by several workers with a search by one.
const together = "./internal/search TestTogether"

// slow matches the tests of package search that take most of its time. They run last; all others
// together take a tenth of that time.
const slow = "TestWalksOfSeveral|TestClean$|TestCommutingStepsTogether|TestEngines|TestPublishedCounts|TestLooksEarly|TestStuck|TestFindingsOfSeveral|TestBehaving|TestMisbehaving|" +
	"TestPeripheryOfSeveral|TestPeripheryFinds|TestRestartsOfSeveral|TestLivelockBehindADoor|TestWorkersAgree|TestTogether|TestWalkLeast|TestManners|TestInterrupted|TestMemoryGrows|TestPrefixCritical"

var rooms = []room{
	{"sim", []string{"./sim/...", "./internal/world/...", "./internal/sight/...", "./internal/guard/...", "./internal/state/..."},
		[]string{kept, "./internal/oracle", together, "./internal/world", "./sim", "./internal/search -" + slow, "./internal/search " + slow}},
	{"netsim", []string{"./netsim/..."}, []string{"./netsim", "./internal/oracle", "./internal/world"}},
	{"choose", []string{"./choose/..."}, []string{"./choose", "./internal/oracle", "./internal/search -" + slow, "./internal/search " + slow}},
	{"search", []string{"./internal/search/..."}, []string{kept, together, "./internal/search -" + slow, "./internal/oracle", "./internal/critical", "./internal/search " + slow}},
	{"critical", []string{"./internal/critical/..."}, []string{"./internal/critical"}},
	{"canon", []string{"./internal/canon/..."}, []string{"./internal/canon", "./internal/oracle"}},
}

// source is a file of a room, in which mutants are made.
type source struct{ room, pkg, file, text string }

func main() {
	number := flag.Int("n", 300, "how many mutants, besides those with names")
	seed := flag.Uint64("seed", 1, "which of them")
	only := flag.String("only", "", "only those whose identity, function or file matches")
	limit := flag.Duration("time", minute, "of tests for each")
	journal := flag.String("journal", "bin/mutants.jsonl", "what was tried; a run goes on from there")
	equivalent := flag.String("equivalent", "tools/mutants/equivalent.txt", "identities of mutants that mean nothing, with a reason each")
	list := flag.Bool("list", false, "print the mutants that would be tried, and try none")
	flag.Parse()
	if err := run(*number, *seed, *only, *limit, *journal, *equivalent, *list); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(number int, seed uint64, only string, limit duration, journal, equivalent string, list bool) error {
	filter, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	files, err := sources()
	if err != nil {
		return err
	}
	queue, err := draw(files, number, seed)
	if err != nil {
		return err
	}
	queue.keep(func(m *mutant) bool {
		return filter.MatchString(m.ID) || filter.MatchString(m.Function) || filter.MatchString(m.File)
	})
	if list {
		for _, m := range queue.upTo() {
			fmt.Println(m)
		}
		return nil
	}
	reasons, err := readReasons(equivalent)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	book, err := openBook(journal)
	if err != nil {
		return err
	}
	defer book.file.Close()
	tried, err := queue.try(ctx, book, limit)
	summary(tried, reasons)
	if err == nil && unexplained(tried, reasons) > 0 {
		err = errors.New("some mutants survive: write a test that notices them, or write their identities with a reason into " + equivalent)
	}
	return err
}

// sources returns the files of all rooms.
func sources() (all []source, err error) {
	for _, r := range rooms {
		for _, pattern := range r.packages {
			if _, err := os.Stat(strings.TrimSuffix(pattern, "/...")); err != nil {
				continue
			}
			out, err := exec.Command("go", "list", "-f", `{{$p := .}}{{range .GoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}`, pattern).Output()
			if err != nil {
				return nil, fmt.Errorf("go list %s: %w", pattern, err)
			}
			for line := range strings.Lines(string(out)) {
				pkg, file, ok := strings.Cut(strings.TrimSpace(line), " ")
				if !ok {
					continue
				}
				text, err := os.ReadFile(file)
				if err != nil {
					return nil, err
				}
				all = append(all, source{r.name, pkg, file, string(text)})
			}
		}
	}
	return all, nil
}

// queue has the mutants to try: those with names, and the mutants of each room in a random order. Of
// a room, the first ones are tried, up to a given number. A mutant that does not compile is replaced
// by the next one of the room.
type queue struct {
	named []*mutant
	rooms map[string][]*mutant
	share map[string]int // by room: the number of mutants to try
}

func draw(files []source, number int, seed uint64) (*queue, error) {
	q := &queue{rooms: map[string][]*mutant{}, share: map[string]int{}}
	all := 0
	for _, f := range files {
		ms, err := mutantsOf(f.room, f.pkg, f.file, f.text)
		if err != nil {
			return nil, err
		}
		q.rooms[f.room] = append(q.rooms[f.room], ms...)
		all += len(ms)
	}
	for _, n := range names {
		m, err := n.find(files)
		if err != nil {
			return nil, err
		}
		q.named = append(q.named, m)
	}
	for _, r := range rooms {
		ms := q.rooms[r.name]
		slices.SortFunc(ms, func(a, b *mutant) int {
			return cmp.Or(cmp.Compare(a.rank(seed), b.rank(seed)), cmp.Compare(a.ID, b.ID))
		})
		q.share[r.name] = (number*len(ms) + all/2) / max(1, all)
	}
	return q, nil
}

// rank returns the place of a mutant in the random order of its room. It depends on this mutant and
// the seed only, so if a line changes, the same other mutants are drawn.
func (m *mutant) rank(seed uint64) uint64 {
	h := sha256.Sum256(fmt.Append(nil, seed, " ", m.ID))
	return binary.BigEndian.Uint64(h[:])
}

func (q *queue) keep(is func(*mutant) bool) {
	gone := func(m *mutant) bool { return !is(m) }
	q.named = slices.DeleteFunc(q.named, gone)
	for name, ms := range q.rooms {
		q.rooms[name] = slices.DeleteFunc(ms, gone)
	}
}

// upTo returns the mutants that try would try if all of them compiled.
func (q *queue) upTo() []*mutant {
	all := slices.Clone(q.named)
	for _, r := range rooms {
		all = append(all, q.rooms[r.name][:min(q.share[r.name], len(q.rooms[r.name]))]...)
	}
	return all
}

// try tries the mutants, taking one of each room in turn, so that a run that is stopped has tried
// some of each.
func (q *queue) try(ctx context.Context, b *book, limit duration) (tried []outcome, err error) {
	take := func(m *mutant) (outcome, error) {
		if o, known := b.of[m.ID]; known {
			o.mutant = m
			return o, nil
		}
		o, err := attempt(ctx, m, limit)
		if err == nil && ctx.Err() == nil {
			err = b.write(o)
			fmt.Printf("%-12s %5.0f s  %s\n", o.Verdict, o.Seconds, m)
		}
		return o, err
	}
	for _, m := range q.named {
		o, err := take(m)
		if err != nil || ctx.Err() != nil {
			return tried, err
		}
		tried = append(tried, o)
	}
	at, got := map[string]int{}, map[string]int{}
	for more := true; more; {
		more = false
		for _, r := range rooms {
			ms := q.rooms[r.name]
			if got[r.name] >= q.share[r.name] || at[r.name] >= len(ms) {
				continue
			}
			more = true
			m := ms[at[r.name]]
			at[r.name]++
			o, err := take(m)
			if err != nil || ctx.Err() != nil {
				return tried, err
			}
			if o.Verdict != noBuild {
				got[r.name]++
				tried = append(tried, o)
			}
		}
	}
	return tried, nil
}

// attempt builds mutant m and runs the tests of its room, until one fails or the time limit is
// over.
func attempt(ctx context.Context, m *mutant, limit duration) (outcome, error) {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(dir)
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {m.File: changed}})
	if err == nil {
		err = os.WriteFile(changed, []byte(m.text), 0o644)
	}
	if err == nil {
		err = os.WriteFile(overlay, text, 0o644)
	}
	if err != nil {
		return outcome{}, err
	}
	o := outcome{ID: m.ID, mutant: m, Room: m.Room, Verdict: survived, Told: fmt.Sprint(m)}
	if out, err := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, m.Package).CombinedOutput(); err != nil {
		o.Verdict, o.By = noBuild, firstLine(string(out))
		return o, nil
	}
	i := slices.IndexFunc(rooms, func(r room) bool { return r.name == m.Room })
	o.look(ctx, order(m, rooms[i].tests), dir, overlay, limit)
	return o, nil
}

// order puts the tests of the mutant's own package first, since little must be built for them. If
// these tests are the last ones of the room, because they take the longest, they stay there.
func order(m *mutant, tests []string) []string {
	own := "." + strings.TrimPrefix(m.Package, "macemc")
	if slices.Contains(tests, own+" "+slow) {
		return tests
	}
	if slices.Contains(tests, own) {
		tests = slices.DeleteFunc(slices.Clone(tests), func(t string) bool { return t == own })
	}
	if with, err := filepath.Glob(filepath.Join(filepath.Dir(m.File), "*_test.go")); err != nil || len(with) == 0 {
		return tests
	}
	return append([]string{own}, tests...)
}

func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "#") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
