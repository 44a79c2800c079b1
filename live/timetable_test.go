package live

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"macemc/sim"
)

// ledger is a fleet that records what happens to it.
type ledger struct{ lines []string }

func (l *ledger) note(format string, args ...any) error {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
	return nil
}

func (l *ledger) Kill(i int) error            { return l.note("kill %d", i) }
func (l *ledger) Restart(i int) error         { return l.note("start %d", i) }
func (l *ledger) Cut(side []int, oneWay bool) { _ = l.note("cut %v %v", side, oneWay) }
func (l *ledger) Climate(c Climate)           { _ = l.note("%s", c) }
func (l *ledger) Pause(i int, on bool) error  { return l.note("pause %d %v", i, on) }
func (l *ledger) Stop() error                 { return nil }

// The events of a timetable happen in its order, and at its end all is healed.
func TestTimetable(t *testing.T) {
	table, err := ReadTimetable(strings.NewReader(`
# a bad day
0s kill n2
0s partition n0 n1 | n2

1ms oneway n1
1ms weather loss=0.1 delay=2ms
2ms start n2
2ms mend
3ms pause n0
3ms kill n1
3ms down n2
`), 3)
	if err != nil {
		t.Fatal(err)
	}
	var l ledger
	var told []string
	if err := table.Run(t.Context(), &l, 3, func(what string) { told = append(told, what) }); err != nil {
		t.Fatal(err)
	}
	const want = "kill 2; cut [0 1] false; cut [1] true; loss=0.1,dup=0,reorder=0,reset=0,delay=2ms; start 2; cut [] false; pause 0 true; kill 1; kill 2; " +
		"loss=0,dup=0,reorder=0,reset=0,delay=0s; cut [] false; pause 0 false; pause 1 false; start 1; pause 2 false"
	if got := strings.Join(l.lines, "; "); got != want {
		t.Errorf("it does\n%s\nnot\n%s", got, want)
	}
	if len(told) != 10 || !slices.Equal(table.Fails(), []int{2}) || told[2] != "oneway n1" {
		t.Errorf("it tells %q", told)
	}

	l = ledger{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (Timetable{{At: time.Hour, What: "mend"}}).Run(ctx, &l, 1, func(string) {}); err != nil || len(l.lines) != 3 {
		t.Errorf("a timetable that is ended early does %q, %v", l.lines, err)
	}

	for text, why := range map[string]string{
		"":                        "list of faults is empty",
		"kill n0":                 "begins with a time",
		"2s kill n0\n1s start n0": "order them by time",
		"1s kill n3":              "one of n0 to n2",
		"1s kill n0 n1":           "one of n0 to n2",
		"1s start n0":             "n0 runs then",
		"1s kill n0\n2s pause n0": "n0 is down then",
		"1s pause n0\n2s kill n0": "n0 is paused then",
		"1s partition n0 n1 n2":   "the others behind |",
		"1s partition n0 | n0 n1": "not before it",
		"1s oneway | n0":          "the others behind |",
		"1s weather rain=1":       "there is no fault \"rain\" of links",
		"1s explode n0":           "there are kill",
		"1s":                      "there are kill",
	} {
		if _, err := ReadTimetable(strings.NewReader(text), 3); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q is read: %v", text, err)
		}
	}
}

// A cut in one direction stops datagrams in that direction alone. Connections need both directions, so none can
// be opened across it, not even by a node that is started while it lasts.
func TestOneWayCut(t *testing.T) {
	l := new(logs)
	h, err := Start(hearing(l, nil), Config{Params: sim.Params{Nodes: parityNodes}, Grace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Stop(); err != nil {
			t.Error(err)
		}
	}()
	ask := func(i int, what string) {
		t.Helper()
		if err := h.Node(i).Request(t.Context(), do(what)); err != nil {
			t.Fatal(err)
		}
	}
	h.Cut([]int{0}, true)
	if err := h.Kill(0); err != nil {
		t.Fatal(err)
	}
	if err := h.Restart(0); err != nil {
		t.Fatal(err)
	}
	ask(0, "udp n1 lost")
	ask(1, "udp n0 heard")
	eventually(t, "heard", func() bool { return l.count("n0", "n1") == 1 })
	ask(0, "sends n1 lost")
	eventually(t, "refused", func() bool { return l.count("n0", "n1") == 2 })
	h.Cut(nil, false)
	ask(0, "udp n1 again")
	eventually(t, "heard again", func() bool { return l.count("n1", "n0") == 1 })
	if got := l.String(); got != "n0: | heard refused;  n1: again;  n2:" {
		t.Errorf("they hear %q", got)
	}
}
