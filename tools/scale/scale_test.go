package main

import (
	"flag"
	"io"
	"math"
	"os"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the tables into docs/scale.md")

const (
	begin = "<!-- written by tools/scale -->\n"
	end   = "<!-- until here -->\n"
)

// docs/scale.md and BENCHMARKS.md have the tables that the simulations print.
func TestPages(t *testing.T) {
	for page, print := range map[string]func(io.Writer){
		"../../docs/scale.md": func(w io.Writer) { tables(w); shardTables(w) },
		"../../BENCHMARKS.md": coreTables,
	} {
		var now strings.Builder
		print(&now)
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, is := strings.Cut(string(text), begin)
		old, after, also := strings.Cut(rest, end)
		switch {
		case !is || !also:
			t.Errorf("%s lacks the lines around the tables", page)
		case *rewrite:
			if err := os.WriteFile(page, []byte(before+begin+now.String()+end+after), 0o666); err != nil {
				t.Fatal(err)
			}
		case old != now.String():
			t.Errorf("the tables of %s are old; write them again by: go test . -rewrite", page)
		}
	}
}

// Searches by many hands whose outcome is plain: without any costs 64 hands are nearly 64 times as fast, a level that
// one hand expands takes as long with 64, and the set that one hand moves makes all others wait.
func TestPlainSearches(t *testing.T) {
	d := design{chunk: chunks(1), least: 2}
	s := searched{state: 1000, levels: []int{64_000}}
	speed := func() float64 {
		one, _ := expand(&s, times{}, d, 1)
		many, _ := expand(&s, times{}, d, 64)
		return one / many
	}
	if got := speed(); got < 58 || got > 64 {
		t.Errorf("without costs, 64 hands are %.1f times as fast", got)
	}
	d.least = 100_000
	if got := speed(); got != 1 {
		t.Errorf("where one hand expands the level, 64 are %.1f times as fast", got)
	}
	d.least, s.levels = 2, []int{64_000, 64_000}
	moved := times{slot: 1000}
	alone, lost := expand(&s, moved, d, 64)
	d.grows = true
	together, _ := expand(&s, moved, d, 64)
	if lost.worst() != "the set grows" || alone < 20*together {
		t.Errorf("one hand that moves the set takes %.0f, all hands %.0f; most is lost by %s", alone, together, lost.worst())
	}
}

// Setups whose outcome is plain: without any costs walks take all time of one goroutine, the cost of each
// walk at the coordinator bounds the walks in a second, and a server that is too slow bounds the calls.
func TestPlainSetups(t *testing.T) {
	lot := func(int) int { return 1000 }
	free := setup{workers: 1, each: 1, walk: 100, span: 1000, lot: lot, lots: 5}
	if o := simulate(free); math.Abs(o.efficiency-1) > 1e-9 || math.Abs(o.walks-1e4) > 500 {
		t.Errorf("without costs: %+v", o)
	}
	folds := free
	folds.workers, folds.fold = 64, 50
	if o := simulate(folds); math.Abs(o.walks-2e4) > 500 || o.coordinator < 0.95 {
		t.Errorf("the coordinator adds 20,000 walks in a second: %+v", o)
	}
	calls := free
	calls.workers, calls.create = 64, 1000
	if o := simulate(calls); o.server < 0.95 || o.calls > 3000 {
		t.Errorf("the server takes 1,000 results in a second: %+v", o)
	}
	late := free
	late.workers, late.walk, late.span = 2000, 1000, 1
	if o := simulate(late); o.efficiency > 0.5*1000/2000 {
		t.Errorf("2,000 goroutines for 1,000 walks, and all wait for the longest: %+v", o)
	}
}

// A goroutine learns what a lot adds once, and a process reads it once.
func TestCorpusIsReadOnce(t *testing.T) {
	s := setup{workers: 16, each: 8, walk: 100, span: 1000, lot: func(int) int { return 1600 }, lots: 2, corpus: true}
	s.byteCost, s.bytes, s.learn = 1, 1, 0
	apart := s
	apart.each = 1
	// In the second lot each process reads 1,600 bytes.
	a, b := simulate(s), simulate(apart)
	if a.server >= b.server/2 {
		t.Errorf("2 processes: %+v; 16 processes: %+v", a, b)
	}
}

// Spaces whose outcome is plain: without costs visiting takes all time of the goroutines that have shards, and
// a server that is too slow bounds what is stored.
func TestPlainSpaces(t *testing.T) {
	s := space{workers: 4, shards: 8, states: 80_000, levels: 2, visit: 100}
	if o := simulateShards(s); math.Abs(o.efficiency-1) > 1e-9 || math.Abs(o.walks-4e4) > 1 {
		t.Errorf("without costs: %+v", o)
	}
	few := s
	few.workers = 16
	if o := simulateShards(few); math.Abs(o.efficiency-0.5) > 1e-9 {
		t.Errorf("8 shards for 16 goroutines: %+v", o)
	}
	slow := s
	slow.publish = 1e5 // each group stores 8 messages and a record, and each shard has 3 groups and a mark
	if o := simulateShards(slow); o.server < 0.9 || o.walks > 80_000/((8*3*9+8)*0.1) {
		t.Errorf("a server that stores 10 messages in a second: %+v", o)
	}
}
