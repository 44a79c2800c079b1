package mdb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/eventgraph"
	"macemc/internal/contract"
	"macemc/internal/numerals"
	"macemc/internal/observe"
)

// These methods return a session's answers as values for programs, instead of pages. Their JSON is
// the protocol of mdb/wire.

// Place is a step of a branch.
type Place struct {
	Branch string `json:"branch"`
	Step   int    `json:"step"`
	Of     int    `json:"of"` // the number of steps that the branch has
}

// Where returns the place where the session is.
func (s *Session) Where() Place { return Place{s.here.name, s.step, s.Len()} }

// At returns a Look at a step of a branch. If branch is "", it is the current branch. If
// step is nil, it is the current step, or the end of another branch.
func (s *Session) At(branch string, step *int) (Look, error) {
	c := s.Cursor
	if branch != "" && branch != c.here.name {
		b := s.run.branches.named(branch)
		if b == nil {
			return Look{}, unknown("branch", branch, s.run.branches.names(), "branches lists them")
		}
		c = b.end(s.run)
	}
	if step != nil {
		if err := c.goTo(*step); err != nil {
			return Look{}, err
		}
	}
	return Look{c}, nil
}

// About is a description of the open finding or run.
type About struct {
	Title      string          `json:"title"`
	System     string          `json:"system"` // its name, with the known bugs that are switched on
	Settings   [][2]string     `json:"settings"`
	Nodes      []string        `json:"nodes"`
	Properties []PropertyAbout `json:"properties"`
	Asks       string          `json:"asks"`              // the question about a walk from a state: does it become live, or does it survive
	Stopped    string          `json:"stopped,omitempty"` // the reason why the recorded path could not be followed to its end
	Parted     string          `json:"parted,omitempty"`  // how the run differs from the recorded one because the code has changed; "" if it does not
	Command    string          `json:"command"`
	Branches   []BranchAbout   `json:"branches"`
}

// PropertyAbout is a property of states.
type PropertyAbout struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // always or eventually
}

// BranchAbout is a branch in the tree of branches.
type BranchAbout struct {
	Name     string `json:"name"`
	Parent   string `json:"parent,omitempty"`
	From     int    `json:"from"` // it leaves its parent after this step
	Steps    int    `json:"steps"`
	Ends     string `json:"ends"` // live, not live, or a verdict
	Critical *int   `json:"critical,omitempty"`
	Fails    string `json:"fails,omitempty"` // the failure in the last step, if there is one
}

// end returns the cursor at the end of a branch.
func (b *branch) end(r *run) Cursor { return Cursor{r, b, b.len()} }

// About returns a description of the open finding or run.
func (s *Session) About() About { return about(s) }

func about(s *Session) About {
	r := s.run
	a := About{Title: r.title, System: r.name(), Nodes: s.Nodes(), Asks: s.asks(), Stopped: r.trunk.stopped, Parted: s.otherwise(), Command: s.Command(), Settings: [][2]string{}}
	if r.parted {
		a.Parted = fmt.Sprintf("The code has changed since this run was recorded: it is followed to step %s of %s, and parts there from what was recorded.", numerals.Count(r.trunk.len()), numerals.Count(len(r.recorded.Steps)))
		if r.was != "" {
			a.Parted += " In the folder of the finding " + r.was + "."
		}
	}
	for _, f := range r.header {
		a.Settings = append(a.Settings, [2]string{f.Key, f.Value})
	}
	for k, name := range r.names {
		kind := "always"
		if k >= r.always {
			kind = "eventually"
		}
		a.Properties = append(a.Properties, PropertyAbout{name, kind})
	}
	for _, b := range r.branches.all {
		a.Branches = append(a.Branches, aboutBranch(b.end(r)))
	}
	return a
}

func aboutBranch(end Cursor) BranchAbout {
	b := end.here
	a := BranchAbout{Name: b.name, From: b.from, Steps: b.len(), Ends: b.condition(end.run), Fails: end.look().fails()}
	if b.parent != nil {
		a.Parent = b.parent.name
	}
	if c, known := end.critical(); known {
		a.Critical = &c
	}
	return a
}

// fails returns the failure of the service in the step, or "".
func (s Look) fails() string {
	if f := s.failed(s.step); len(f) > 0 {
		return strings.TrimPrefix(f[0].String(), "  ! ")
	}
	return ""
}

