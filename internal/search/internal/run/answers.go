package run

import "macemc/choose"

// Answers describes a run by the answers to its questions: those of a prefix, those at the start
// of the nodes, and those of each step. It is also the source that gives these answers.
type Answers struct {
	Prefix      []choose.Pick // the answers of a prefix, which come first
	PrefixSteps int           // the number of steps of the prefix
	given       int           // how many answers of the prefix were given
	Start       []int         // the answers given to coins before the first step
	Steps       []Taken
	at          int
	left        []int
	begun       bool
}

// Taken is one step: its event, and the answers to its coins, which are the choices in the middle
// of the step.
type Taken struct {
	Event int
	Coins []int
}

func (t *Answers) Answer(q *choose.Question) int {
	if t.given < len(t.Prefix) {
		t.given++
		return int(t.Prefix[t.given-1].Pick)
	}
	if !t.begun {
		t.begun, t.left = true, t.Start
	}
	if q.Kind == choose.Event {
		if t.at == len(t.Steps) {
			return -1
		}
		t.left = t.Steps[t.at].Coins
		t.at++
		return t.Steps[t.at-1].Event
	}
	if len(t.left) == 0 {
		return -1
	}
	k := t.left[0]
	t.left = t.left[1:]
	return k
}

// Then returns the answers followed by further steps.
func (t *Answers) Then(steps ...Taken) Answers {
	return Answers{Prefix: t.Prefix, PrefixSteps: t.PrefixSteps, Start: t.Start, Steps: append(append([]Taken{}, t.Steps...), steps...)}
}

// Picks returns the answers as numbers. How many alternatives each had is not known.
func (t *Answers) Picks() []choose.Pick {
	all := append([]choose.Pick{}, t.Prefix...)
	add := func(answers ...int) {
		for _, k := range answers {
			all = append(all, choose.Pick{Pick: uint32(k)})
		}
	}
	add(t.Start...)
	for _, s := range t.Steps {
		add(s.Event)
		add(s.Coins...)
	}
	return all
}

// Again returns the same answers, from the first.
func (t *Answers) Again() *Answers {
	return &Answers{Prefix: t.Prefix, PrefixSteps: t.PrefixSteps, Start: t.Start, Steps: t.Steps}
}

// Length returns the number of steps of the run.
func (t *Answers) Length() int { return t.PrefixSteps + len(t.Steps) }

// Answers returns the number of answers.
func (t *Answers) Answers() int {
	n := len(t.Prefix) + len(t.Start)
	for _, s := range t.Steps {
		n += 1 + len(s.Coins)
	}
	return n
}

// Err returns the reason why Answer had no answer. That is always choose.ErrEnd, since an answer
// is missing only at the end.
func (t *Answers) Err() error { return choose.ErrEnd }

// Asking is a source that records how many sides each coin of the last step had.
type Asking struct {
	choose.Source
	Sides []int
}

func (a *Asking) Answer(q *choose.Question) int {
	if q.Kind == choose.Event {
		a.Sides = a.Sides[:0]
	} else {
		a.Sides = append(a.Sides, q.N)
	}
	return a.Source.Answer(q)
}
