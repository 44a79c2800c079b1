//go:build unix

package cluster

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	campaignKills   = flag.Int("campaign", 0, "kill at least that many times with one copy of everything, and as often with three")
	campaignJournal = flag.String("campaign-journal", "", "keep what was done in `FILE`, and go on from there")
)

// faultGroup is a group of searches of one kind, and the processes that are killed during them.
type faultGroup struct {
	copies  int // of everything, in as many servers; 1 is the coordinator's own server
	of      string
	victims string
}

func (g faultGroup) String() string {
	return fmt.Sprintf("%s, R=%d, killed: %s", g.of, g.copies, g.victims)
}

const (
	ofWalks  = "walks"
	ofShards = "states in shards"
)

// faultGroups returns the groups of a campaign.
func faultGroups() (all []faultGroup) {
	for _, of := range []string{ofWalks, ofShards} {
		for _, victims := range []string{"a worker", "the coordinator", "everything", "nobody, but a worker is held up", "at random"} {
			all = append(all, faultGroup{1, of, victims})
		}
		for _, victims := range []string{"a worker", "the coordinator", "a server", "all servers", "at random"} {
			all = append(all, faultGroup{3, of, victims})
		}
	}
	return all
}

// faultRun is a search of a campaign.
type faultRun struct {
	Group string
	Kills int
	Equal bool
	Note  string // what happened, in order
}

// journal has the searches of a campaign that have ended.
type journal struct {
	t    *testing.T
	Runs []faultRun
}

