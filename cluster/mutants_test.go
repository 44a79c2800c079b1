package cluster

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"macemc/internal/long"
)

type mutant struct{ name, tests, file, old, by string }

// mutants are changes of the protocol that the tests must notice.
var mutants = []mutant{
	{"acknowledged before the result is stored", "DiesBetween", "worker.go", `	w.reaches("taken", id)`, `	_ = m.Ack(); w.reaches("taken", id)`},
	{"the last writer wins", "Parts", "server.go", `kv.Create(ctx, key, append(first, part...))`, `kv.Put(ctx, key, append(first, part...))`},
	{"coordinators have the same epoch", "Earlier", "coordinator.go", `uint64(time.Now().UnixNano()) //`, `7 //`},
	{"a lot is over while it is under way", "ComeToTheSame", "worker.go", `now.lot > lot)`, `now.lot >= lot)`},
	{"a result that never comes is not missed", "LostSpan", "coordinator.go", `lost = append(lost, k)`, `_ = k`},
	{"results in the order in which they come", "ComeToTheSame", "coordinator.go", `r, is := l.waiting[l.id(l.next)]; is`, `r, is := l.any(); is`},
	{"a poisonous walk is not left out", "Poison", "worker.go", `if n >= deathsMost {`, `if n >= 1000*deathsMost {`},
	{"visited states are recorded before their successors are stored", "VisitorDies", "visit.go", `	if err := s.store(ctx, batches); err != nil {
		return err
	}
	if err := s.relies(ctx); err != nil {
		return err
	}
	s.reaches("passed", id)
	h.read = read
	if err := s.append(ctx, k, h, of); err != nil {`, `	h.read = read
	if err := s.append(ctx, k, h, of); err != nil {
		return err
	}
	s.reaches("passed", id)
	if err := s.store(ctx, batches); err != nil {
		return err
	}
	if err := s.relies(ctx); err != nil {`},
	{"states are acknowledged before the visited ones are recorded", "VisitorDies", "visit.go", `	s.reaches("passed", id)
	h.read = read`, `	h.read = read
	if empty, err := s.remote.Record(k); err != nil || s.append(ctx, k, h, empty) != nil {
		return err
	}
	s.reaches("passed", id)`},
	{"a record does not wait for states that another goroutine stores", "VisitorRelies", "visit.go", `return s.remote.Stored(ctx)`, `go s.remote.Stored(ctx); return nil`},
	{"records of an earlier owner are accepted", "ZombieVisitor", "visit.go", `, jetstream.WithExpectLastSequence(h.last))`, `)`},
	{"a level ends in one pass", "LevelEnds", "space.go", `, jetstream.WithExpectLastSequence(next[k]))`, `)`},
	{"states at which an owner ended are visited in the same process", "PoisonousState", "visit.go", `alone: now.Owners[k].Alone`, `alone: false`},
	{"a state is left out, and the states it leads to are not missed", "PoisonousState", "../internal/search/shards.go", `	case s.leftOut() > 0:
		safety.State = StateIncomplete
`, ``},
	{"what an item of runs leaves is lost", "RunsComeToTheSame", "../internal/search/subtree.go", `p.came.Rest = append(p.came.Rest, p.here(depth))`, ``},
	{"redelivered spans are taken in the same process", "Poison", "worker.go", `errors.Is(err, jetstream.ErrKeyExists):`, `false:`},
}

// Each of the mutants is caught, by tests that pass without it.
func TestMutantsAreCaught(t *testing.T) {
	if !*long.On {
		t.Skip("each is compiled and tested: some 15 s; -long takes them")
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) { m.caught(t) })
	}
}

// caught checks that a test fails with the mutant.
func (m *mutant) caught(t *testing.T) {
	text, err := os.ReadFile(m.file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), m.old) != 1 {
		t.Fatalf("%q stands in %s %d times, want once", m.old, m.file, strings.Count(string(text), m.old))
	}
	dir := t.TempDir()
	changed := strings.Replace(string(text), m.old, m.by, 1)
	if strings.Contains(m.by, "l.any()") {
		changed += "\nfunc (l *lot) any() (result, bool) {\n\tfor _, r := range l.waiting {\n\t\treturn r, true\n\t}\n\treturn result{}, false\n}\n"
	}
	file, err := filepath.Abs(m.file)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: filepath.Join(dir, filepath.Base(m.file))}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{filepath.Base(m.file): []byte(changed), "overlay.json": overlay} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-count=1", "-run", m.tests, "-timeout", "5m", "-overlay", filepath.Join(dir, "overlay.json"), ".")
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Contains(string(out), "[build failed]") {
		t.Errorf("not caught (%v):\n%s", err, out)
	}
}
