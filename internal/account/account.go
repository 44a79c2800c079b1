package account

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/lines"
	"macemc/internal/observe"
	"macemc/internal/recording"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// Account has the facts about one finding of a search. A search that found nothing has an Account, too: its
// Finding is nil, but it still knows the system and its parameters.
type Account struct {
	System  *sim.System
	Params  sim.Params
	Checked []string        // the properties that were checked; nil means all
	Finding *search.Finding // nil if nothing was found
	Place   Place           // where the finding was written

	Means

	of      *search.Result // the result in whose lab runs are repeated
	walker  *canon.Walker
	sources *Sources
	runs    [2]run // the run of the finding, and the nearest run that recovers
	ran     *lines.Ran
	ranned  bool // Ran was called, so its result is known
	unran   error
	printed []string
	heard   bool // Printed was called, so its result is known
}

// Place names the files to which a finding was written, and the command that replays it.
type Place struct {
	Path   string // the file with the path of the run, or "" if it was not written
	Report string // the file of the report, or "" if there is none
	Live   string // the file with the path of the nearest run that recovers, or "" if there is none
	Replay string // the command that replays the run
}

// The names of files in the folder of a finding.
const (
	PathFile   = "error.path" // the path of the run
	LiveFile   = "live.path"  // the path of the nearest run that recovers
	ReportFile = "report.md"
)

// IsIn records the folder into which the finding was written, and the command that replays the finding.
func (a *Account) IsIn(folder, replay string) {
	live := ""
	if a.Finding.Live != nil {
		live = filepath.Join(folder, LiveFile)
	}
	a.Place = Place{Path: filepath.Join(folder, PathFile), Report: filepath.Join(folder, ReportFile), Live: live, Replay: replay}
}

// Means are sources of facts that an Account cannot work out by itself. The caller provides them.
type Means struct {
	Copy   *lines.Program // reports which lines ran; may be nil
	Prints func() string  // returns the text that handlers have printed since its last call; nil if the text is not known
	Stop   func() bool    // reports whether to stop collecting facts; nil means never
}

// Of returns the account of a finding f of the search result r. f may be nil.
func Of(r *search.Result, f *search.Finding) *Account { return by(Means{}, r, f) }

func by(m Means, r *search.Result, f *search.Finding) *Account {
	return &Account{System: r.System, Params: r.Params, Checked: r.Options.Properties, Finding: f, Means: m, of: r}
}

// All returns the accounts of all findings of the search result r.
func All(r *search.Result) []*Account { return AllBy(r, Means{}) }

// AllBy returns the same as All, with accounts that use the means m.
func AllBy(r *search.Result, m Means) (all []*Account) {
	for _, f := range r.Findings {
		all = append(all, by(m, r, f))
	}
	return all
}

// Replayed returns an account of the run that a path records, as the replay r of that path has shown it.
func Replayed(path *choose.Path, r *search.Replayed) *Account {
	return &Account{System: r.System, Params: r.Params, Checked: path.All("property"), Finding: r.Finding, of: &search.Result{System: r.System}}
}

// Name returns the name of the system, with the known bugs that are switched on.
func (a *Account) Name() string { return NameOf(a.System, a.Params) }

// NameOf returns the name of a system, with the known bugs that are switched on in p.
func NameOf(sys *sim.System, p sim.Params) string {
	if len(p.Bugs()) == 0 {
		return sys.Name
	}
	return sys.Name + " with " + Bugs(p.Bugs())
}

// Bugs returns the names of known bugs as one text.
func Bugs(all []sim.BugID) string {
	var names []string
	for _, b := range all {
		names = append(names, string(b))
	}
	return strings.Join(names, ", ")
}

// Asked reports whether the search checked the property with this name.
func (a *Account) Asked(name string) bool {
	return len(a.Checked) == 0 || slices.Contains(a.Checked, name)
}

