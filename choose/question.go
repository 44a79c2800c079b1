package choose

import (
	"errors"
	"fmt"
)

// Kind says what a question is about.
type Kind uint8

const (
	Event Kind = iota + 1 // which event happens next
	Coin                  // a service's own Choose or Weighted
)

func (k Kind) String() string {
	switch k {
	case Event:
		return "event"
	case Coin:
		return "coin"
	default:
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
}

// A Run is a stretch of consecutive alternatives of equal weight. Weights are
// finite and not negative; weight 0 is rare.
type Run struct {
	N      int
	Weight float64
}

// A Question asks for one answer in [0, N). The asker owns it and reuses it;
// an answerer keeps nothing of it.
type Question struct {
	Kind         Kind
	N            int          // alternatives, at least 1
	Runs         []Run        // weights in runs, the sum of their N is N; nil: all alike, weight 1
	Alternatives Alternatives // what they are: asked only by answerers that record or check
}

// Alternatives tells what a question's alternatives are.
type Alternatives interface {
	// Why is what is asked: "" for an event, the service's own words for a coin.
	Why() string
	// Alternative is the identity of alternative i: one line of text that is
	// the same wherever and whenever the same alternative is possible.
	Alternative(i int) string
}

// A Source answers. An answer outside [0, N) means "no": the run stops there,
// Err says why, and every later answer is "no" as well.
type Source interface {
	Answer(q *Question) int
	Err() error
}

// no is the answer that is none.
const no = -1

// ErrEnd says that a recorded run has no further answers.
var ErrEnd = errors.New("the recorded path ends here")

// what is the text by which alternative i is recorded and recognised.
func what(q *Question, i int) string {
	if why := q.Alternatives.Why(); why != "" {
		return why + ": " + q.Alternatives.Alternative(i)
	}
	return q.Alternatives.Alternative(i)
}

// mix scatters the bits of x (the finalizer of splitmix64, a bijection).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