// Adopt reads the nearest live path, whose file is beside the one that was opened, and
// makes it the branch live. This is possible only if the path begins as the trunk does.
// Without Adopt, the path is a run of its own, from which no branch can leave.
func (s *Session) Adopt() error {
	if s.live == "" || s.run.branches.named(liveBranch) != nil {
		return nil
	}
	path, err := choose.Open(s.live)
	if err != nil {
		return err
	}
	trunk := s.run.trunk.path(nil, s.run.trunk.len())
	shared := choose.Align(trunk, path).Prefix
	if !sameChoices(trunk.Start, path.Start) {
		return fmt.Errorf("%s does not begin as %s does", s.live, s.run.title)
	}
	at := Cursor{s.run, s.run.trunk, shared}
	if _, err := at.keep(liveBranch, path, shared); err != nil {
		return fmt.Errorf("%s: %w", s.live, err)
	}
	return nil
}

func sameChoices(a, b []choose.Choice) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Of != b[i].Of || a[i].Pick != b[i].Pick {
			return false
		}
	}
	return true
}

// Steps is a part of a branch, as a graphical page draws it.
type Steps struct {
	From int `json:"from"`
	To   int `json:"to"`
	eventgraph.Window
	Live []int `json:"live"` // the steps with a live state
	Left []int `json:"left"` // the steps after which a branch leaves
}

// Steps returns the steps of a branch from number from to number to. Numbers beyond its end are
// ignored.
func (s *Session) Steps(at Look, from, to int) Steps {
	from, to = max(0, from), min(to, at.Len())
	out := Steps{From: from, To: to, Window: s.drawings.of(at.Cursor).picture.Window(from, to), Live: []int{}, Left: []int{}}
	for i := from; i <= to; i++ {
		if at.run.verdicts[at.here.verdict(i)].live {
			out.Live = append(out.Live, i)
		}
		for _, b := range at.run.branches.all {
			if b.parent != nil && b.from == i && b != at.here && b.parent.owner(i) == at.here.owner(i) {
				out.Left = append(out.Left, i)
				break
			}
		}
	}
	return out
}

// StepFacts has all facts about a step.
type StepFacts struct {
	Step    int      `json:"step"`
	Text    string   `json:"text"`
	Was     string   `json:"was,omitempty"` // its causes, and what else was possible
	Did     []string `json:"did"`
	Fails   string   `json:"fails,omitempty"`
	Changes []Change `json:"changes"`
	Down    []string `json:"down,omitempty"` // nodes that lost their memory
}

// Change is a line of a state that differs in another state.
type Change struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"` // "" if the line is new
	New  string `json:"new,omitempty"` // "" if the line is gone
}

// Facts returns the facts about the step of at.
func (s *Session) Facts(at Look) (StepFacts, error) {
	return stepFacts(at, s.drawings.of(at.Cursor).graph)
}

func stepFacts(at Look, g *eventgraph.Graph) (f StepFacts, err error) {
	f = StepFacts{Step: at.step, Text: "start of the nodes", Did: []string{}, Fails: at.fails(), Changes: []Change{}}
	if at.step == 0 {
		return f, nil
	}
	t := at.here.at(at.step)
	f.Text, f.Was = at.run.shown(t), at.circumstances(t)
	before, err := at.run.lines(at.here, at.step-1)
	if err != nil {
		return f, err
	}
	f.Did = append(f.Did, g.Story(at.step)...)
	for _, c := range t.Coins {
		if times := observe.Compared(c.What, t.Event.Node, before); times != "" {
			f.Did = append(f.Did, c.What+": "+times)
		}
	}
	after, err := at.lines()
	if err != nil {
		return f, err
	}
	_, down := observe.Went(observe.Diff(before, after))
	for _, node := range down {
		f.Down = append(f.Down, node.String())
	}
	f.Changes = at.run.changesOf(changed(observe.Without(before, down), observe.Without(after, down)))
	return f, nil
}

func (r *run) changesOf(all []observe.Difference) []Change {
	out := []Change{}
	for _, d := range all {
		if !r.exact {
			d = r.read.Difference(d)
		}
		out = append(out, Change{d.Path, d.A, d.B})
	}
	return out
}