// Liveness returns the names of the liveness properties that the search checked.
func (a *Account) Liveness() (names []string) {
	for _, p := range a.System.Properties {
		if p.Liveness() && a.Asked(p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Violated returns the names of the properties that the finding violates. It returns none for findings that
// are not about a property, such as a panic.
func (a *Account) Violated() []string {
	switch f := a.Finding; {
	case f == nil || f.Property == "":
		return nil
	case f.Verdict == trace.VerdictDead:
		return f.Failing
	default:
		return []string{f.Property}
	}
}

// Dead reports whether the finding is a dead run: as far as is known, no live state can be reached from its end.
func (a *Account) Dead() bool { return a.Finding.Verdict == trace.VerdictDead }

// Hot reports whether the finding is a run that stays hot for ever: a monitor waits for something that never
// happens.
func (a *Account) Hot() bool { return a.Finding.Verdict == trace.VerdictHot }

// Path returns the path of the finding, or an empty path if there is no finding.
func (a *Account) Path() *choose.Path {
	if a.Finding == nil || a.Finding.Path == nil {
		return &choose.Path{}
	}
	return a.Finding.Path
}

// Walker returns the canon.Walker that writes states and values of the system as text.
func (a *Account) Walker() *canon.Walker {
	if a.walker == nil {
		w, err := world.New(a.System, a.Params, world.Config{})
		if err != nil {
			panic("macemc bug: account: a world of a system that was searched cannot be made: " + err.Error())
		}
		a.walker = w.Walker()
	}
	return a.walker
}

// Sources returns a finder of the places in the source of the system's handlers.
func (a *Account) Sources() *Sources {
	if a.sources == nil {
		a.sources = NewSources(a.System, a.Params)
	}
	return a.sources
}

// Step returns the n-th step of the finding's run, counted from 1, or nil if the effects of the steps are
// not known.
func (a *Account) Step(n int) *trace.Step {
	if t := a.Finding.Trace; t != nil && n > 0 && n <= len(t.Steps) {
		return &t.Steps[n-1]
	}
	return nil
}

// run holds the states of a run, which are computed by repeating the run when the states are first
// needed.
type run struct {
	taken  bool
	states *recording.Recording // nil if the states are not known
}

// States returns the states of the finding's run. It returns nil if they cannot be computed: the last
// handler of the run never returns, the run differs from one repetition to the next, or it ends its process.
func (a *Account) States() *recording.Recording {
	if f := a.Finding; f.Trace == nil || f.Verdict == trace.VerdictNondeterminism || f.Verdict == trace.VerdictKilled {
		return nil
	}
	return a.again(&a.runs[0], a.Finding.Path)
}

// LiveStates returns the states of the nearest run that recovers, or nil if there is none. What it means to
// recover depends on the finding: a dead run becomes live, a hot run becomes cold, and a run with any other
// failure goes on without the failure.
func (a *Account) LiveStates() *recording.Recording {
	if a.Finding.Live == nil {
		return nil
	}
	return a.again(&a.runs[1], a.Finding.Live.Path)
}

// Saw sets the states that States returns, for a caller that has just taken the run, so that it need not be
// taken again. Nil means that the states cannot be known.
func (a *Account) Saw(states *recording.Recording) { a.runs[0] = run{true, states} }

func (a *Account) again(r *run, path *choose.Path) *recording.Recording {
	if r.taken {
		return r.states
	}
	r.taken = true
	lab, err := a.of.Open(path, search.Options{Workers: 1, Stop: a.stop})
	if err != nil {
		return nil
	}
	defer lab.Close()
	states := &recording.Recording{}
	if err := lab.Show(path, states.See); err == nil && states.Steps() >= 0 {
		r.states = states
	}
	return r.states
}

// stopped reports whether the caller wants no more facts to be collected: see Means.Stop.
func (a *Account) stopped() bool { return a.Stop != nil && a.Stop() }

// stop returns a reason to stop if stopped returns true, and "" otherwise. It has the type that
// search.Options.Stop needs.
func (a *Account) stop() search.Stop {
	if a.stopped() {
		return search.StopInterrupted
	}
	return ""
}

var errNotTaken = errors.New("the step could not be taken again")

// Ran returns which lines of the service ran in each step of the finding's run.
func (a *Account) Ran() (*lines.Ran, error) {
	if !a.ranned {
		a.ranned = true
		if a.ran, a.unran = a.Copy.Take(a.Finding.Path); a.unran != nil {
			a.ran = nil
		}
	}
	return a.ran, a.unran
}

// Printed repeats the finding's run to get the text that its handlers print. It returns the text of the
// starts of the nodes, and then that of each step. It returns nil if nothing was printed, or if the text
// cannot be known, for example because the run ends its process.
func (a *Account) Printed() []string {
	if a.heard || a.Prints == nil || a.Finding.Verdict == trace.VerdictKilled || a.Finding.Verdict == trace.VerdictDivergence {
		return a.printed
	}
	a.heard = true
	err := search.Retake(a.System, a.Finding.Path, func() { a.Prints() }, func() bool {
		a.printed = append(a.printed, a.Prints())
		return !a.stopped()
	})
	if err != nil || strings.Join(a.printed, "") == "" {
		a.printed = nil
	}
	return a.printed
}

// Ignored reports whether step s delivered a message without any effect: the handler did nothing, and the
// state of the node stayed the same.
func (a *Account) Ignored(s *trace.Step) bool {
	if s.Event.Kind != sim.KindMessage && s.Event.Kind != sim.KindReorder && s.Event.Kind != sim.KindQuorum || len(s.Effects) > 0 || s.Cut {
		return false
	}
	states := a.States()
	return states != nil && s.Index <= states.Steps() &&
		!slices.ContainsFunc(states.Changes(s.Index), func(d observe.Difference) bool { return d.Of == observe.Place{Part: observe.PartField, Node: s.Node} })
}

// Parting compares the finding's run with the nearest run that recovers, where the two part: the state after
// the critical step, and the state after the step that the other run takes instead. It returns the numbers
// of these steps and the differences between the states. It leaves out the budgets of faults, since they no
// longer matter once the environment has healed. If the comparison is not possible, it returns zeros and nil.
func (a *Account) Parting() (after, instead int, all []observe.Difference) {
	f := a.Finding
	here, there := a.States(), a.LiveStates()
	if here == nil || there == nil || f.Critical == nil || f.Critical.Step == 0 || f.Critical.Step > here.Steps() {
		return 0, 0, nil
	}
	instead = f.Live.From + 1
	if instead < there.Steps() && wording.Identify(f.Live.Path.Steps[instead-1].Event.What).Kind == sim.KindHeal {
		instead++
	}
	if instead > there.Steps() {
		return 0, 0, nil
	}
	all = observe.Diff(here.State(f.Critical.Step), there.State(instead))
	return f.Critical.Step, instead, slices.DeleteFunc(all, func(d observe.Difference) bool { return d.Of.Part == observe.PartBudget })
}

// Amiss is a missing effect: one that the critical step of a dead run could have had, and did not have.
type Amiss struct {
	Kind  AmissKind
	Node  sim.Addr
	To    sim.Addr // the receiver, if a message is missing
	Value any
}

// AmissKind says why an effect is missing.
type AmissKind uint8

// The reasons why an effect is missing.
const (
	AmissRefused AmissKind = iota + 1 // a message could not be sent, since the buffer was full
	AmissLost                         // a message was lost, since the channel was full
	AmissExpired                      // a timer fired and was not set again
)

// Amiss returns the missing effects of the critical step: first those with values of types of the service's
// own code, then those of layers from elsewhere.
func (a *Account) Amiss() (all []Amiss) {
	c := a.Finding.Critical
	if !a.Dead() || c == nil {
		return nil
	}
	step := a.Step(c.Step)
	if step == nil {
		return nil
	}
	for _, e := range step.Effects {
		switch {
		case e.Kind == trace.EffectRefused:
			all = append(all, Amiss{AmissRefused, step.Node, e.To, e.Value})
		case e.Lost:
			all = append(all, Amiss{AmissLost, step.Node, e.To, e.Value})
		}
	}
	if step.Expired() {
		all = append(all, Amiss{Kind: AmissExpired, Node: step.Node, Value: step.Event.Value})
	}
	slices.SortStableFunc(all, func(x, y Amiss) int { return a.Sources().later(x.Value, y.Value) })
	return all
}
