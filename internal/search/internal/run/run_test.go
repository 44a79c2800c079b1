package run

import (
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/setting"
	"macemc/internal/toy"
	"macemc/internal/trail"
	"macemc/internal/world"
	"macemc/sim"
)

// newRuns returns a Runs for the toy system that the text describes.
func newRuns(t *testing.T, text string) *Runs {
	t.Helper()
	sys := toy.MustParse(text)
	if err := sys.Validate(sim.Params{}); err != nil {
		t.Fatal(err)
	}
	r := &Runs{Setting: setting.Setting{Sys: sys}, Limits: &Limits{}, Counts: Counts{Steps: new(int), Audited: new(int)}}
	var err error
	if r.World, err = r.NewWorld(world.Config{}); err != nil {
		t.Fatal(err)
	}
	r.Params = r.World.Params()
	if r.Lockstep, err = r.NewLockstep(world.Config{}); err != nil {
		t.Fatal(err)
	}
	return r
}

// looking is a strategy that gives the answers of a source and calls look in each state.
type looking struct {
	choose.Source
	Climate
	at   *Fork                                // where the run begins; nil means at the start
	look func(w *world.World, depth int) bool // reports whether the run goes on
}

func (l *looking) Fork() *Fork { return l.at }

func (l *looking) Visit(w *world.World, depth int) bool { return l.look(w, depth) }

const ladder = `
start: a
a -> b
b -?-> c d
c -> a
d -> a
`

// TestTrailHasEveryRunOnce: while a run is under way, exactly one slot of the trail has it, with all of
// its answers from the start of the system, even if the run begins at a fork. When it is over, no slot
// has it.
func TestTrailHasEveryRunOnce(t *testing.T) {
	r := newRuns(t, ladder)
	held, err := trail.New()
	if err != nil {
		t.Skip(err)
	}
	r.Pulse.On, r.Pulse.Trail = true, held
	for _, careful := range []bool{false, true} {
		run := func(at *Fork, from, to int) {
			t.Helper()
			walk := choose.NewWalk(1)
			_, failure, w := r.Run(&looking{Source: walk, Climate: Fair, at: at, look: func(w *world.World, depth int) bool {
				if all := held.Runs(); len(all) != 1 || len(all[0].Picks) != from+len(walk.Picks()) || !all[0].Whole {
					t.Errorf("after %d steps under way are %+v, and %d answers were given before, %d since", depth, all, from, len(walk.Picks()))
				}
				return depth < to
			}}, careful)
			if failure != nil || w.Run.Steps() != to {
				t.Errorf("it took %d steps: %v", w.Run.Steps(), failure)
			}
			if all := held.Runs(); len(all) != 0 {
				t.Errorf("under way are still %+v", all)
			}
		}
		run(nil, 0, 9)
		record := choose.NewRecord(choose.NewWalk(2))
		r.Run(Repeat(record, Fair, 6), false)
		k, err := r.ForkAt(record.Path(), Fair, 6)
		if err != nil || k.At == nil {
			t.Fatal(err, k)
		}
		run(k, len(k.Prefix), 9)
		told := &Answers{}
		for _, step := range record.Path().Steps {
			told.Steps = append(told.Steps, Taken{Event: step.Event.Pick})
			for _, coin := range step.Coins {
				last := &told.Steps[len(told.Steps)-1]
				last.Coins = append(last.Coins, coin.Pick)
			}
		}
		run(&Fork{Told: told, Steps: k.Steps, Bank: k.Bank, At: k.At}, told.Answers(), 9)
	}
}

// felt takes a run of the given number of steps, and returns the number of states at which the pulse
// had not changed since the state before.
func felt(t *testing.T, r *Runs, steps int) (still int) {
	t.Helper()
	var f Feeling
	_, failure, _ := r.Run(&looking{Source: choose.NewWalk(1), Climate: Fair, look: func(_ *world.World, depth int) bool {
		if !f.Feels(&r.Pulse) {
			still++
		}
		return depth < steps
	}}, false)
	if failure != nil {
		t.Fatal(failure)
	}
	return still
}

