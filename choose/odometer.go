package choose

import (
	"cmp"
	"math/bits"
)

// Limit bounds what an [Odometer] enumerates. Beyond it an answer is sampled,
// and the enumeration is no longer complete: Sampled says so.
type Limit struct {
	Answers      int // coins of one step that are enumerated; 0: 32
	Alternatives int // alternatives of one question that are enumerated; 0: 1,000
}

func (l Limit) answers() int      { return cmp.Or(l.Answers, 32) }
func (l Limit) alternatives() int { return cmp.Or(l.Alternatives, 1000) }

// Odometer enumerates paths depth first: each pass over the run repeats the
// prefix that it shares with the pass before, takes the next answer at the
// last choice that has one left, and answers 0 from there on.
//
// Positions count choices: a question with one alternative takes none. The
// run must be a function of the answers; where the repeated prefix is not
// asked for again as it was, the odometer stops with a [*Mismatch].
//
// Of a question with more alternatives than Limit.Alternatives that many are
// enumerated, evenly spread over all. A coin beyond Limit.Answers in its step
// gets one answer, which is a hash of the coins before it in the step: equal
// steps are sampled alike, different ones differently.
type Odometer struct {
	Limit Limit // set before the first answer

	digits  []digit // the current path: what is repeated, then what is new
	pos     int     // choices taken in this pass
	shared  int     // leading positions which the previous path had too
	again   bool    // this is not the first pass
	coins   int     // coins asked in the current step
	fold    uint64  // hash of their answers
	sampled bool
	err     error
}

// digit is one choice of the path. 0 <= try < tries <= of.
type digit struct {
	kind           Kind
	of, tries, try int
	offset         int // of the first try: not 0 only for a sampled coin
}

// answer spreads the tries evenly over the alternatives. It is below of, and
// injective in try since tries <= of; a sampled coin has the try 0 only.
func (d *digit) answer() int {
	if d.tries == d.of {
		return d.try
	}
	return d.offset + d.try*d.of/d.tries
}

// NewOdometer returns an enumeration that stands at its first path.
func NewOdometer() *Odometer { return new(Odometer) }

// Reset begins another enumeration, with the same limits.
func (o *Odometer) Reset() {
	*o = Odometer{Limit: o.Limit, digits: o.digits[:0]}
}

// Answer is the answer of this run to its next question.
func (o *Odometer) Answer(q *Question) int {
	if o.err != nil {
		return no
	}
	if q.Kind == Event {
		o.coins, o.fold = 0, 0
	}
	if q.N == 1 {
		return 0
	}
	if q.Kind == Coin {
		o.coins++
	}
	if o.pos == len(o.digits) {
		o.digits = append(o.digits, o.digit(q))
	}
	d := &o.digits[o.pos]
	if d.kind != q.Kind || d.of != q.N {
		o.err = &Mismatch{Position: o.pos, Recorded: d.kind, RecordedOf: d.of, Asked: q.Kind, Of: q.N}
		return no
	}
	o.pos++
	a := d.answer()
	if q.Kind == Coin {
		o.fold = mix(o.fold + uint64(a) + 1)
	}
	return a
}

// digit is a new choice, at its first try.
func (o *Odometer) digit(q *Question) digit {
	d := digit{kind: q.Kind, of: q.N, tries: min(q.N, o.Limit.alternatives())}
	if q.Kind == Coin && o.coins > o.Limit.answers() {
		hi, _ := bits.Mul64(mix(o.fold+uint64(o.coins)<<32), uint64(q.N))
		d.tries, d.offset = 1, int(hi)
	}
	if d.tries < d.of {
		o.sampled = true
	}
	return d
}

// Err is a [*Mismatch], or nil.
func (o *Odometer) Err() error { return o.err }

// Next advances to the next path and reports whether there is one. When there
// is none, Err tells an end from a mismatch. A caller that leaves a path before
// the run itself ends must Cut it first.
func (o *Odometer) Next() bool {
	if o.err == nil && o.pos < len(o.digits) {
		d := o.digits[o.pos]
		o.err = &Mismatch{Position: o.pos, Recorded: d.kind, RecordedOf: d.of}
	}
	if o.err != nil {
		return false
	}
	o.pos, o.coins, o.fold, o.again = 0, 0, 0, true
	for n := len(o.digits); n > 0; n-- {
		if last := &o.digits[n-1]; last.try+1 < last.tries {
			last.try++
			o.digits, o.shared = o.digits[:n], n-1
			return true
		}
	}
	o.digits, o.shared = o.digits[:0], 0
	return false
}

// Cut forgets what lies behind the current position: the caller abandons this
// path here, at a duplicate or a bound, and nothing below will be enumerated.
func (o *Odometer) Cut() { o.digits = o.digits[:o.pos] }

// Position is the number of choices taken in this pass.
func (o *Odometer) Position() int { return o.pos }

// Fresh is the number of leading positions that the current path shares with
// the previous one: the choice at this position is the first that differs.
func (o *Odometer) Fresh() int { return o.shared }

// New reports whether the run has left what the previous path went through:
// a state reached while New is false was reached by the previous path already.
// On the first path all is new.
func (o *Odometer) New() bool { return !o.again || o.pos > o.shared }

// Sampled reports whether a limit was met, so that not everything is enumerated.
func (o *Odometer) Sampled() bool { return o.sampled }

// Answers returns the answers of the current path, a copy.
func (o *Odometer) Answers() []int {
	answers := make([]int, len(o.digits))
	for i := range o.digits {
		answers[i] = o.digits[i].answer()
	}
	return answers
}
