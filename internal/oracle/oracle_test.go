package oracle

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"macemc/internal/long"
	"macemc/internal/spec"
)

var (
	campaign = flag.Uint64("campaign", 0, "compare as many random systems, from where the journal ends")
	least    = flag.Int("least", 0, "leave out systems of fewer states than this in a campaign, which then compares up to eight times this number of states of each")
	journal  = flag.String("journal", "", "where a campaign notes how far it is; it goes on from there")
	one      = flag.Int64("seed", -1, "compare the system of this seed, and make it smaller if it differs")
)

// The number of random systems that TestRandomSystems compares, and the numbers of states to which spaces
// are compared.
const (
	seeds = 80
	small = 150
	large = 400
)

// enough is the number of systems that differ after which a test ends, since reporting more takes long.
const enough = 3

// seldom has seeds of systems with features that the first systems do not have. For example, the space of
// 663 depends on whether timers are free, and in 206 and 866 nodes that store nothing crash within a step.
var seldom = []uint64{130, 165, 176, 201, 206, 242, 284, 308, 436, 663, 866}

// TestRandomSystems compares searches of random systems with the oracle. By
// default it takes a quarter of the systems, each in a part of the modes; with
// -long it takes all in all modes, and they must have each of the features.
func TestRandomSystems(t *testing.T) {
	n := long.Of(seeds/8, seeds)
	met := map[string]int{}
	var all []uint64
	for seed := range n {
		all = append(all, uint64(seed))
	}
	differ := 0
	for _, seed := range append(all, seldom...) {
		modes := Modes(nil)
		if !*long.On {
			modes = ByTurns(modes, seed)
		}
		res := Compare(spec.Draw(seed), small, modes)
		add(met, res)
		for _, d := range res.Differences {
			t.Errorf("seed %d: %s", seed, d)
		}
		if differ += min(1, len(res.Differences)); differ == enough {
			t.Fatalf("%d systems differ, and the others are left out", enough)
		}
	}
	for _, what := range features {
		if met[what] == 0 && *long.On {
			t.Errorf("no system has or meets %q", what)
		}
	}
}

// features lists the features that must occur in the systems of TestRandomSystems.
var features = []string{
	"a comparison falls on a rare side", "a comparison is a choice", "a comparison is settled", "action", "all findings", "barred by set", "break", "clear to send", "crash", "datagram too many", "a line for the trace", "a sync fails", "an append fails", "dead", "declined by tcp", "delete", "disk: a hole", "disk: in any order", "disk: damaged", "down", "duplicate",
	"error", "exact critical step", "exhausted", "exhausted within", "flushed", "gathered", "has assume", "has clone", "has each", "has early", "has free timers", "has keeps", "has layered",
	"has limits", "has method values", "has messages seen", "has overridden links", "has table", "has weight 0", "join", "leave", "live", "lose", "mend", "message by bag", "message by set", "message by tcp", "message by udp", "one-way partition", "opening waits", "partition", "pause", "prefix",
	"rare side", "refused", "reorder", "replayed as dead", "replayed as none", "reset", "reset by a handler", "restart", "resume", "script", "send refused", "task", "timer", "timer held back", "timer out of order", "truncate",
	"unreached", "waits for a paused node", "waits in a bag", "waits on a slow link", "within a step", "within a step, for good", "wipe", "disk: all", "disk: not", "disk: wri", "walks: dead", "walks: panic", "walks: safety", "wrong: dead eventually", "wrong: panic ", "wrong: safety always", "wrong: safety monitor", "wrong: safety steps",
}

func add(met map[string]int, res *Result) {
	for what := range res.Features {
		met[what]++
	}
}

// TestKept compares the kept systems: each is the smallest form of a system on which a search and the oracle
// once disagreed.
func TestKept(t *testing.T) {
	differ := 0
	for _, k := range Kept() {
		all := Compare(k.Spec, large, Modes(nil)).Differences
		for _, d := range all {
			t.Errorf("%s: %s\n%s", k.Why, d, k.Spec)
		}
		if differ += min(1, len(all)); differ == enough {
			t.Fatalf("%d systems differ, and the others are left out", enough)
		}
	}
}