// TestPulse: the pulse changes at every step of a run, and is 0 when no run is under way.
func TestPulse(t *testing.T) {
	r := newRuns(t, ladder)
	r.Pulse.On = true
	if still := felt(t, r, 100); still != 0 {
		t.Errorf("it was still at %d states", still)
	}
	if n := r.Pulse.Count(); n != 0 {
		t.Errorf("it is %d when the run is over", n)
	}
}

// A run that is stuck is reported with the event that was chosen last, however many coins were
// answered since.
func TestUpToStuck(t *testing.T) {
	r := newRuns(t, ladder)
	r.Climate = Fair
	picks := []choose.Pick{{Of: 1, Pick: 0}, {Of: 1, Pick: 0}, {Of: 2, Pick: 0}}
	for n, want := range []string{StartOfNode, `n0 action to("b")`, `n0 action toss("c d")`, `n0 action toss("c d")`} {
		r.Pulse.picks = picks[:n]
		path, node, identity := r.UpToStuck()
		if identity != want || node.IsZero() != (n == 0) || len(path.Steps) != min(n, 2) {
			t.Errorf("after %d answers: %s at %s, after %d steps", n, identity, node, len(path.Steps))
		}
	}
}

// TestShareIsOfSteps: of many steps about one in 64 is audited, for any length of runs. The first run is
// always audited.
func TestShareIsOfSteps(t *testing.T) {
	for _, length := range []int{3, 100, 5_000} {
		s := &Share{}
		for range 1_000_000 / length {
			s.Took(length, s.Due())
		}
		if want := 1_000_000 / auditEvery; s.audited < want-2*length || s.audited > want+2*length {
			t.Errorf("runs of %d steps: %d are audited", length, s.audited)
		}
		if few := (&Share{}); !few.Due() {
			t.Error("the first run is not audited")
		}
	}
}

// TestForkAtTellsWhy: if a run ends before the step at which a fork is wanted, ForkAt returns an error
// that says how the run ended.
func TestForkAtTellsWhy(t *testing.T) {
	r := newRuns(t, ladder)
	path := func(steps int, answers ...int) *choose.Path {
		record := choose.NewRecord(choose.NewFixed(answers...))
		r.Run(&looking{Source: record, Climate: Fair, look: func(_ *world.World, depth int) bool { return depth < steps }}, false)
		return record.Path()
	}
	if k, err := r.ForkAt(path(3), Fair, 3); err != nil || k.At == nil {
		t.Errorf("%v: a fork to %+v", err, k)
	}
	strange := path(3)
	strange.Steps[1].Coins = []choose.Choice{{Kind: choose.Coin, Of: 9, Pick: 7}}
	for want, try := range map[string]func() (*Fork, error){
		"could not be taken again": func() (*Fork, error) { return r.ForkAt(strange, Fair, 3) },
		"ended in a ":              func() (*Fork, error) { return newRuns(t, "start: a\nbad: b\na -> b\n").ForkAt(path(2), Fair, 2) },
		"ended after 1 steps, ":    func() (*Fork, error) { return newRuns(t, "start: a\na -> b\n").ForkAt(path(2), Fair, 2) },
	} {
		if k, err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a fork to %+v, and %v, want an error that says %q", k, err, want)
		}
	}
}

// TestLenient: if a run asks a question with another number of alternatives than recorded, Lenient
// answers that question and all later ones with the first alternative, even if later questions have the
// recorded number again.
func TestLenient(t *testing.T) {
	picks := []choose.Pick{{Of: 3, Pick: 1}, {Of: 3, Pick: 2}, {Of: 3, Pick: 2}}
	for _, c := range []struct{ asks, want []int }{
		{[]int{3, 3, 3}, []int{1, 2, 2}},
		{[]int{3, 3, 3, 3}, []int{1, 2, 2, 0}},
		{[]int{3, 5, 3}, []int{1, 0, 0}},
	} {
		l := &Lenient{Raw: choose.NewRaw(picks)}
		for i, n := range c.asks {
			if got := l.Answer(&choose.Question{Kind: choose.Coin, N: n}); got != c.want[i] {
				t.Errorf("question %d of %v is answered by %d, want %d", i, c.asks, got, c.want[i])
			}
		}
	}
}
