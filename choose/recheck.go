package choose

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Recheck proves that a run is deterministic. In its first pass it forwards to
// its source and remembers every question and answer. After Rewind it answers
// the second pass from memory, and checks that every question is the same: its
// kind, its why, and the identity of every alternative in order. What differs
// is a [*Divergence].
//
// It asks for all identities of all questions, so it is slow: for confirming,
// not for searching.
type Recheck struct {
	src    Source
	asked  []asked
	second bool
	pos    int // in asked, in the second pass
	steps  int // begun in this pass
	err    error
	digest xxhash.Digest
}

// asked is a question of the first pass. A "no" is remembered like any answer.
type asked struct {
	kind   Kind
	of     int
	hash   uint64
	answer int
	what   string // the identity of the answer
}

const recheck = "recheck"

// NewRecheck returns a decorator of src that stands before its first pass.
func NewRecheck(src Source) *Recheck { return &Recheck{src: src} }

// Rewind begins the second pass, or another one.
func (r *Recheck) Rewind() {
	r.second, r.pos, r.steps, r.err = true, 0, 0, nil
}

func (r *Recheck) Answer(q *Question) int {
	if r.err != nil {
		return no
	}
	if q.Kind == Event {
		r.steps++
	}
	if r.second {
		return r.again(q)
	}
	m := asked{kind: q.Kind, of: q.N, hash: r.hash(q), answer: r.src.Answer(q)}
	if m.answer >= 0 && m.answer < q.N {
		m.what = what(q, m.answer)
	}
	r.asked = append(r.asked, m)
	return m.answer
}

// again answers from memory if q is the question that was asked here before.
func (r *Recheck) again(q *Question) int {
	if r.pos == len(r.asked) {
		r.err = diverge(recheck, r.steps, Choice{}, q)
		return no
	}
	m := &r.asked[r.pos]
	if m.kind == q.Kind && m.of == q.N && m.hash == r.hash(q) {
		r.pos++
		return m.answer
	}
	switch {
	case m.kind == Event && q.Kind == Coin: // the step was over before
		r.err = diverge(recheck, r.steps, Choice{}, q)
	case m.kind == Coin && q.Kind == Event: // the coin belongs to the step before
		r.err = diverge(recheck, r.steps-1, m.choice(), q)
	default:
		r.err = diverge(recheck, r.steps, m.choice(), q)
	}
	return no
}

func (m *asked) choice() Choice {
	return Choice{Kind: m.kind, Of: m.of, Pick: m.answer, What: m.what}
}

// hash is that of a question's why and identities. Every text is followed by
// its length, so that no two lists of texts are written alike.
func (r *Recheck) hash(q *Question) uint64 {
	r.digest.Reset()
	r.write(q.Alternatives.Why())
	for i := range q.N {
		r.write(q.Alternatives.Alternative(i))
	}
	return r.digest.Sum64()
}

func (r *Recheck) write(text string) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(text)))
	r.digest.WriteString(text)
	r.digest.Write(length[:])
}

// End says that the run of the second pass has ended. It is an error if the
// first pass asked for more.
func (r *Recheck) End() error {
	if r.err == nil && r.second && r.pos < len(r.asked) {
		m := &r.asked[r.pos]
		step := r.steps
		if m.kind == Event {
			step++
		}
		r.err = diverge(recheck, step, m.choice(), nil)
	}
	return r.err
}

// Err is a [*Divergence], or what the source says.
func (r *Recheck) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.src.Err()
}
