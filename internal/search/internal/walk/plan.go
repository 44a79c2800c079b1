package walk

import (
	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
)

// A Strategy makes the plans of a search's walks. A plan is a function of the number of its walk. It also
// depends on the seed, the prefix and the length of walks, which are the same for all goroutines and
// processes that take walks.
type Strategy interface {
	// Plan returns the plan of walk number i. l is the length that walks have at present: each false
	// alarm makes later walks longer.
	Plan(i int, l Length) Plan
}

// A Plan describes one walk. It is made before the walk begins.
type Plan struct {
	Number  uint64      // the number of the stream from which its answers are drawn
	Begin   *run.Fork   // where it begins; nil means at the start
	Climate run.Climate // of the whole run; a storm ends where the environment heals
	Storm   Storm       // when faults happen in the storm
	Judged  int         // the depth from which the walk is judged for liveness: after the answers that lead to its beginning, and after its storm
	Length  Length
	Guide   Guide   // how events are picked at depths below Judged
	Picker  Picker  // picks the later events; nil means by weight
	Uniform bool    // all events that are not rare have equal chances
	Stormy  bool    // the walk begins with a storm, or with the steps of a storm in which no faults happen
	Ends    bool    // the walk ends with its storm, so it is checked for safety only
	From    int     // the number of the corpus's state at which the walk begins, counted from 1; 0 means none
	lead    *kept   // that state, or nil
	keeps   bool    // states that the walk meets may be added to the corpus: other walks can begin there in the same climate
	detour  *detour // how the walk goes around known failures, or nil
	near    int     // the depth at which walks begin if not at a state of the corpus: the length of the search's prefix
}

// Length says when a walk ends. Steps are counted from the depth Plan.Judged. After the first Least steps,
// the walk ends at the next live state. If there is none in the Most steps that follow, the walk ends, and
// is suspected.
//
// During the first Least steps, the walk does not end at live states, and few states are evaluated. From
// step Glance on, each state is evaluated until one is live or does not count for liveness. For the next
// Most steps none is evaluated, then again each state until one is live or does not count, and so on. If
// there is no such state in Most steps, the walk ends, and is suspected.
type Length struct {
	Least  int
	Most   int
	Glance int     // during the first Least steps, look for a live state from this step on; 0 means never
	Look   int     // end the walk after this many steps without a live state, so that its last state is examined; 0 means after Most
	Waits  bool    // do not end the walk before all messages, timers and requests have come that were possible where it began
	Spells bool    // take all Most steps, and record the longest sequence of steps without a live state
	Heals  int     // with a Portfolio: of every healsOf walks that have a storm, this many heal and are judged; the others end with their storm
	Lacks  Moments // the moments for which no fault waits, since the system does not seem to have them
	Around bool    // go around failures that are already known
	Exempt bool    // a state that does not count for liveness ends the walk as a live state does
}

// looks are the numbers of steps without a live state after which a walk is examined, long before it is
// suspected. By then most dead walks have long been dead.
var looks = [...]int{500, 2_000}

// Longer raises Look to the next number in looks that is well below Most, or else sets it to 0, which stands
// for Most.
func (l *Length) Longer() {
	was := l.Look
	l.Look = 0
	for _, n := range looks {
		if n > was && 2*n <= l.Most {
			l.Look = n
			return
		}
	}
}

// until returns the number of steps without a live state after which a walk ends.
func (l *Length) until() int {
	if l.Look > 0 {
		return l.Look
	}
	return l.Most
}

// Least is the default number of steps for which a walk from the start goes on even if its states are
// live, so that failures in steady state have time to happen.
const Least = 200

// A Storm distributes faults over the steps before a walk heals: in a step called a gust they are as
// likely as other events, and in other steps they do not happen.
type Storm struct {
	Calm  int  // no step before this depth is a gust
	Every int  // number of steps from one gust to the next
	Stuck bool // a fault may also happen in another step if no other event is possible
}

// gust reports whether the step from a depth is a gust.
func (s *Storm) gust(depth int) bool { return depth >= s.Calm && depth%s.Every == 0 }

// A Picker picks the events of a walk that should not be picked by their weights alone.
type Picker interface {
	// Pick answers question q, which asks for the next event in w and gives each alternative a weight. It
	// calls by to answer q, or to answer a copy of q with other weights, so that the answer is recorded
	// and can be repeated.
	Pick(w *world.World, q *choose.Question, by *choose.Walk) int
}

// Weighted is the strategy that picks events by weight. If the environment may misbehave,
// every second walk begins with a storm.
type Weighted struct {
	Fair   *run.Fork // where walks without faults begin; nil means at the start
	Base   int       // number of steps that lead to Fair and to Faulty
	Stormy bool      // the system has faults
	Faulty *run.Fork // where walks with faults begin; nil means at the start

	Uniform bool
}

// Plan returns the plan of walk number i.
func (s *Weighted) Plan(i int, l Length) Plan {
	p := Plan{Number: uint64(i), Length: l, Uniform: s.Uniform, near: s.Base}
	if i%2 == 1 && s.Stormy {
		p.Begin = s.Faulty
		p.storm(uint64(i), s.Base)
	} else {
		p.Begin, p.Climate, p.Judged = s.Fair, run.Fair, s.Base
	}
	return p
}

// storm makes the walk begin with a storm. The depth where it heals depends only on i. Storms in which
// every step is a gust use up the fault budgets at once; others let the protocol progress before a fault
// happens. If walks must go on while they are live, half of the storms begin late, at any step of the
// first half.
func (p *Plan) storm(i uint64, base int) {
	const shortest, spread = 4, 117
	p.Storm = Storm{Calm: base, Every: 1}
	heal := shortest + int(i*i%spread)
	if p.Length.Least > Least && i&4 != 0 {
		p.Storm.Calm += int(i * golden >> 32 % uint64(p.Length.Least/2))
		p.Storm.Stuck = true
	}
	if i%4 == 3 {
		p.Storm.Every = 5
	}
	heal += p.Storm.Calm
	p.Climate, p.Judged, p.Stormy = run.Climate{Faults: true, Heal: heal}, heal+1, true
}

// From returns the plan of a walk of at most this many steps that begins at fork k, in a run with climate
// c. If that run may have faults and the environment has not healed before the fork, it heals in the first
// step.
func From(k *run.Fork, c run.Climate, most int) Plan {
	p := Plan{Begin: k, Climate: c, Judged: k.Steps, Storm: Storm{Every: 1}, Length: Length{Most: most}}
	if c.Faults && (c.Heal < 0 || c.Heal >= k.Steps) {
		p.Climate.Heal, p.Judged = k.Steps, k.Steps+1
	}
	return p
}

// Apart returns a copy of the plan for another walk, whose random numbers are different. If the plan
// has a guide, the other walk ends with its storm.
func (p Plan) Apart() Plan {
	p.Number |= 1 << 49
	p.Ends = p.Guide.Until > 0
	return p
}

// Alike gives all events that are not rare equal chances.
func (p *Plan) Alike() { p.Uniform = true }

// Weather changes the plan so that the walk begins with a storm of this many steps, after which
// the environment heals.
func (p *Plan) Weather(steps int) {
	p.Climate.Heal += steps
	p.Judged += steps
}
