package choose

import "fmt"

// Fixed answers from a list, then 0. As in an [Odometer], a question with one alternative
// consumes no answer, so the list may be one of Odometer.Answers.
type Fixed struct {
	answers []int
	pos     int
	err     error
}

// NewFixed returns a source that gives these answers, then 0.
func NewFixed(answers ...int) *Fixed { return &Fixed{answers: answers} }

// Answer returns the next answer, or 0 if the list is used up or there is one alternative.
func (f *Fixed) Answer(q *Question) int {
	if f.err != nil {
		return no
	}
	if q.N == 1 || f.pos == len(f.answers) {
		return 0
	}
	a := f.answers[f.pos]
	f.pos++
	if a < 0 || a >= q.N {
		f.err = fmt.Errorf("fixed answer %d is %d, but the %v has %d alternatives; give a number below that",
			f.pos, a, q.Kind, q.N)
		return no
	}
	return a
}

// Err returns an error if an answer was not among the alternatives of its question.
func (f *Fixed) Err() error { return f.err }
