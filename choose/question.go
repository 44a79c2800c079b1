package choose

import (
	"errors"
	"fmt"
)

// Kind is the kind of a question.
type Kind uint8

const (
	Event Kind = iota + 1 // the question which event happens next
	Coin                  // the question how a coin of the service falls: Choose or Weighted
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

// A Run is a stretch of consecutive alternatives of equal weight. Weights are finite and
// not negative; weight 0 is rare.
type Run struct {
	N      int
	Weight float64
}

// A Question asks for an answer in [0, N). The asker owns it and reuses it, so a Source
// must not keep it.
type Question struct {
	Kind         Kind
	N            int          // the number of alternatives, at least 1
	Runs         []Run        // the weights as runs, whose N add up to the question's N; nil if all weights are 1
	Alternatives Alternatives // the texts, only for sources that record or check
}

// Alternatives describes the alternatives of a question.
type Alternatives interface {
	// Why returns the reason: "" for an event, the service's own words for a coin.
	Why() string
	// Alternative returns the identity of alternative i: one line of text that is the same
	// wherever and whenever this alternative is possible.
	Alternative(i int) string
}

// A Source answers questions. An answer outside [0, N) means "no": the run stops, Err
// returns the reason, and every later answer is "no" as well.
type Source interface {
	Answer(q *Question) int
	Err() error
}

// no is the answer of a source that cannot answer, and the result of a search for an alternative that
// finds none.
const no = -1

// ErrEnd reports that a recorded run has no further answers.
var ErrEnd = errors.New("the recorded path ends here")

// what returns the text by which alternative i is recorded and recognized.
func what(q *Question, i int) string {
	if why := q.Alternatives.Why(); why != "" {
		return why + ": " + q.Alternatives.Alternative(i)
	}
	return q.Alternatives.Alternative(i)
}

// mix scatters the bits of x: it is a bijection, the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
