package explore

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"sync"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/shard"
	"macemc/internal/world"
	"macemc/trace"
)

// Remote visits states that other processes found, and puts the states to which their steps lead
// into an outbox. It does not keep the states; a [shard.Set] keeps which are known.
//
// It makes a state from the identities of its parts if its bank has all of them, and otherwise by
// taking the run that leads to the state. The parts of the states along that run are in the bank
// from then on.
type Remote struct {
	x   *Explorer
	out *Outbox

	first  uint32 // the number of the first state of this visit
	runs   []byte // the paths of the states of this visit, one after the other
	ends   []int  // the index in runs where each path ends
	wrongs []RemoteWrong
	fails  error // the error that ended the visit, or nil
	depth  int
	made   int    // number of states that were made by their runs
	making []byte // the run of the state that is being made, or nil

	alone *Alone       // selects the states, if a process of its own visits the group; otherwise nil
	read  int          // number of the group's states that were read, for alone
	at    []int        // by state of this visit: its number in the group, for alone
	left  []RemoteLeft // states that alone made it leave out

	ids     []uint32   // the numbers in the bank of a batch's parts; unknown for a part that the bank does not have
	bys     []byNumber // the numbers of a batch's last steps
	lacks   int        // number of parts of the last state that the bank does not have
	vector  world.Vector
	changed []change
	steps   []shard.Step
	walked  walked
}

// RemoteWrong is a failure of the service in the last step of a run, or in the state after it.
type RemoteWrong struct {
	Path          []byte
	Depth         int // the number of the run's steps
	Key           canon.Hash
	Dead, Strayed bool
}

// Alone selects the states of a group that are visited in a separate process, one after another,
// since one of them may end the process in which it is visited.
type Alone struct {
	New    []bool          // by number of a state in the group: whether the state is visited
	Leave  []int           // numbers of states that are not judged or expanded; from now on they count as known
	Begins func(state int) // called before a state is judged, and before its steps are taken
}

// RemoteLeft is the run to a state that was not judged or expanded, since Alone.Leave has it.
type RemoteLeft struct {
	Path  []byte
	Depth int
}

// Before reports whether w, and not o, is reported; both are failures at the same depth. The order
// does not depend on timing.
func (w *RemoteWrong) Before(o *RemoteWrong) bool {
	if w.Strayed != o.Strayed {
		return w.Strayed
	}
	if w.Dead != o.Dead {
		return o.Dead
	}
	return w.Key.Hi < o.Key.Hi || w.Key.Hi == o.Key.Hi && w.Key.Lo < o.Key.Lo
}

// ErrRemote means that a run from another process led to another state in this one.
var ErrRemote = errors.New("a run that another process took leads to another state in this one: the service does not do the same each time")

// Common is what the remotes of one process share: the parts of states, and the lists of answers to
// coins.
type Common struct {
	mu    sync.Mutex
	bank  *world.Bank // a bank that belongs to no world
	lists *CoinLists
}

// joins makes taker t use the shared bank and lists.
func (c *Common) joins(t *Taker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bank == nil {
		c.bank, c.lists = t.Bank.Share(), t.Lists
		return
	}
	t.numbers(c.bank.Share(), c.lists)
}

// NewRemote returns a remote. If memo is true, it looks steps up in a memo, otherwise it takes them
// in the world.
func (r *Owner) NewRemote(c run.Climate, memo bool, common *Common, out *Outbox) (*Remote, error) {
	x, err := r.NewExplorer(c, nil)
	if err != nil {
		return nil, err
	}
	common.joins(x.Taker)
	g := &Remote{x: x, out: out, vector: make(world.Vector, x.Bank.Places())}
	if memo {
		m := x.ByMemo()
		if !r.Sys.Within.IsZero() { // another process may find a state of the level outside, and not expand it
			m.LooksAllUp()
		}
	}
	out.of(x.Bank)
	x.serves(g)
	x.begin()
	return g, nil
}

// serves makes the explorer hand the states that it reaches, and failures, to remote g.
func (x *Explorer) serves(g *Remote) {
	x.Visitor, x.runs = g, g.answers
	x.Among = func(bad *Wrong) { g.wrong(bad) }
}

// Close frees the remote's memory.
func (g *Remote) Close() { g.x.Close() }

