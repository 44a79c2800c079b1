package raft

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"macemc/choose"
	"macemc/examples/raft/core"
	"macemc/internal/long"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

func TestMain(m *testing.M) { long.Run(m) }

// driven is a world and the walk that answers it.
type driven struct {
	*world.World
	walk *choose.Walk
}

func drive(t testing.TB, nodes int, settings, bugs []string, config world.Config) driven {
	t.Helper()
	params, err := System.Configure(nodes, settings, bugs)
	if err != nil {
		t.Fatal(err)
	}
	if err := System.Validate(params); err != nil {
		t.Fatal(err)
	}
	w, err := world.New(System, params, config)
	if err != nil {
		t.Fatal(err)
	}
	return driven{w, choose.NewWalk(1)}
}

// A mood sets how a walk picks its next step.
type mood func(walk *choose.Walk, step int)

// calm is a weighted walk without faults.
func calm(w *choose.Walk, _ int) { w.Rare, w.Uniform = false, false }

// rough is a weighted walk in which faults are possible, and unlikely.
func rough(w *choose.Walk, _ int) { w.Rare, w.Uniform = true, false }

// wild is a walk in which faults are as likely as other events, so the budgets are spent at once.
func wild(w *choose.Walk, _ int) { w.Rare, w.Uniform = true, true }

// gusty returns a mood that is calm, except for one step in n, which is wild.
func gusty(n int) mood {
	return func(w *choose.Walk, step int) {
		w.Rare = step%n == 0
		w.Uniform = w.Rare
	}
}

var moods = []struct {
	name string
	mood
}{{"rough", rough}, {"wild", wild}, {"gusty", gusty(5)}}

// run takes walk i in a mood, until it has this number of steps or done returns true.
func (d driven) run(m mood, i, steps int, done func() bool) *trace.Failure {
	d.walk.Restart(1, uint64(i))
	return d.Protect(func() {
		d.Start(d.walk)
		d.on(m, steps, done)
	})
}

// on continues the walk from the present state of the world.
func (d driven) on(m mood, steps int, done func() bool) {
	for end := d.Run.Steps() + steps; d.Judge.Check() == nil && d.Run.Steps() < end; {
		m(d.walk, d.Run.Steps())
		if done() || d.Step(d.walk) != world.Stepped {
			return
		}
	}
}

func never() bool { return false }

// Nearly every walk soon elects a leader and has all commands applied.
func TestLive(t *testing.T) {
	for _, nodes := range []int{1, 2, 3, 5} {
		d := drive(t, nodes, nil, nil, world.Config{})
		live, longest := 0, 0
		for i := range 100 {
			if f := d.run(calm, i, 2_000, d.Judge.Live); f != nil {
				t.Fatalf("%d servers: %s: %s", nodes, f.Property, f.Message)
			}
			longest = max(longest, d.Run.Steps())
			if d.Judge.Live() {
				live++
			}
		}
		if live < 99 {
			t.Errorf("%d servers: %d of 100 walks became live", nodes, live)
		}
		t.Logf("%d servers: %d of 100 walks became live, after at most %d steps", nodes, live, longest)
	}
}

// If a walk is taken again by the numbers of its picks, it has the same state at every tenth step.
func TestReplays(t *testing.T) {
	const steps = 500
	config := world.Config{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2, Loss: 2, Dup: 2, Reorder: 2, Partition: 1}}}
	first, second := drive(t, 3, nil, nil, config), drive(t, 3, nil, nil, config)
	for i := range long.Of(45, 200) {
		var told []string
		tell := func() bool {
			if first.Run.Steps()%10 == 0 {
				told = append(told, first.State.Hash().String())
			}
			return false
		}
		if f := first.run(moods[i%len(moods)].mood, i, steps, tell); f != nil {
			t.Fatalf("walk %d: %s: %s", i, f.Property, f.Message)
		}
		told = append(told, first.State.Hash().String())

		again := choose.NewRaw(first.walk.Picks())
		var retold []string
		f := second.Protect(func() {
			for second.Start(again); !again.Done(); second.Step(again) {
				if second.Judge.Check() != nil {
					return
				}
				if second.Run.Steps()%10 == 0 {
					retold = append(retold, second.State.Hash().String())
				}
			}
		})
		retold = append(retold, second.State.Hash().String())
		if f != nil || again.Err() != nil || second.Run.Steps() != steps {
			t.Fatalf("walk %d, again: %v, %v, %d steps", i, f, again.Err(), second.Run.Steps())
		}
		if !slices.Equal(told, retold) {
			t.Fatalf("walk %d came to another state when it was taken again", i)
		}
	}
}