// StateLine is a line of a state.
type StateLine struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	Mark  string `json:"mark,omitempty"`  // "+" if the step made the line, "~" if the step changed it, or ""
	Exact string `json:"exact,omitempty"` // the value in the form in which states are compared, if that differs from Value
}

// State returns the lines of the state after the step of at.
func (at Look) State() ([]StateLine, error) {
	lines, _, err := at.marked()
	out := []StateLine{}
	for _, l := range lines {
		line := StateLine{Path: l.Path, Value: at.run.reading(l.Path, l.Value), Mark: strings.TrimSpace(l.mark)}
		if line.Value != l.Value {
			line.Exact = l.Value
		}
		out = append(out, line)
	}
	return out, err
}

// Differences returns the differences between the state after a and the one after b.
func (a Look) Differences(b Look) ([]Change, error) {
	left, err := a.lines()
	if err != nil {
		return nil, err
	}
	right, err := b.lines()
	if err != nil {
		return nil, err
	}
	return a.run.changesOf(changed(left, right)), nil
}

// Held is a property of states and its value at a step.
type Held struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Holds bool   `json:"holds"`
	Since int    `json:"since"`          // the step since which it has had this value
	Says  string `json:"says,omitempty"` // the property's own description of the state
}

// Properties returns every property of states at a step, and whether the state is live.
func (at Look) Properties() (all []Held, live bool, err error) {
	if err := at.run.seek(at.here, at.step); err != nil {
		return nil, false, err
	}
	for k, j := range at.run.player.World().Judge.Judgements() {
		kind := "always"
		if j.Liveness {
			kind = "eventually"
		}
		all = append(all, Held{j.Name, kind, j.Holds, at.sinceStep(k), j.Message})
	}
	return all, at.run.verdicts[at.here.verdict(at.step)].live, nil
}

// Watched is a property of runs at a step. It held at all steps before, since a run ends
// when such a property is violated.
type Watched struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"` // steps, monitor or cools
	Holds  bool   `json:"holds"`
	Hot    bool   `json:"hot,omitempty"`    // for cools: the monitor is hot, which means that it waits for something
	Says   string `json:"says,omitempty"`   // what the monitor waits for
	Memory string `json:"memory,omitempty"` // what the monitor remembers
}

// Watched returns the step properties, the monitors and the properties made by Cools, at a step.
func (s Look) Watched() ([]Watched, error) {
	out := []Watched{}
	if err := s.run.seek(s.here, s.step); err != nil {
		return nil, err
	}
	w, only := s.run.player.World(), (&choose.Path{Header: s.run.header}).All("property")
	holds := func(name string) bool {
		f := s.here.failure
		return f == nil || f.Property != name || s.step < s.Len()
	}
	for _, p := range w.System().Properties {
		if p.Kind() == "steps" && (len(only) == 0 || slices.Contains(only, p.Name)) {
			out = append(out, Watched{Name: p.Name, Kind: "steps", Holds: holds(p.Name)})
		}
	}
	for _, m := range w.Judge.Watching() {
		one := Watched{m.Name, "monitor", holds(m.Name), m.Hot, m.Why, w.Walker().Text(m.Memory)}
		if m.Cools {
			one.Kind = "cools"
		}
		out = append(out, one)
	}
	return out, nil
}