// Begin begins a visit of states of the given depth. If alone is not nil, only the states that it
// selects are visited.
func (g *Remote) Begin(depth int, alone *Alone) {
	g.x.forget()
	g.alone, g.read, g.at, g.left = alone, 0, g.at[:0], nil
	g.first, g.runs, g.ends, g.wrongs, g.fails, g.depth, g.made = g.x.End(), g.runs[:0], g.ends[:0], nil, nil, depth, 0
}

// path returns the run to state s of this visit.
func (g *Remote) path(s uint32) []byte {
	k := s - g.first
	if k == 0 {
		return g.runs[:g.ends[0]]
	}
	return g.runs[g.ends[k-1]:g.ends[k]]
}

// Depth returns the depth of the states from which the visited states were reached.
func (g *Remote) Depth() int { return g.depth - 1 }

// Len returns the number of new states in this visit so far.
func (g *Remote) Len() int { return len(g.ends) }

// Came returns the failures of this visit so far. It also reports whether all states were inside
// System.Within, whether some answers to coins were not tried, whether some faults were not
// taken, and how many states were made by taking the runs that lead to them.
func (g *Remote) Came() (wrongs []RemoteWrong, inside, sampled, spared bool, made int) {
	return g.wrongs, g.x.Inside, g.x.Sampled, g.x.Spared, g.made
}

// Left returns the states that were not judged or expanded in this visit, since Alone.Leave has
// them.
func (g *Remote) Left() []RemoteLeft { return g.left }

// Dear returns the nodes whose steps are always taken in the world, one bit each: see worth.
func (g *Remote) Dear() uint64 { return g.x.Dear() }

// Take reads batch b. It adds the states of b that are not yet in known, and judges them.
func (g *Remote) Take(b *shard.Batch, known *shard.Set) error {
	if b.Places > len(g.vector) {
		return shard.ErrDamaged
	}
	g.ids, g.bys, g.lacks = g.ids[:0], g.bys[:0], 0
	for _, p := range b.Parts {
		g.ids = append(g.ids, g.number(p))
	}
	for _, step := range b.Steps {
		g.bys = append(g.bys, g.x.bys.number(by(step)))
	}
	clear(g.vector)
	for more := true; more && g.fails == nil; {
		g.guarded(func() (err error) {
			for {
				if more, err = b.Next(); !more || err != nil {
					return err
				}
				g.moves(b)
				if g.takes(b, known) {
					if err := g.state(b); err != nil {
						return err
					}
				}
			}
		})
	}
	return g.fails
}

// takes reports whether the state that was just read from b must be visited. It adds the state to
// known if it must be, or if Alone.Leave has it.
func (g *Remote) takes(b *shard.Batch, known *shard.Set) bool {
	k, a := g.read, g.alone
	g.read++
	switch {
	case a == nil:
		return known.Add(b.Sum)
	case k >= len(a.New) || !a.New[k] || !known.Add(b.Sum):
		return false
	case slices.Contains(a.Leave, k):
		g.left = append(g.left, RemoteLeft{bytes.Clone(b.Path), g.depth})
		return false
	}
	a.Begins(k)
	return true
}

// unknown stands for the number of a part that the bank does not have.
const unknown = math.MaxUint32

// number returns the number of part p in the bank, or unknown.
func (g *Remote) number(p shard.Part) uint32 {
	if p.Sum == (canon.Hash{}) {
		return 0
	}
	if id := g.x.Bank.Number(p.Place, p.Sum); id != 0 {
		return id
	}
	return unknown
}

// moves sets g.vector to the state that was just read from b.
func (g *Remote) moves(b *shard.Batch) {
	for _, k := range b.Changed {
		at := &g.vector[b.Parts[k].Place]
		g.lacks += count(g.ids[k] == unknown) - count(*at == unknown)
		*at = g.ids[k]
	}
}

// finds looks again for the parts of the state that the bank did not have, and reports whether it
// has them all now.
func (g *Remote) finds(b *shard.Batch) bool {
	for place, k := range b.Of {
		if k == 0 || g.vector[place] != unknown {
			continue
		}
		k--
		if g.ids[k] == unknown {
			g.ids[k] = g.number(b.Parts[k])
		}
		if g.vector[place] = g.ids[k]; g.ids[k] != unknown {
			g.lacks--
		}
	}
	return g.lacks == 0
}

