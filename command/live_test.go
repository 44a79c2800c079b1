package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// The end of a run names the safety properties that held, and those that it could not judge.
func TestLiveNamesWhatHeld(t *testing.T) {
	t.Chdir(t.TempDir())
	out, errs, _ := execute(words("live dispatcher --in-process --time 300ms --pace 0.02 --seed 1")...)
	for _, want := range []string{
		`held: "at most one replica is the head", "a request is applied once, and before it is answered", in each of `,
		`not judged live, since one run cannot decide it: "every request is answered"; search does`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("live does not say %s: %s%s", want, out, errs)
		}
	}
}

// A real run becomes a path, and every command for paths takes it.
func TestLiveRunIsAPath(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	out, errs, status := execute(words("live brokentree --in-process --time 700ms --pace 0.02 --seed 1 --faults kill=100ms,loss=0.1 --faults-for 300ms --record run")...)
	for _, want := range []string{"3 nodes of brokentree run in this process, on 127.0.0.1", "n0 is killed", "healed: nodes that were killed or paused run again", "recorded: macemc merge run"} {
		if want == "n0 is killed" && strings.Contains(out, "is killed") {
			continue
		}
		if !strings.Contains(out, want) {
			t.Errorf("live does not say %q, status %d: %s%s", want, status, out, errs)
		}
	}
	out, errs, _ = execute(words("merge run")...)
	if !strings.Contains(out, "merged: ") || strings.Contains(out, "parted") {
		t.Fatalf("merge says %s%s", out, errs)
	}
	path := filepath.Join("run", "merged.path")
	for command, want := range map[string]string{
		"replay " + path:          "reproduced",
		"graph " + path:           "n0",
		"mdb " + path + " --at 3": "step 3",
	} {
		line := words(command)
		if line[0] == "mdb" {
			line = append(line, "-x", "show; next; diff")
		}
		if out, errs, status := execute(line...); status == exitInput || !strings.Contains(out, want) {
			t.Errorf("%s ends with %d: %s%s", command, status, out, errs)
		}
	}
}

// A file of faults whose last lines would never happen is refused.
func TestFaultsBeyondTheEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	put("bad-day.txt", "1s kill n0\n8s start n0\n")
	for flags, want := range map[string]string{
		"--time 10s":      "the last line of bad-day.txt is at 8s, and faults end after 6.667s, two thirds of --time 10s",
		"--faults-for 5s": "the last line of bad-day.txt is at 8s, and faults end after 5s, as --faults-for says",
	} {
		out, errs, status := execute(words("live brokentree --in-process --faults-at bad-day.txt " + flags)...)
		if status != exitInput || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %s%s; want %q", flags, status, out, errs, want)
		}
	}
}

// One node of a deployment serves its metrics and its health, logs in the format of its flags,
// and takes a book that grows.
func TestLiveNode(t *testing.T) {
	t.Chdir(t.TempDir())
	put("book", "n0 127.0.0.1:0\n")
	out, errs, status := execute(words("live brokentree --id 0 --book book --nodes 3 --time 50ms --log-format json --log-level info --metrics 127.0.0.1:0")...)
	for _, want := range []string{`"msg":"started","node":"n0"`, "serves /metrics, /healthz and /readyz", "n0 of brokentree runs at"} {
		if status != exitNothing || !strings.Contains(errs, want) {
			t.Errorf("status %d, no %q in %s%s", status, want, out, errs)
		}
	}
	for line := range strings.Lines(errs) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is no JSON: %s", line)
		}
	}
	for flags, want := range map[string]string{
		"--log-format xml":       `--log-format is "xml"; there are text and json`,
		"--log-level loud":       `--log-level is "loud"; there are debug, info, warn and error`,
		"--log-level info -v":    "--verbose implies --log-level debug",
		"--id 1 --book book":     "the book does not say where n1 is",
		"--id 0 --book book.txt": "the book cannot be read",
	} {
		if out, errs, status := execute(words("live brokentree --nodes 3 --time 50ms " + flags)...); status != exitInput || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %s%s; want %q", flags, status, out, errs, want)
		}
	}
}

// A run of live nodes that ended without recovering violates nothing, and is looked into as one that is
// suspected to be dead.
func TestCriticalOfALiveRun(t *testing.T) {
	t.Chdir(t.TempDir())
	if out, errs, status := execute(words("live brokentree --bug BT1 --in-process --time 200ms --pace 0.02 --seed 1 --record run")...); status != exitFound {
		t.Errorf("live: status %d, %s%s", status, out, errs)
	}
	if out, errs, status := execute(words("merge run")...); status != exitNothing {
		t.Fatalf("status %d, %s%s", status, out, errs)
	}
	out, errs, status := execute(words("critical run/merged.path --quiet")...)
	if status != exitNothing || !strings.HasPrefix(out, "brokentree with BT1: dead from the start") || !strings.Contains(out, "proved: every state") {
		t.Errorf("critical: status %d, %s%s", status, out, errs)
	}
	out, errs, _ = execute("mdb", "run/merged.path", "-x", "jump end; recovers")
	if !strings.Contains(out, "dead: proved") {
		t.Errorf("recovers: %s%s", out, errs)
	}
}