// Strip has the steps of a branch at which a property changes from true to false or back.
type Strip struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`  // always, eventually, or live: whether all liveness properties hold
	Turns []int  `json:"turns"` // the steps at which it changes; before the first of them it has the value First
	First bool   `json:"first"`
}

// Strips returns how the properties of states change along a branch.
func (s *Session) Strips(at Look) (all []Strip) {
	about := s.About()
	for k, p := range about.Properties {
		all = append(all, at.strip(p.Name, p.Kind, func(v *verdict) bool { return v.holds[k] }))
	}
	if s.run.player.World().Judge.CanBeLive() {
		all = append(all, at.strip("live", "live", func(v *verdict) bool { return v.live }))
	}
	return all
}

func (s Look) strip(name, kind string, of func(*verdict) bool) Strip {
	at := func(i int) bool { return of(&s.run.verdicts[s.here.verdict(i)]) }
	turns := []int{}
	for i := range s.Len() {
		if at(i) != at(i+1) {
			turns = append(turns, i+1)
		}
	}
	return Strip{name, kind, turns, at(0)}
}

// Alternative is an event that is possible after a step, together with one list of answers to its
// coins, which are the choices that are made within its step.
type Alternative struct {
	Event   int      `json:"event"` // the number of the event among the possible ones
	Coins   []int    `json:"coins"` // the answers to its coins
	Text    string   `json:"text"`
	Node    int      `json:"node"` // -1 means none
	Kind    string   `json:"kind"`
	Taken   bool     `json:"taken"` // the branch takes it in its next step
	Did     []string `json:"did"`
	Then    []string `json:"then"` // for each property whose value it changes: its name, and whether it holds or fails then
	Live    bool     `json:"live"` // the state after it is live
	Fails   string   `json:"fails,omitempty"`
	Refused string   `json:"refused,omitempty"` // the reason why it was not tried
}

// Alternatives returns the events that are possible after a step.
func (at Look) Alternatives() ([]Alternative, error) {
	out := []Alternative{}
	if at.here.failure != nil && at.step == at.Len() {
		return out, nil
	}
	if err := at.run.seek(at.here, at.step); err != nil {
		return nil, err
	}
	for k := range at.run.player.World().Events.Count() {
		all, err := at.outcomes(at.step, k)
		if err != nil {
			return nil, err
		}
		for i := range all {
			out = append(out, alternativeOf(at, k, &all[i]))
		}
	}
	return out, nil
}

// alternativeOf describes the outcome of the k-th event that is possible at a place.
func alternativeOf(s Look, k int, o *outcome) Alternative {
	a := Alternative{Event: k, Coins: append([]int{}, o.coins...), Text: o.event, Node: -1, Did: []string{}, Then: append([]string{}, o.changes...)}
	if o.refused != nil {
		a.Text, a.Refused = o.refused.Error(), o.refused.Error()
		return a
	}
	a.Text, a.Node, a.Taken = s.run.shown(&o.step), s.run.lane(o.step.Node), s.goesOn(o.step.picks)
	if o.step.Event.Kind != 0 {
		a.Kind = contract.Row(&o.step.Event).Class
	}
	for _, l := range s.run.did(&o.step.Step) {
		a.Did = append(a.Did, strings.TrimSpace(l.String()))
	}
	if o.failure != nil {
		a.Fails = o.failure.Verdict.String() + ": " + o.failure.Message
	}
	a.Live = s.run.verdicts[o.step.verdict].live
	return a
}

// goesOn reports whether these answers, to the choice of the event and to its coins, are
// those of the branch's next step.
func (s Look) goesOn(picks []choose.Pick) bool {
	if s.step >= s.Len() {
		return false
	}
	next := s.here.at(s.step + 1).picks
	if len(next) != len(picks) {
		return false
	}
	for i := range next {
		if next[i] != picks[i] {
			return false
		}
	}
	return true
}

// Cone returns the step of at, and all steps that could have influenced it: those that
// happened before it.
func (s *Session) Cone(at Look) []int {
	if at.step == 0 {
		return []int{}
	}
	return s.drawings.of(at.Cursor).graph.Cone(at.step)
}

// Aligned says which steps of two branches are the same event.
type Aligned struct {
	With   string   `json:"with"`
	Steps  int      `json:"steps"`  // number of steps of the other branch
	Prefix int      `json:"prefix"` // number of first steps that are the same in both
	Same   [][3]int `json:"same"`   // stretches of equal steps; each has the number of steps before it in either run, and its length
}

// Aligned returns which steps of the branches of at and with are the same event.
func (s *Session) Aligned(at, with Look) Aligned {
	al := s.alignment(at.Cursor, with.Cursor)
	out := Aligned{With: with.here.name, Steps: with.Len(), Prefix: al.Prefix, Same: [][3]int{}}
	for _, m := range al.Same {
		out.Same = append(out.Same, [3]int{m.A, m.B, m.N})
	}
	return out
}

// Perfetto returns the branch of at as a trace for ui.perfetto.dev, and the method picture
// its event graph, with arrows.
func (s *Session) Perfetto(at Look) (json.RawMessage, error) {
	var b bytes.Buffer
	err := s.drawings.of(at.Cursor).graph.Perfetto(&b, fmt.Sprintf("%s, %s", s.run.name(), at.where()), eventgraph.Part{})
	return b.Bytes(), err
}