// state visits the state that was just read from b.
func (g *Remote) state(b *shard.Batch) error {
	x := g.x
	if g.lacks > 0 && !g.finds(b) {
		if err := g.make(b.Path, b.Sum); err != nil {
			return err
		}
		if !g.finds(b) {
			return ErrRemote
		}
	}
	x.Pack(g.vector)
	s := x.append(Origin{Parent: NoParent})
	for int(s-g.first) > len(g.ends) { // a block was left before it was full
		g.ends = append(g.ends, len(g.runs))
	}
	g.runs = append(g.runs, b.Path...)
	g.ends = append(g.ends, len(g.runs))
	if g.alone != nil {
		g.at = append(g.at, make([]int, len(g.ends)-len(g.at))...)
		g.at[len(g.at)-1] = g.read - 1
	}
	if b.Last > 0 {
		x.came(g.bys[b.Last-1])
	}
	x.standsAt(Spot{Current: s, LastEvent: noEvent})
	load := x.Bring
	if x.Owner.Share.Every == 0 {
		load()
		x.weigh()
		load = nil
	}
	return x.visit(b.Sum, x.Bank.NodesSum(g.vector), x.Bank.InFlight(g.vector), b.More, load)
}

// standsAt makes s the step that the taker took last.
func (t *Taker) standsAt(s Spot) { t.Spot = s }

// make takes the run of path, which must lead to the state with identity h, so that the bank gets
// the state's parts.
func (g *Remote) make(path []byte, h canon.Hash) (err error) {
	x := g.x
	g.made++
	g.making = path
	if g.steps, err = shard.Steps(g.steps[:0], path); err != nil {
		return err
	}
	end, err := g.walked.to(x, path, g.steps)
	if err != nil {
		return err
	}
	if x.Sum(end) != h {
		return ErrRemote
	}
	g.making = nil
	return nil
}

// walked holds the run that was taken last, and its states. The next run mostly begins with the
// same steps.
type walked struct {
	path []byte
	at   []world.Vector // the state after each step of the run
	n    int            // how many states of at belong to the run
}

// to takes the run of path, whose elements are steps, and returns its last state. If the last run
// began with the same steps, these are not taken again.
func (w *walked) to(x *Explorer, path []byte, steps []shard.Step) (world.Vector, error) {
	same := 0
	for same < len(path) && same < len(w.path) && path[same] == w.path[same] {
		same++
	}
	k := 0
	for k < min(len(steps), w.n) && steps[k].End <= same {
		k++
	}
	w.path, w.n = append(w.path[:0], path...), k
	if k > 0 && k < len(steps) {
		x.World.State.Load(x.Bank, w.at[k-1])
	}
	for ; k < len(steps); k++ {
		s := &steps[k]
		x.Owner.Pulse.Tick()
		switch {
		case k == 0:
			x.World.Start(&run.Answers{Start: s.Coins})
		case s.Event >= x.World.Events.Count() || x.World.Retake(s.Event, s.Coins) != world.Stepped:
			return nil, ErrRemote
		}
		x.Owner.Pulse.Pass()
		if x.World.Run.Failed() != nil {
			return nil, ErrRemote
		}
		if k == len(w.at) {
			w.at = append(w.at, make(world.Vector, x.Bank.Places()))
		}
		x.World.State.Save(x.Bank, w.at[k])
		w.n = k + 1
	}
	return w.at[len(steps)-1], nil
}

// Expand takes all steps of the states of this visit.
func (g *Remote) Expand() error {
	x := g.x
	level := x.Level()
	for k, n := 0, level.Len(); k < n && g.fails == nil; {
		g.guarded(func() (err error) {
			level.Some(k, n-k, func(i int, s uint32) bool {
				k = i + 1
				if !x.Outside(s) {
					err = g.expand(s)
				}
				return err == nil
			})
			return err
		})
	}
	if g.fails == nil {
		g.guarded(x.Settle)
	}
	return g.fails
}

// expand takes the steps of a state.
func (g *Remote) expand(s uint32) error {
	if g.alone == nil {
		return g.x.Expand(s)
	}
	g.alone.Begins(g.at[s-g.first])
	if err := g.x.Expand(s); err != nil {
		return err
	}
	return g.x.Settle() // now, and not with the steps of other states
}

// guarded calls do, which takes steps. It records a failure of the service. An error ends the
// visit.
func (g *Remote) guarded(do func() error) {
	bad, err := g.x.Owner.Guarded(g.x.Taker, do)
	var mismatch *choose.Mismatch
	switch {
	case errors.As(err, &mismatch), err == ErrRemote:
		g.wrong(&Wrong{Failure: g.x.World.Run.Failure(trace.VerdictNondeterminism, ""), Strayed: true})
	case bad != nil:
		g.wrong(bad)
	case err != nil:
		g.fails = err
	}
	g.x.Resume()
}

