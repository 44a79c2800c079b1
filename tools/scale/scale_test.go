package main

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the tables into docs/scale.md")

const (
	page  = "../../docs/scale.md"
	begin = "<!-- written by tools/scale -->\n"
	end   = "<!-- until here -->\n"
)

// docs/scale.md has the tables that the simulation prints.
func TestPage(t *testing.T) {
	var now strings.Builder
	tables(&now)
	shardTables(&now)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, is := strings.Cut(string(text), begin)
	old, after, also := strings.Cut(rest, end)
	if !is || !also {
		t.Fatalf("%s lacks the lines around the tables", page)
	}
	if *rewrite {
		if err := os.WriteFile(page, []byte(before+begin+now.String()+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != now.String() {
		t.Errorf("the tables of %s are old; write them again by: go test . -rewrite", page)
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
