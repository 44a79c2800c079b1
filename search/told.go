package search

import "macemc/choose"

// told answers a run step by step.
type told struct {
	lead  []choose.Pick // the answers of a prefix, which come first
	leads int           // and how many steps it has
	given int           // of lead
	start []int
	steps []taken
	at    int
	left  []int
	begun bool
}

type taken struct {
	event int
	coins []int
}

func (t *told) Answer(q *choose.Question) int {
	if t.given < len(t.lead) {
		t.given++
		return int(t.lead[t.given-1].Pick)
	}
	if !t.begun {
		t.begun, t.left = true, t.start
	}
	if q.Kind == choose.Event {
		if t.at == len(t.steps) {
			return -1
		}
		t.left = t.steps[t.at].coins
		t.at++
		return t.steps[t.at-1].event
	}
	if len(t.left) == 0 {
		return -1
	}
	k := t.left[0]
	t.left = t.left[1:]
	return k
}

// again is the same answers, from the first.
func (t *told) again() *told {
	return &told{lead: t.lead, leads: t.leads, start: t.start, steps: t.steps}
}

// length is how many steps the run has.
func (t *told) length() int { return t.leads + len(t.steps) }

// answers is how many they are.
func (t *told) answers() int {
	n := len(t.lead) + len(t.start)
	for _, s := range t.steps {
		n += 1 + len(s.coins)
	}
	return n
}

// Err is that there are no more answers.
func (t *told) Err() error { return choose.ErrEnd }
