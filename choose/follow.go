package choose

import (
	"slices"
	"strings"
)

// Follow answers with the events of a list of steps, by identity, and skips steps that are
// not possible. A coin falls as recorded if it is asked again and that side exists;
// otherwise it falls on its first side that is not rare. So a run from which steps were
// removed continues with the remaining ones.
type Follow struct {
	steps []Step
	pos   int      // the index of the next step
	coins []Choice // the coins recorded for the current step
	taken []int
	texts []string // identities of the alternatives of the question; "" if not computed yet
	path  Path
	err   error

	// Like, if set, returns the form of an identity, for example the identity without the values of a message.
	// If a step is not possible, Follow takes the possible event of the same form whose identity is most
	// similar, and does the same for the sides of a coin.
	Like func(what string) string

	// Causes, if set, has the cause of each step in the run from which the steps were taken. If Follow has taken
	// the cause of a step, it takes the message or task of the same form that this cause sends or posts now,
	// whatever its identity. If only another message of that form is possible, which may be ahead in the queue,
	// Follow delivers that message first. If a task is not possible, Follow runs another task of the node first,
	// since that one may post it. If an event is more similar to a later step than to the next one, Follow
	// leaves the event to the later step. Causes needs Like.
	Causes []Cause
	// Cones makes Follow skip a message or task whose cause it skipped, even if a similar one is possible.
	Cones bool
	now   []int // by number of a step in the other run: the number of that step in this run; 0 means none
	extra int   // the number of events that were taken only because they might be ahead of another one
}

// A Cause names the step that sent the message or posted the task of a step. Steps are numbered from 1.
type Cause struct {
	Number int    // the number of the step itself
	Of     int    // the number of the step that sent the message or posted the task; below 1 means none, or not known
	Queues bool   // messages of the same form (see Follow.Like) may be ahead of it in its channel
	Ahead  string // the beginning of the identities of other events that may have to come first, or ""
}

// Caused is implemented by alternatives that know which step sent their message or posted their task.
type Caused interface {
	// Cause returns the number of the step that sent the message or posted the task of alternative i. It returns a
	// number below 1 if there is none, or if it is not known.
	Cause(i int) int
}

// extraMost is the largest number of unrecorded events that Follow takes in a run. It takes such an
// event only if a recorded one may have to wait for it, for example behind it in a queue.
const extraMost = 8

// NewFollow returns a source that follows steps, after the coins of a start.
func NewFollow(start []Choice, steps []Step) *Follow {
	return &Follow{steps: steps, coins: start}
}

// Taken returns the indices of the steps that were possible.
func (f *Follow) Taken() []int { return f.taken }

// Path returns the answers so far, with an empty header.
func (f *Follow) Path() *Path { return &f.path }

// Err returns ErrEnd if the steps are used up, or nil.
func (f *Follow) Err() error { return f.err }

// Answer returns the pick for the next possible step, or for a coin.
func (f *Follow) Answer(q *Question) int {
	if f.err != nil {
		return no
	}
	if q.Kind == Coin {
		return f.coin(q)
	}
	f.texts = slices.Grow(f.texts[:0], q.N)[:q.N]
	clear(f.texts)
	for ; f.pos < len(f.steps); f.pos++ {
		s := &f.steps[f.pos]
		k, first := f.alternative(q, s), no
		if f.Causes != nil {
			if k, first = f.caused(q, s, k); k < 0 && first < 0 {
				first = f.ahead(q)
			}
		}
		switch {
		case k >= 0:
			f.coins = s.Coins
			f.taken = append(f.taken, f.pos)
			f.path.add(Choice{Kind: Event, Of: q.N, Pick: k, What: f.text(q, k)})
			if f.Causes != nil {
				f.came(f.Causes[f.pos].Number)
			}
			f.pos++
			return k
		case first >= 0:
			f.coins = nil
			f.path.add(Choice{Kind: Event, Of: q.N, Pick: first, What: f.text(q, first)})
			return first
		}
	}
	f.err = ErrEnd
	return no
}

// alternative returns the number of the alternative to take for a recorded step, or -1 if there is none.
func (f *Follow) alternative(q *Question, s *Step) int {
	k := f.find(q, s.Event.What, s.Event.Pick)
	if k < 0 && f.Like != nil {
		k = nearest(q.N, s.Event.What, f.Like, func(k int) string { return f.text(q, k) })
		if k >= 0 && f.Causes != nil && f.later(f.text(q, k)) {
			return no
		}
	}
	return k
}

// laterMost is the number of recorded steps that the method later searches, beginning with the one
// after the next.
const laterMost = 64

// later reports whether the event with the identity what is more similar to some later recorded step of
// the same form than to the next step. Then it is the event of that later step, and the event of
// the next step is missing.
func (f *Follow) later(what string) bool {
	form, now := f.Like(what), near(what, f.steps[f.pos].Event.What)
	for _, s := range f.steps[f.pos+1 : min(len(f.steps), f.pos+1+laterMost)] {
		if near(what, s.Event.What) > now && f.Like(s.Event.What) == form {
			return true
		}
	}
	return false
}