// TestSeed compares one system, for a developer who examines a difference. It makes the system smaller as
// long as the difference stays.
func TestSeed(t *testing.T) {
	if *one < 0 {
		t.Skip("it is about one seed: -seed")
	}
	s := spec.Draw(uint64(*one))
	res := Compare(s, large, Modes(nil))
	t.Logf("%d states, %d transitions, %v", res.States, res.Transitions, slices.Sorted(maps.Keys(res.Features)))
	if len(res.Differences) == 0 {
		return
	}
	t.Errorf("%s", strings.Join(res.Differences, "\n"))
	mode, _, _ := strings.Cut(res.Differences[0], ": ")
	modes := slices.DeleteFunc(Modes(nil), func(m Mode) bool { return m.Name != mode })
	least := spec.Shrink(s, func(s *spec.Spec) bool { return sameKind(Compare(s, large, modes).Differences, res.Differences[0]) })
	t.Logf("the least that differs so: %s\n%s", strings.Join(Compare(least, large, modes).Differences, "\n"), least)
}

// sameKind reports whether all has a difference that is the same as as, apart from numbers.
func sameKind(all []string, as string) bool {
	kind := func(d string) string {
		d = strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, d)
		return d[:min(len(d), 40)]
	}
	return slices.ContainsFunc(all, func(d string) bool { return kind(d) == kind(as) })
}

// progress is the journal of a campaign.
type progress struct {
	Next                uint64 // the next seed
	Sizes               []int  // the numbers of states of the systems that were compared, if small ones are left out
	States, Transitions int
	Met                 map[string]int
	Different           []uint64
}

// TestCampaign compares many systems: see CONTRIBUTING.md.
func TestCampaign(t *testing.T) {
	if *campaign == 0 {
		t.Skip("it takes a night: make campaign-random")
	}
	p := &progress{Met: map[string]int{}}
	p.load(t)
	p.Different = slices.DeleteFunc(p.Different, func(seed uint64) bool { return len(inCampaign(seed).Differences) == 0 })
	for p.compared() < *campaign {
		p.chunk(t)
		p.save(t)
		fmt.Printf("%d systems%s, %d states, %d transitions, %d differ %v\n", p.compared(), p.median(), p.States, p.Transitions, len(p.Different), p.Different)
	}
	for _, what := range slices.Sorted(maps.Keys(p.Met)) {
		fmt.Printf("%8d  %s\n", p.Met[what], what)
	}
	if len(p.Different) > 0 {
		t.Errorf("the systems of these seeds differ: %v", p.Different)
	}
}

// compared returns how many systems were compared.
func (p *progress) compared() uint64 {
	if *least > 0 {
		return uint64(len(p.Sizes))
	}
	return p.Next
}

// median describes the sizes of the systems, if small ones are left out.
func (p *progress) median() string {
	if len(p.Sizes) == 0 {
		return ""
	}
	sizes := slices.Sorted(slices.Values(p.Sizes))
	return fmt.Sprintf(" of %d seeds, with %d to %d states and a median of %d", p.Next, sizes[0], sizes[len(sizes)-1], sizes[len(sizes)/2])
}

// inCampaign compares the system of a seed in a few modes, mostly on a small space: a campaign finds more by
// many systems than by all modes or large spaces. It returns nil if the system is left out.
func inCampaign(seed uint64) *Result {
	most := small
	switch {
	case *least > 0:
		most = 8 * *least
		if s := spec.Draw(seed); NewModel(s, nil).Explore(most).States < *least {
			return nil
		}
	case seed%4 == 0:
		most = large
	}
	return Compare(spec.Draw(seed), most, ByTurns(Modes(nil), seed/4))
}

// chunk compares the next systems, on all processors.
func (p *progress) chunk(t *testing.T) {
	const chunk = 50
	end := p.Next + chunk
	if *least == 0 {
		end = min(end, *campaign)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	next := p.Next
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				mu.Lock()
				seed := next
				next++
				mu.Unlock()
				if seed >= end {
					return
				}
				res := inCampaign(seed)
				if res == nil {
					continue
				}
				mu.Lock()
				if add(p.Met, res); *least > 0 {
					p.Sizes = append(p.Sizes, res.States)
				}
				p.States += res.States
				p.Transitions += res.Transitions
				if len(res.Differences) > 0 {
					p.Different = append(p.Different, seed)
					t.Logf("seed %d:\n  %s", seed, strings.Join(res.Differences, "\n  "))
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	p.Next = end
}

func (p *progress) load(t *testing.T) {
	text, err := os.ReadFile(*journal)
	if os.IsNotExist(err) || *journal == "" {
		return
	}
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (p *progress) save(t *testing.T) {
	if *journal == "" {
		return
	}
	text, err := json.Marshal(p)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(*journal), 0o755)
	}
	if err == nil {
		err = os.WriteFile(*journal+".new", text, 0o644)
	}
	if err == nil {
		err = os.Rename(*journal+".new", *journal)
	}
	if err != nil {
		t.Fatal(err)
	}
}