// wrong records a failure of the service.
func (g *Remote) wrong(bad *Wrong) {
	var answers *run.Answers
	if g.making == nil {
		answers = bad.Run(g.x.Taker)
	} else { // another process took this run without a failure
		answers, _ = AnswersOf(g.making)
		bad, g.making = &Wrong{Failure: bad.Failure, Strayed: true}, nil
	}
	w := RemoteWrong{Depth: len(answers.Steps), Dead: bad.Dead, Strayed: bad.Strayed, Path: shard.AppendStep(nil, 0, answers.Start)}
	for _, s := range answers.Steps {
		w.Path = shard.AppendStep(w.Path, s.Event, s.Coins)
	}
	if f := bad.Failure; f != nil {
		w.Key = canon.OfString(f.Verdict.String() + f.Property + f.Identity + f.Message)
	}
	w.Key = w.Key.Then(g.x.World.State.Hash())
	g.wrongs = append(g.wrongs, w)
}

// answers returns the answers of the run to state s.
func (g *Remote) answers(s uint32) run.Answers {
	answers, err := AnswersOf(g.path(s))
	if err != nil {
		panic("macemc bug: search: a path that was read cannot be read again: " + err.Error())
	}
	return *answers
}

// AnswersOf returns the answers that are encoded in a path.
func AnswersOf(path []byte) (*run.Answers, error) {
	steps, err := shard.Steps(nil, path)
	if err != nil || len(steps) == 0 {
		return nil, errors.Join(err, shard.ErrDamaged)
	}
	answers := &run.Answers{Start: steps[0].Coins}
	for _, s := range steps[1:] {
		answers.Steps = append(answers.Steps, run.Taken{Event: s.Event, Coins: s.Coins})
	}
	return answers, nil
}

// Arrived checks the state to which a step in the world led, and adds it to the outbox if another
// process may need it. It implements Visitor.
func (g *Remote) Arrived(state uint32, k int) error {
	x := g.x
	x.Owner.Counts.transition()
	x.Owner.Share.Took(1, false)
	if failure := x.steps.Check(state); failure != nil {
		x.answered()
		return x.wrong(failure, false)
	}
	h := x.World.State.Hash()
	if failure := x.World.Run.Failed(); failure != nil {
		return &Wrong{Failure: failure}
	}
	x.answered()
	if failure := x.World.Judge.CheckLinks(); failure != nil {
		return x.wrong(failure, false)
	}
	if g.out.wants(h) {
		x.World.State.SaveMoved(x.Bank)
		g.out.send(h, g.path(state), k, x.lastCoins, shard.Last{}, x.World.State.At())
	}
	return nil
}

// LookUp does what Arrived does for each state in the batch of memo m. It implements Visitor.
func (g *Remote) LookUp(m *Memo) error {
	x := g.x
	x.Owner.Share.Took(len(m.Next)+len(m.seen), false)
	x.Owner.Pulse.Tick()
	for range m.seen {
		m.Unasked++
		x.Owner.Counts.transition()
	}
	from := int32(-1)
	for j := range m.Next {
		c := &m.Next[j]
		p := &m.Parents[c.Parent]
		x.Owner.Counts.transition()
		if failure := x.steps.lookUp(m, c); failure != nil {
			if err := x.wrongStep(failure); err != nil {
				return err
			}
			continue
		}
		if !g.out.wants(c.Sum) {
			continue
		}
		if c.Parent != from {
			from = c.Parent
			x.Get(p.State, g.vector)
		}
		g.changed = g.changed[:0]
		for _, ch := range m.changes[c.first:c.last] {
			g.changed = append(g.changed, change{ch.place, g.vector[ch.place]})
			g.vector[ch.place] = ch.id
		}
		last := shard.Last{More: p.both && c.by != 0}
		if c.by != 0 {
			last.By = uint32((*x.bys.all.Load())[c.by])
		}
		g.out.send(c.Sum, g.path(p.State), int(c.event), x.Lists.Get(c.coins), last, g.vector)
		for i := len(g.changed) - 1; i >= 0; i-- {
			g.vector[g.changed[i].place] = g.changed[i].id
		}
	}
	return nil
}
