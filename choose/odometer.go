package choose

import (
	"cmp"
	"math/bits"
)

// Limit says how much of a run an [Odometer] enumerates. If the run has more coins or alternatives,
// the Odometer takes only some of them. Then the enumeration is not complete, and Sampled returns
// true.
type Limit struct {
	Answers      int // the number of coins of one step that are enumerated; 0 means 32
	Alternatives int // the number of alternatives of one question that are enumerated; 0 means 1,000
}

func (l Limit) answers() int      { return cmp.Or(l.Answers, 32) }
func (l Limit) alternatives() int { return cmp.Or(l.Alternatives, 1000) }

// Odometer enumerates paths depth first. Each pass over the run repeats the prefix that it
// shares with the previous pass, takes the next answer at the last choice that has one
// left, and answers 0 from there on.
//
// Positions count choices; a question with one alternative has no position. The run must be
// a function of the answers. If it does not ask the repeated prefix again, the odometer
// stops with a [*Mismatch].
//
// If a question has more alternatives than Limit.Alternatives, only this number of them is
// enumerated, evenly spread. If a step has more coins than Limit.Answers, each further coin gets
// only one answer, which is a hash of the answers to the coins before it: equal steps are sampled
// alike, and different ones differently.
type Odometer struct {
	Limit Limit // set before the first answer

	digits  []digit // the current path: first the repeated choices, then the new ones
	pos     int     // the number of choices taken in this pass
	shared  int     // the number of leading choices that the previous path had too
	again   bool    // this is not the first pass
	coins   int     // the number of coins asked in the current step
	fold    uint64  // a hash of the answers to these coins
	sampled bool
	err     error
}

// digit is one choice of the path: its kind, the number of its alternatives, how many of
// them are tried, and which try this is. It holds that 0 <= try < tries <= of.
type digit struct {
	kind           Kind
	of, tries, try int
	offset         int // the answer of the first try; not 0 only for a sampled coin
}

// answer returns the answer of the present try. The tries are spread evenly over the
// alternatives. Different tries have different answers, since tries <= of; a sampled coin
// has only try 0.
func (d *digit) answer() int {
	if d.tries == d.of {
		return d.try
	}
	return d.offset + d.try*d.of/d.tries
}

// NewOdometer returns an enumeration that is at its first path.
func NewOdometer() *Odometer { return new(Odometer) }

// Reset begins a new enumeration with the same limits.
func (o *Odometer) Reset() {
	*o = Odometer{Limit: o.Limit, digits: o.digits[:0]}
}

// Answer returns the answer of the current path to the next question.
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

// digit returns a digit for the choice that q asks for. The digit is at the first of the answers
// that will be tried.
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

// Err returns a [*Mismatch], or nil.
func (o *Odometer) Err() error { return o.err }

// Next advances to the next path and reports whether there is one. If there is none, Err
// distinguishes the end from a mismatch. A caller that leaves a path before the run ends
// must call Cut first.
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

// Cut drops the choices after the current position: the caller leaves this path here, at a
// duplicate or a bound, and nothing below it will be enumerated.
func (o *Odometer) Cut() { o.digits = o.digits[:o.pos] }

// Position returns the number of choices taken in this pass.
func (o *Odometer) Position() int { return o.pos }

// Fresh returns the index of the first choice of the current path that differs from the previous
// path, which is also the number of leading choices that both paths have in common.
func (o *Odometer) Fresh() int { return o.shared }

// New reports whether the run has left what it shares with the previous path. A state that
// is reached while New is false was reached by the previous path, too. On the first path
// New is always true.
func (o *Odometer) New() bool { return !o.again || o.pos > o.shared }

// Sampled reports whether a limit was exceeded, so that the enumeration is incomplete.
func (o *Odometer) Sampled() bool { return o.sampled }

// Answers returns a copy of the answers of the current path.
func (o *Odometer) Answers() []int {
	answers := make([]int, len(o.digits))
	for i := range o.digits {
		answers[i] = o.digits[i].answer()
	}
	return answers
}