// came records that the step just taken in this run stands for step number of the recorded run.
func (f *Follow) came(number int) {
	for number >= len(f.now) {
		f.now = append(f.now, 0)
	}
	f.now[number] = len(f.path.Steps)
}

// caused returns the alternative k that stands for the recorded step s: the message or task of k was
// sent or posted by the step of this run that stands for the recorded cause of s. is is the
// alternative that was found by identity, or -1. If no alternative has the right cause, k is is. But
// if is may be another message, ahead of the one of s in a queue, then k is -1 and first is is, which
// has to be taken first; otherwise first is -1.
func (f *Follow) caused(q *Question, s *Step, is int) (k, first int) {
	c := f.Causes[f.pos]
	of, ok := q.Alternatives.(Caused)
	if c.Of < 1 || !ok {
		return is, no
	}
	if f.skipped(c.Of) {
		if f.Cones {
			return no, no
		}
		return is, no
	}
	k = nearest(q.N, s.Event.What, f.Like, func(k int) string {
		if of.Cause(k) != f.now[c.Of] {
			return ""
		}
		return f.text(q, k)
	})
	switch {
	case k >= 0 || is < 0:
		return k, no
	case !c.Queues:
		return is, no
	case f.extra >= extraMost:
		return no, no
	default:
		f.extra++
		return no, is
	}
}

// ahead returns the number of an alternative that may have to be taken before the next recorded step is
// possible, or -1 if there is none.
func (f *Follow) ahead(q *Question) int {
	c := f.Causes[f.pos]
	if c.Ahead == "" || f.extra >= extraMost || f.Cones && f.skipped(c.Of) {
		return no
	}
	for k := range q.N {
		if strings.HasPrefix(f.text(q, k), c.Ahead) {
			f.extra++
			return k
		}
	}
	return no
}

// skipped reports whether Follow has skipped step number of the recorded run, so that no step of
// this run stands for it.
func (f *Follow) skipped(number int) bool { return number >= len(f.now) || f.now[number] == 0 }

// nearest returns the index of that one of n texts which has the same form as what and is most similar
// to it. It returns the first of several equally similar texts, and -1 if none has
// that form. like returns the form of a text.
func nearest(n int, what string, like func(string) string, text func(int) string) int {
	form, best, most := like(what), no, -1
	for k := range n {
		if t := text(k); like(t) == form {
			if common := near(t, what); common > most {
				best, most = k, common
			}
		}
	}
	return best
}

// near returns how similar two identities are: the length of their common beginning plus that of their common
// end.
func near(a, b string) int {
	n := min(len(a), len(b))
	head := 0
	for head < n && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head + tail
}

// text returns the identity of an alternative.
func (f *Follow) text(q *Question, k int) string {
	if f.texts[k] == "" {
		f.texts[k] = q.Alternatives.Alternative(k)
	}
	return f.texts[k]
}

// find returns the number of the alternative with the identity what, or -1 if there is none. It looks
// first at the number near, where the alternative was in the recorded run, and then farther and
// farther away.
func (f *Follow) find(q *Question, what string, near int) int {
	near = min(near, q.N-1)
	for d := 0; near-d >= 0 || near+d < q.N; d++ {
		for _, k := range [2]int{near - d, near + d} {
			if k < 0 || k >= q.N {
				continue
			}
			if f.text(q, k) == what {
				return k
			}
		}
	}
	return no
}

// coin answers as recorded if it can. It drops recorded coins that are not asked any more.
func (f *Follow) coin(q *Question) int {
	k := f.recorded(q)
	if k < 0 {
		k = usual(q)
	}
	f.path.add(Choice{Kind: Coin, Of: q.N, Pick: k, What: what(q, k)})
	return k
}

// recorded returns the recorded answer for a coin, or -1 if there is none.
func (f *Follow) recorded(q *Question) int {
	for i, c := range f.coins {
		for d := range min(q.N, maxPossible) { // a coin with very many sides is tried only near the recorded side
			k := (c.Pick + d) % q.N
			if what(q, k) == c.What {
				f.coins = f.coins[i+1:]
				return k
			}
		}
	}
	if f.Like == nil {
		return no
	}
	for i, c := range f.coins {
		if k := nearest(min(q.N, maxPossible), c.What, f.Like, func(k int) string { return what(q, k) }); k >= 0 {
			f.coins = f.coins[i+1:]
			return k
		}
	}
	return no
}

// usual returns the first side of a coin that is not rare.
func usual(q *Question) int {
	k := 0
	for _, r := range q.Runs {
		if r.Weight > 0 {
			return k
		}
		k += r.N
	}
	return 0
}