// Voters stand for election, and so do those that a joint configuration is about to remove. A learner and a
// stranger do not.
func TestWhoStandsForElection(t *testing.T) {
	params, err := System.Configure(4, []string{"members=shrink"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	conf := core.Conf{Voters: []uint64{1}, Outgoing: []uint64{1, 2}, Learners: []uint64{3}}
	for i, want := range []bool{true, true, false, false} {
		s := newServer(params, params.Addr(i), blank(params, params.Addr(i)))
		if s.conf = conf; s.votes() != want {
			t.Errorf("in %s, server %d votes: %t", conf, s.id, !want)
		}
	}
	if got := changes(false, false); !slices.Equal(got, []string{"fixed", "remove", "replace"}) {
		t.Errorf("without joint configurations and learners the members change by %q", got)
	}
}

// A step changes only the node that runs: no message under way, and no other server through shared entries.
func TestNothingIsShared(t *testing.T) {
	d := drive(t, 3, nil, nil, world.Config{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2, Dup: 2}}, Audit: true})
	for i := range long.Of(18, 100) {
		if f := d.run(moods[i%len(moods)].mood, i, 300, never); f != nil {
			t.Fatalf("walk %d: %s: %s", i, f.Verdict, f.Message)
		}
	}
}

// Whatever faults happen within the budgets, no property is violated, and after they have ended every walk
// becomes live.
func TestSurvives(t *testing.T) {
	for _, c := range []struct {
		nodes  int
		faults string
		many   int
		disk   string // "": in memory
	}{
		{3, "crash=1", 400, ""},
		{3, "crash=3", 400, ""},
		{3, "crash=3,loss=4,dup=4,reorder=4,partition=1,oneway=1", 400, ""},
		{3, "crash=all,loss=all,dup=all,reorder=all,partition=all", 100, ""},
		{5, "crash=5,loss=4,dup=4,reorder=4,partition=1", 100, ""},
		{3, "crash=3,down=1,loss=4,dup=4,reorder=4,partition=1", 400, ""},
		{5, "crash=5,down=2,loss=4,dup=4,reorder=4,partition=1,pause=1", 100, ""},
		{3, "crash=3", 200, "prefix"},
		{3, "crash=5,loss=4,reorder=4", 200, "reorder"},
	} {
		faults, err := sim.ParseFaults(c.faults)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moods {
			t.Run(fmt.Sprintf("%d/%s/%s%s", c.nodes, c.faults, m.name, c.disk), func(t *testing.T) {
				var settings []string
				if c.disk != "" {
					settings = []string{"storage=files"}
				}
				d := drive(t, c.nodes, settings, nil, world.Config{Conditions: sim.Conditions{Faults: &faults, DiskReorder: c.disk == "reorder"}})
				longest := 0
				for i := range long.Of(c.many/8, c.many) {
					longest = max(longest, d.survives(t, m.mood, i, 300))
				}
				if unused := d.Unused(); len(unused) > 0 {
					t.Errorf("opaque rules that matched nothing: %q", unused)
				}
				t.Logf("live at most %d steps after the faults ended", longest)
			})
		}
	}
}

// survives takes walk i with faults, ends the faults, and returns the number of steps until the world is live.
// The world need not become live if too few servers are up for good.
func (d driven) survives(t *testing.T, m mood, i, steps int) int {
	t.Helper()
	failure := d.run(m, i, steps, never)
	healed := d.Run.Steps()
	if failure == nil {
		failure = d.Protect(func() {
			d.Heal(d.walk)
			healed = d.Run.Steps()
			d.on(calm, 10_000, d.Judge.Live)
		})
	}
	if failure != nil {
		t.Fatalf("walk %d: step %d: %s %s: %s", i, failure.Step, failure.Verdict, failure.Property, failure.Message)
	}
	if !d.Judge.Live() && d.Judge.Assumed() {
		names, explanations := d.Judge.NotLive()
		t.Fatalf("walk %d: not live: %q: %q", i, names, explanations)
	}
	d.State.Hash() // so that the whole state was walked
	return d.Run.Steps() - healed
}