func openJournal(t *testing.T) *journal {
	j := &journal{t: t}
	text, err := os.ReadFile(*campaignJournal)
	if err == nil {
		err = json.Unmarshal(text, j)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return j
}

func (j *journal) add(r faultRun) {
	j.t.Helper()
	j.Runs = append(j.Runs, r)
	if *campaignJournal == "" {
		return
	}
	text, err := json.MarshalIndent(j, "", "\t")
	if err == nil {
		err = os.WriteFile(*campaignJournal+".new", text, 0o666)
	}
	if err == nil {
		err = os.Rename(*campaignJournal+".new", *campaignJournal)
	}
	if err != nil {
		j.t.Fatal(err)
	}
}

// of returns the runs of a group, their kills, and whether all were equal.
func (j *journal) of(group string) (runs, kills int, equal bool) {
	equal = true
	for _, r := range j.Runs {
		if r.Group == group {
			runs, kills, equal = runs+1, kills+r.Kills, equal && r.Equal
		}
	}
	return runs, kills, equal
}

// table prints a row for each group that was run.
func (j *journal) table(groups []string) string {
	yes := map[bool]string{true: "yes", false: "NO"}
	var b strings.Builder
	fmt.Fprintf(&b, "\n| group | runs | kills | all equal? |\n|---|---:|---:|---|\n")
	for _, g := range groups {
		if runs, kills, equal := j.of(g); runs > 0 {
			fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", g, runs, kills, yes[equal])
		}
	}
	return b.String()
}

const changedProtocols = "changed protocols, each noticed by a test"

// TestFaultCampaign kills processes at random times in searches of all groups by turns, compares each search
// with one of one process, and then changes the protocol in ways that the tests must notice. It prints a
// table of the groups.
func TestFaultCampaign(t *testing.T) {
	if *campaignKills == 0 {
		t.Skip("it takes hours; -campaign N kills N times")
	}
	j := openJournal(t)
	var names []string
	for _, g := range faultGroups() {
		names = append(names, g.String())
	}
	names = append(names, changedProtocols)
	defer func() { fmt.Print(j.table(names)) }()
	want := map[string]map[string]any{}
	for _, copies := range []int{1, 3} {
		for j.kills(copies) < *campaignKills {
			g := j.next(copies)
			n, _, _ := j.of(g.String())
			t.Run(fmt.Sprintf("%s/%d", g, n), func(t *testing.T) {
				r := faultRun{Group: g.String(), Note: "it did not end as it should"}
				defer func() { j.add(r) }()
				g.run(t, uint64(n), want, &r)
				t.Logf("%d kills, equal: %v; %s", r.Kills, r.Equal, r.Note)
			})
		}
	}
	for _, m := range mutants {
		if j.has(m.name) {
			continue
		}
		r := faultRun{Group: changedProtocols, Note: m.name}
		r.Equal = t.Run(m.name, func(t *testing.T) { m.caught(t) })
		j.add(r)
	}
}

func (j *journal) has(note string) bool {
	for _, r := range j.Runs {
		if r.Note == note {
			return true
		}
	}
	return false
}

// kills returns the number of processes that were killed in the groups with this number of copies.
func (j *journal) kills(copies int) (n int) {
	for _, g := range faultGroups() {
		if _, kills, _ := j.of(g.String()); g.copies == copies {
			n += kills
		}
	}
	return n
}

// next returns the group with the fewest runs.
func (j *journal) next(copies int) (least faultGroup) {
	fewest := -1
	for _, g := range faultGroups() {
		if runs, _, _ := j.of(g.String()); g.copies == copies && (fewest < 0 || runs < fewest) {
			least, fewest = g, runs
		}
	}
	return least
}

// run takes the n-th search of a group.
func (g faultGroup) run(t *testing.T, n uint64, want map[string]map[string]any, is *faultRun) {
	h := fnv.New64()
	_, _ = h.Write([]byte(g.String()))
	r := rand.New(rand.NewPCG(n, h.Sum64()))
	line, flags := lines[n%2], "--no-work"
	if g.of == ofShards {
		line, flags = lines[2+n%2], flags+" --shards 3"
	}
	if want[line] == nil {
		want[line] = start(t, t.TempDir(), "search "+line+" --json --quiet").wait(t).result(t)
	}
	var servers *replicas
	if g.copies > 1 {
		servers = newReplicas(t)
		flags += fmt.Sprintf(" --cluster %s --replicas %d --synced", servers.url, g.copies)
	}
	c := newCrew(t, line, flags, 2)
	defer c.end()
	is.Note = line + ":"
	for range 5 {
		if !c.goOn(1 + r.IntN(40)) {
			break
		}
		victims := g.victims
		for victims == "at random" {
			victims = faultGroups()[r.IntN(len(faultGroups()))].victims
			if g.copies == 1 && strings.Contains(victims, "server") {
				victims = "at random"
			}
		}
		is.Note += " " + victims + ";"
		is.Kills += c.suffers(victims, r, servers)
	}
	got := c.coordinator.wait(t).result(t)
	expected := want[line]
	if g.of == ofShards {
		expected, got = ofStates(expected), ofStates(got)
	}
	diff := cmp.Diff(expected, got)
	if is.Equal = diff == ""; !is.Equal {
		is.Note += "\n" + diff
		t.Errorf("%s: another result (-alone +cluster):\n%s", is.Note, diff)
	}
}

// suffers causes the fault what in a crew, and returns the number of processes that it has killed.
func (c *crew) suffers(what string, r *rand.Rand, servers *replicas) (kills int) {
	switch what {
	case "a worker":
		c.killWorker(r.IntN(len(c.workers)))
		return 1
	case "the coordinator":
		c.resume()
		return 1
	case "everything":
		for _, w := range c.workers {
			w.signal(syscall.SIGKILL)
		}
		c.resume()
		c.killWorkers()
		return 1 + len(c.workers)
	case "a server":
		servers.again(r.IntN(len(servers.all)))
		return 1
	case "all servers":
		for _, p := range servers.all {
			p.signal(syscall.SIGKILL)
		}
		for k := range servers.all {
			servers.again(k)
		}
		return len(servers.all)
	default:
		w := c.workers[r.IntN(len(c.workers))]
		w.signal(syscall.SIGSTOP)
		time.AfterFunc(2*brisk.ack, func() { w.signal(syscall.SIGCONT) })
		return 0
	}
}
