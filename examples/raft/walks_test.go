package raft

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"strings"
	"testing"

	"macemc/internal/world"
	"macemc/sim"
)

var (
	walks        = flag.Int("walks", 0, "how many walks of 2,000 steps TestConfigurations takes in each `configuration`; 0: a few short ones")
	walksJournal = flag.String("walks-journal", "", "write into this `file` how far TestConfigurations came, and go on from there")
)

// progress has the numbers of walks and of steps that were taken in a configuration, and the length of the
// longest recovery.
type progress struct{ Walks, Steps, Longest int }

const noteEvery = 200 // walks

// configurations are ways in which users drive the library. Each stands for a few.
var configurations = []struct {
	nodes    int
	settings string
	faults   string
}{
	{1, "elections=ticks compact=2 proposals=6 reads=3", "crash=3"},
	{3, "elections=ticks proposals=4 reads=4", "crash=2,loss=4,dup=4,reorder=4,partition=1"},
	{3, "elections=prevote proposals=4 reads=4 transfers=2", "crash=2,loss=4,dup=4,reorder=4,partition=1"},
	{5, "elections=quorum proposals=5 reads=5", "crash=3,loss=4,dup=4,reorder=4,partition=1,oneway=1"},
	{3, "elections=both proposals=6 reads=3 compact=2 storage=files ready=later", "crash=3,loss=4,dup=4,reorder=4,partition=1"},
	{4, "elections=ticks members=learner proposals=4 reads=4 compact=2", "crash=2,loss=4,dup=4,reorder=4,partition=1"},
	{4, "elections=both members=joint proposals=4 reads=4 ready=later", "crash=2,loss=4,dup=4,reorder=4,partition=1"},
	{4, "members=leave proposals=4 reads=4 apply=slow transfers=2", "crash=2,loss=4,dup=4,reorder=4,partition=1"},
	{5, "elections=prevote members=shrink proposals=5 reads=5 apply=slow compact=3", "crash=2,loss=4,dup=4,reorder=4,partition=1"},
	{3, "elections=quorum members=remove proposals=6 reads=3 apply=slow ready=later compact=1 storage=files", "crash=3,loss=4,dup=4,reorder=4"},
	{3, "elections=ticks members=shrink removal=goes-on proposals=3", "crash=1,loss=2,dup=2,reorder=2"},
	{4, "elections=both members=replace proposals=4 reads=4 retry=fresh", "crash=2,loss=4,dup=4,reorder=4,partition=1"},
	{3, "elections=ticks proposals=3 reads=3 retry=twice compact=2", "crash=2,loss=4,dup=4,reorder=4,partition=1"},
	{3, "elections=ticks members=learner proposals=3 reads=3", "crash=2,down=1,loss=4,dup=4,reorder=4,partition=1"},
	{4, "elections=prevote members=learner proposals=4 compact=2", "crash=2,down=1,loss=4,dup=4,reorder=4,partition=1,pause=1"},
	{4, "elections=both members=joint proposals=4 reads=4", "crash=2,down=1,loss=4,dup=4,reorder=4,partition=1"},
	{5, "members=leave proposals=5 apply=slow transfers=2", "crash=2,down=1,loss=4,dup=4,reorder=4,partition=1"},
	{5, "elections=quorum members=shrink proposals=5 reads=5 storage=files", "crash=2,down=1,loss=4,dup=4,reorder=4,partition=1"},
	{4, "members=replace proposals=4 removal=goes-on", "crash=2,down=1,loss=4,dup=4,reorder=4,partition=1"},
	{4, "elections=ticks members=remove proposals=4 reads=4", "crash=2,down=1,loss=4,dup=4,reorder=4,partition=1"},
}

// In each of twenty configurations no property is violated while faults happen, and after they have ended every
// walk becomes live.
func TestConfigurations(t *testing.T) {
	came := readJournal(t)
	for _, c := range configurations {
		t.Run(c.settings, func(t *testing.T) {
			faults, err := sim.ParseFaults(c.faults)
			if err != nil {
				t.Fatal(err)
			}
			d := drive(t, c.nodes, strings.Fields(c.settings), nil, world.Config{Conditions: sim.Conditions{Faults: &faults}})
			n, steps := *walks, 2_000
			if n == 0 {
				n, steps = 12, 400
			}
			p := came[c.settings]
			for p.Walks < n {
				more := d.survives(t, moods[p.Walks%len(moods)].mood, p.Walks, steps)
				p = progress{p.Walks + 1, p.Steps + steps + more, max(p.Longest, more)}
				if p.Walks%noteEvery == 0 || p.Walks == n {
					came[c.settings] = p
					writeJournal(t, came)
				}
			}
			t.Logf("%d servers, faults %s: %d walks, %d steps; live at most %d steps after the faults ended", c.nodes, c.faults, p.Walks, p.Steps, p.Longest)
		})
	}
}

func readJournal(t *testing.T) map[string]progress {
	came := map[string]progress{}
	if *walksJournal == "" {
		return came
	}
	b, err := os.ReadFile(*walksJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return came
	}
	if err == nil {
		err = json.Unmarshal(b, &came)
	}
	if err != nil {
		t.Fatal(err)
	}
	return came
}

func writeJournal(t *testing.T, came map[string]progress) {
	if *walksJournal == "" {
		return
	}
	b, err := json.MarshalIndent(came, "", "  ")
	if err == nil {
		err = os.WriteFile(*walksJournal, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
