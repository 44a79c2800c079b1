package mdb

import (
	"errors"
	"fmt"
	"time"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/canon"
	"macemc/internal/numerals"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// run is a run that was opened, with all branches that leave it, and the player that computes
// their states.
type run struct {
	title    string // the name of the file or of the system
	hangs    string // the event of the step that was recorded as one that never returns
	header   []choose.Field
	recorded *choose.Path // the path that was opened; nil if the run is explored by hand
	parted   bool         // the code does something else now than the path records
	decided  bool         // the field otherwise was computed
	// otherwise describes how the run ends now, if the path can be followed and the run
	// ends in another way than recorded.
	otherwise string
	was       string // the file that shows the run as it was recorded, if parted is set, or ""
	player    *search.Player
	trunk     *branch
	branches  Branches

	names    []string  // names of the properties that are evaluated
	always   int       // the number of safety properties; liveness properties come after them
	verdicts []verdict // the distinct verdicts about states
	known    map[string]uint32

	on   *branch // the branch where the player is, after its step at; nil means nowhere
	at   int
	tape tape

	spacing int // the number of steps between two keyframes
	weight  int // the approximate size of a keyframe in bytes
	frames  int

	cached []cachedState
	read   world.Readings // the forms for people of values that have one, in all states so far
	exact  bool           // values are shown in the form in which states are compared
	busy   *Busy
}

// verdict is the value of each property in a state.
type verdict struct {
	holds []bool // by property: the safety properties, then the liveness properties
	live  bool   // all liveness properties and System.Assume hold, and no crashed node has yet to restart
}

// Busy watches long work. Each of its functions may be nil.
type Busy struct {
	Stop     func() bool                        // called now and then; returns true to end the work
	Progress func(what string, done, total int) // called from time to time; total is 0 if it is not known

	Stuck   time.Duration                      // a handler that takes longer than this is reported as stuck; 0 means that none is
	OnStuck func(where, message, stack string) // called on another goroutine for a handler that is stuck, since the work never ends

	calls  int
	within bool // the work is a part of other work, which reports the progress of both
}

// watch sets the functions that are called during long work. If an argument is nil, the present function stays.
func (b *Busy) watch(stop func() bool, progress func(what string, done, total int)) {
	if stop != nil {
		b.Stop = stop
	}
	if progress != nil {
		b.Progress = progress
	}
}

// guard makes Busy report a handler of the player that is stuck.
func (b *Busy) guard(p *search.Player) {
	if b != nil && b.OnStuck != nil && b.Stuck > 0 {
		p.Guard(b.Stuck, func(step int, message, stack string) {
			where := "the start of the nodes"
			if step > 0 {
				where = "step " + numerals.Count(step)
			}
			b.OnStuck(where, message, stack)
		})
	}
}

// tell reports that done of total steps of some work are done, and returns an error if the
// work was stopped. It is called at every step.
func (b *Busy) tell(what string, done, total int) error {
	if b == nil {
		return nil
	}
	if b.calls++; b.calls%1024 == 0 && b.Progress != nil && !b.within {
		b.Progress(what, done, total)
	}
	if b.Stop != nil && b.Stop() {
		return errStopped
	}
	return nil
}

// embrace begins a piece of work that consists of several smaller ones. Until end is called, only the
// returned function tell reports progress, and the smaller pieces report none.
func (b *Busy) embrace() (tell func(what string, done, total int), end func()) {
	if b == nil || b.within {
		return func(string, int, int) {}, func() {}
	}
	b.within = true
	return func(what string, done, total int) {
		if b.Progress != nil {
			b.Progress(what, done, total)
		}
	}, func() { b.within = false }
}

var errStopped = errors.New("stopped")

// The limits of keyframes: the number of steps between two of them at first, and the number of
// keyframes and their size in bytes beyond which every second one is dropped.
const (
	spacingFirst = 32
	framesMost   = 1024
	framesBytes  = 128 << 20
)

// newRun takes the steps of a path up to the first step that is not possible. If the path has no
// steps, it takes only the start.
func newRun(title string, sys *sim.System, path *choose.Path, busy *Busy) (*run, error) {
	player, err := search.NewPlayer(sys, path)
	if err != nil {
		return nil, err
	}
	busy.guard(player)
	r := &run{
		read: world.Readings{}, title: title, header: path.Header, recorded: path, player: player, trunk: &branch{name: "trunk"},
		known: map[string]uint32{}, spacing: spacingFirst, busy: busy,
	}
	r.branches.all = []*branch{r.trunk}
	replay := choose.NewReplay(path)
	if err := r.start(replay); err != nil {
		return nil, err
	}
	steps := path.Steps
	if v, _ := path.Get("verdict"); (v == trace.VerdictDivergence.String() || v == trace.VerdictKilled.String()) && len(steps) > 0 {
		r.hangs = steps[len(steps)-1].Event.What
		steps = steps[:len(steps)-1]
	}
	for i := range steps {
		if r.trunk.failure != nil {
			break
		}
		if err := busy.tell("taking the steps again", i, len(steps)); err != nil {
			r.trunk.stop("stopped on request")
			return r, nil
		}
		progress, err := r.extend(r.trunk, replay, wording.Identify(steps[i].Event.What).Kind == sim.KindHeal)
		if err != nil {
			return nil, err
		}
		switch {
		case progress == world.Stopped:
			r.parted = r.player.Err() != nil
			r.trunk.stop(search.Diverged(r.player.Err()))
		case progress == world.Quiet:
			r.parted = true
			r.trunk.stop(fmt.Sprintf("no event is possible any more, and the path has %s more: the code has changed since it was recorded", numerals.Many(len(path.Steps)-i, "step")))
		}
		if progress != world.Stepped {
			break
		}
	}
	if r.trunk.failure == nil {
		r.trunk.stop(r.unfinished(path))
	}
	return r, nil
}

// unfinished returns how the run differs from the path that was followed, or "" if it does not: the
// last step was not taken since it never returns, or the run ends in another state than recorded.
func (r *run) unfinished(path *choose.Path) string {
	if r.trunk.len() < len(path.Steps) {
		return fmt.Sprintf("step %s, %s, was recorded as one that never returns, and is not taken", numerals.Count(len(path.Steps)), path.Steps[len(path.Steps)-1].Event.What)
	}
	if state, ok := path.Get("state"); ok && state != r.player.World().State.Recorded().String() {
		r.parted = true
		return "every choice of the path was possible, but it ends in another state than was recorded: the code has changed since"
	}
	return ""
}

// start starts the nodes, which is what happens before step 1.
func (r *run) start(src choose.Source) error {
	r.tape = tape{Source: src}
	progress, failure := r.player.Start(&r.tape)
	if progress != world.Stepped && failure == nil {
		return fmt.Errorf("the start of the nodes cannot be taken: %w", r.player.Err())
	}
	for _, j := range r.player.World().Judge.Judgements() {
		r.names = append(r.names, j.Name)
		if !j.Liveness {
			r.always++
		}
	}
	r.trunk.begin(r.player.World().Run.Trace().Starts, r.tape.picks, r.judge(failure), failure)
	r.on, r.at = r.trunk, 0
	r.keyframe(r.trunk)
	return nil
}

// extend takes one more step at the end of a branch, or a step that heals the environment
// if heal is set. It takes none if src has no more answers.
func (r *run) extend(b *branch, src choose.Source, heal bool) (world.Progress, error) {
	if b.failure != nil {
		return world.Stopped, fmt.Errorf("the run failed in step %s, %s; go back and branch off", numerals.Count(b.len()), b.failure.Verdict)
	}
	if err := r.seek(b, b.len()); err != nil {
		return 0, err
	}
	progress, failure := r.step(src, heal)
	switch {
	case failure != nil && len(r.tape.picks) == 0: // the failure came before the choice of an event
		b.fail(failure)
		r.on = nil
		return world.Stopped, nil
	case failure != nil:
		b.fail(failure)
	case progress == world.Quiet:
		return progress, nil
	case progress != world.Stepped:
		r.on = nil // it may have been in the middle of a step
		return progress, nil
	}
	b.add(took{Step: r.lastStep(failure), picks: r.tape.picks, verdict: r.judge(failure)})
	r.on, r.at = b, b.len()
	if failure == nil {
		r.keyframe(b)
	}
	return world.Stepped, nil
}

// step makes the player take one step, which heals the environment if heal is set, and
// records the answers on the tape.
func (r *run) step(src choose.Source, heal bool) (world.Progress, *trace.Failure) {
	r.tape = tape{Source: src}
	ran := r.player.World().Run.Trace()
	ran.Steps = ran.Steps[:0]
	if heal {
		return r.player.Heal(&r.tape)
	}
	return r.player.Step(&r.tape)
}

// lastStep returns the step that was just taken. A step whose handler failed is not in the trace;
// lastStep then makes the step from the effects that the handler had before the failure.
func (r *run) lastStep(failure *trace.Failure) trace.Step {
	w := r.player.World()
	if steps := w.Run.Trace().Steps; len(steps) > 0 {
		return steps[len(steps)-1]
	}
	s := trace.Step{Index: w.Run.Steps(), Event: w.Run.LastEvent(), Node: failure.Node, Identity: failure.Identity}
	s.Effects, s.Coins = append(s.Effects, w.Run.Effects()...), w.Run.LastCoins()
	if len(r.tape.picks) > 0 {
		s.Possible = int(r.tape.picks[0].Of)
	}
	return s
}

// judge evaluates the properties in the present state of the player, and returns the number
// of the verdict.
func (r *run) judge(failure *trace.Failure) uint32 {
	w := r.player.World()
	v := verdict{holds: w.Judge.Holding(nil), live: failure == nil && w.Judge.CanBeLive() && w.Judge.Live()}
	key := fmt.Sprint(v)
	n, known := r.known[key]
	if !known {
		n = uint32(len(r.verdicts))
		r.known[key] = n
		r.verdicts = append(r.verdicts, v)
	}
	return n
}

// seek moves the player to the state after step i of a branch.
func (r *run) seek(b *branch, i int) error {
	from := -1
	if r.on != nil && r.at <= i && b.owner(r.at) == r.on.owner(r.at) {
		from = r.at
	}
	if f := b.frame(i); f != nil && f.Steps() > from {
		r.player.Restore(f)
		from = f.Steps()
	} else if from < 0 {
		r.player.Start(choose.NewRaw(b.answers(0)))
		from = 0
	}
	for r.on, r.at = b, from; r.at < i; r.at++ {
		if err := r.busy.tell("taking the steps again", r.at-from, i-from); err != nil {
			r.on = nil
			return err
		}
		if err := r.again(b, r.at+1); err != nil {
			r.on = nil
			return err
		}
	}
	return nil
}

// again makes the player repeat step i of b. It returns an error if the step now does something
// else than it did before.
func (r *run) again(b *branch, i int) error {
	t := b.at(i)
	progress, failure := r.step(choose.NewRaw(t.picks), t.Event.Kind == sim.KindHeal)
	failed := b.failure != nil && i == b.len()
	if failed && failure != nil {
		return nil
	}
	if progress != world.Stepped || failure != nil || r.lastStep(nil).Identity != t.Identity {
		return fmt.Errorf("step %s, %s, did not do the same when it was taken again: the service is not deterministic", numerals.Count(i), t.Identity)
	}
	return nil
}

// keyframe keeps the present state of the player for branch b, if the last keyframe is far
// enough away.
func (r *run) keyframe(b *branch) {
	if !r.player.CanSnapshot() || r.at%r.spacing != 0 {
		return
	}
	if r.frames%64 == 0 {
		r.weight = 0
		for _, l := range r.player.World().Text.Lines() {
			r.weight += len(l.Path) + len(l.Value)
		}
	}
	b.keep(r.player.Snapshot())
	r.frames++
	if r.frames > framesMost || r.frames*r.weight > framesBytes && r.frames > 2 {
		r.thin()
	}
}

// thin drops every second keyframe of all branches.
func (r *run) thin() {
	r.spacing *= 2
	r.frames = 0
	for _, b := range r.branches.all {
		b.thin(r.spacing)
		r.frames += len(b.frames)
	}
}

// cachedState has the lines of the state after a step.
type cachedState struct {
	of    *branch
	step  int
	lines []canon.Line
}

const cachedMost = 16

// lines returns the lines of the state after step i of a branch.
func (r *run) lines(b *branch, i int) ([]canon.Line, error) {
	owner := b.owner(i)
	for _, c := range r.cached {
		if c.of == owner && c.step == i {
			return c.lines, nil
		}
	}
	if err := r.seek(b, i); err != nil {
		return nil, err
	}
	lines := r.player.World().Text.Lines()
	r.read.Note(&r.player.World().Text, lines)
	if len(r.cached) == cachedMost {
		r.cached = append(r.cached[:0], r.cached[1:]...)
	}
	r.cached = append(r.cached, cachedState{owner, i, lines})
	return lines, nil
}

// reading returns how people are shown a value in the line of the state with this path. While
// exactly runs, that is the value itself.
func (r *run) reading(path, value string) string {
	if r.exact {
		return value
	}
	return r.read.Of(path, value)
}

// exactly calls f. While f runs, values are shown in the form in which states are compared.
func (r *run) exactly(f func() (Page, error)) (Page, error) {
	r.exact = true
	defer func() { r.exact = false }()
	return f()
}

// name returns the name of the system with the known bugs that are switched on.
func (r *run) name() string {
	w := r.player.World()
	return account.NameOf(w.System(), w.Params())
}

// tape keeps the answers that a source gives.
type tape struct {
	choose.Source
	picks []choose.Pick
}

func (t *tape) Answer(q *choose.Question) int {
	k := t.Source.Answer(q)
	if k >= 0 && k < q.N {
		t.picks = append(t.picks, choose.Pick{Of: uint32(q.N), Pick: uint32(k)})
	}
	return k
}