// The bugs that need a crash are found by gusty walks of 100 steps, RF1 by 170 of
// 20,000 and RF2 by 88. Of as many rough walks 3 found RF1 and none RF2, since
// they hardly ever crash; of wild ones none found any, since they crash at once.
func TestCrashBugs(t *testing.T) {
	for _, c := range []struct {
		bug      sim.BugID
		property string
	}{
		{RF1, "one leader per term"},
		{RF2, "one leader per term"},
		{RF4, "one leader per term"},
		{RF5, "panic: raft: tocommit"}, // what is committed is not in the log any more
		{RF6, "one leader per term"},
	} {
		var settings []string
		if c.bug > RF3 {
			settings = []string{"storage=files"}
		}
		d := drive(t, 3, settings, []string{string(c.bug)}, world.Config{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 5}}})
		found := map[string]int{}
		first, walks := -1, 0
		for ; found[c.property] == 0 && walks < 5_000; walks++ {
			f := d.run(gusty(5), walks, 100, never)
			if f == nil {
				continue
			}
			found[told(f)]++
			if first < 0 {
				first = walks
			}
		}
		if found[c.property] == 0 {
			t.Errorf("%s: %q was not violated by %d walks; found %v", c.bug, c.property, walks, found)
		}
		t.Logf("%s: first found by walk %d; in %d walks %v", c.bug, first, walks, found)
	}
}

// told returns the property of a failure, or the beginning of its message if it is a panic.
func told(f *trace.Failure) string {
	if f.Property != "" {
		return f.Property
	}
	words := strings.FieldsFunc(f.Message, func(r rune) bool { return r == '(' || r == '[' })
	return "panic: " + words[0]
}

// The bug that needs no fault shows in a world that never becomes live.
func TestRF3(t *testing.T) {
	d := drive(t, 3, nil, []string{string(RF3)}, world.Config{})
	for i := range 100 {
		if f := d.run(calm, i, 5_000, d.Judge.Live); f != nil {
			t.Fatalf("%s: %s", f.Property, f.Message)
		}
		if !d.Judge.Live() {
			names, explanations := d.Judge.NotLive()
			t.Logf("walk %d: %q: %q", i, names, explanations)
			return
		}
	}
	t.Error("all of 100 walks became live")
}

func TestWire(t *testing.T) {
	b, err := proto.Marshal(&pb.Message{
		Type: pb.MsgApp.Enum(), From: new(uint64(1)), To: new(uint64(2)), Term: new(uint64(3)),
		Entries: []*pb.Entry{
			{Term: new(uint64(3)), Index: new(uint64(1))},
			{Term: new(uint64(3)), Index: new(uint64(2)), Data: []byte("c1")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := wire(b).decode()
	if err != nil {
		t.Fatal(err)
	}
	w := encode(m)
	if w != encode(m) {
		t.Error("a message that was looked at is encoded differently")
	}
	const want = `1->2 MsgApp Term:3 Log:0/0 Entries:[ 3/1 EntryNormal "" 3/2 EntryNormal "c1" ]`
	if w.String() != want {
		t.Errorf("got  %s\nwant %s", w, want)
	}
	if s := wire("\xff").String(); !strings.Contains(s, "no message") {
		t.Errorf("what is no message reads %s", s)
	}
}

// Two logs that are parts of a third one match, as the comparison of the two says.
func TestPartsOfALogMatch(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 1))
	random := func() *server {
		s := &server{base: draw.Uint64N(3)}
		for range draw.IntN(4) {
			s.saved = append(s.saved, mark{draw.Uint64N(2), "ab"[draw.IntN(2):][:1]})
		}
		return s
	}
	matched, parted := 0, 0
	for range 20_000 {
		a, b, long := random(), random(), random()
		if a.end() > long.end() || b.end() > long.end() || !a.isPartOf(long) || !b.isPartOf(long) {
			parted++
			continue
		}
		matched++
		for _, pair := range [][2]*server{{a, b}, {b, a}, {a, long}, {long, b}} {
			if at := pair[0].parts(pair[1]); at != 0 {
				t.Fatalf("%+v and %+v are parts of %+v, and differ at %d", a, b, long, at)
			}
		}
	}
	if matched < 100 || parted < 100 {
		t.Errorf("%d of the logs are parts, and %d are not", matched, parted)
	}
}
