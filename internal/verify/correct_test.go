package verify

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"macemc/internal/catalog"
	"macemc/internal/contract"
	"macemc/internal/search"
	"macemc/sim"
)

var (
	correct  = flag.Duration("correct", 0, "search each correct system for this time of the processor, some of them four times as long, from where the folder says")
	folder   = flag.String("folder", "", "where a campaign of the correct systems notes its progress, and puts the paths of findings")
	together = flag.Duration("together", 0, "end such a campaign after this time of the processor in all")
)

// longer has the names of the systems that are searched four times as long.
var longer = []string{"randtree", "transport", "pastry", "overcast"}

// progressOf has the counts of a campaign for one system. Each search has a seed of its own.
type progressOf struct {
	Searches, Refused, Undecided, Found int
	States, Steps                       int
	Seconds                             float64
}

// TestCorrectSystems searches the systems of the catalogue without their bugs, and expects no finding. It draws
// values of parameters, numbers of nodes and faults at random from those that a system allows, each with a seed of its
// own. The next system is the one that was searched for the shortest time, so the campaign can be stopped at any time
// and continued later.
func TestCorrectSystems(t *testing.T) {
	if *correct == 0 {
		t.Skip("it takes hours: make campaign-correct")
	}
	notes := map[string]*progressOf{}
	loadJSON(t, &notes)
	for began := search.Processor(); *together == 0 || search.Processor()-began < *together; {
		sys, share := next(notes)
		if share >= correct.Seconds() {
			break
		}
		notes[sys.Name].search(t, sys)
		saveJSON(t, notes)
	}
	for _, sys := range catalog.Systems() {
		t.Logf("%-14s %+v", sys.Name, *notes[sys.Name])
	}
}

// next returns the system that was searched for the shortest time, and that time in seconds. For longer systems the time
// is divided by four.
func next(notes map[string]*progressOf) (least *sim.System, seconds float64) {
	for _, sys := range catalog.Systems() {
		if notes[sys.Name] == nil {
			notes[sys.Name] = &progressOf{}
		}
		s := notes[sys.Name].Seconds
		if slices.Contains(longer, sys.Name) {
			s /= 4
		}
		if least == nil || s < seconds {
			least, seconds = sys, s
		}
	}
	return least, seconds
}

// seedFirst is a number below all seeds of this campaign. No other test or table uses larger seeds.
const seedFirst = 5_000_000_000

// search makes one search of a system, and counts the result.
func (p *progressOf) search(t *testing.T, sys *sim.System) {
	p.Searches++
	seed := uint64(seedFirst + p.Searches)
	opts, err := drawn(rand.New(rand.NewPCG(seed, 0x636f7272656374)), sys)
	began := search.Processor()
	opts.Seed, opts.Workers, opts.Memory = seed, 1, 1<<30
	opts.Stop = func() search.Stop {
		if search.Processor()-began > 20*time.Second {
			return search.StopTime
		}
		return ""
	}
	var r *search.Result
	if err == nil {
		r, err = search.Search(sys, opts)
	}
	p.Seconds += (search.Processor() - began).Seconds() + 0.01
	if err != nil { // some values do not go together, and a fault may be impossible with others
		p.Refused++
		return
	}
	p.States, p.Steps, p.Undecided = p.States+r.Stats.States, p.Steps+r.Stats.Steps, p.Undecided+len(r.Undecided)
	if f := r.Finding; f != nil {
		p.Found++
		file := filepath.Join(*folder, fmt.Sprintf("%s-%d.path", sys.Name, seed))
		t.Errorf("%s with %v, %d nodes, faults %s, seed %d: %s: %s (%s)", sys.Name, r.Params.Settings(sys), r.Params.Nodes, opts.Faults, seed, f.Verdict, f.Message, file)
		write(t, file, f)
	}
}

func write(t *testing.T, file string, f *search.Finding) {
	var b strings.Builder
	if _, err := f.Path.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// drawn returns random options of a search among those that the system allows.
func drawn(d *rand.Rand, sys *sim.System) (opts search.Options, err error) {
	var settings []string
	for _, p := range sys.Params {
		value := fmt.Sprint(p.Range.Least + d.IntN(min(p.Range.Most, 2*p.Range.Default+2)-p.Range.Least+1))
		if len(p.Words) > 0 {
			value = p.Words[d.IntN(len(p.Words))]
		}
		if d.IntN(2) == 0 {
			settings = append(settings, p.Name+"="+value)
		}
	}
	params, err := sys.Configure(0, settings, nil)
	if err != nil {
		return opts, err
	}
	if nodes := sys.NodeRange(params); d.IntN(2) == 0 {
		most := min(nodes.Most, nodes.Default+2)
		if sys.Name == "brokentree" { // its package says that loops are possible with four
			most = 3
		}
		params.Nodes = nodes.Least + d.IntN(most-nodes.Least+1)
	}
	opts.Params = params
	if faults := sys.Tolerates; d.IntN(3) > 0 && !faults.IsZero() {
		for _, kind := range contract.Kinds() {
			if n := faults.Of(kind); kind.Fault() && *n != 0 {
				most := *n
				if most == sim.Unlimited {
					most = 3
				}
				*n = d.IntN(most + 1)
			}
		}
		opts.Faults = &faults
	}
	if opts.Depth = d.IntN(2); opts.Depth == 1 { // walks alone
		opts.Paths = 1_000 << d.IntN(6)
	}
	return opts, nil
}

func loadJSON(t *testing.T, into any) {
	if err := os.MkdirAll(*folder, 0o777); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(*folder, "progress.json"))
	if os.IsNotExist(err) {
		return
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func saveJSON(t *testing.T, notes any) {
	text, err := json.MarshalIndent(notes, "", "  ")
	file := filepath.Join(*folder, "progress.json")
	if err == nil {
		err = os.WriteFile(file+".new", text, 0o666)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		t.Fatal(err)
	}
}
