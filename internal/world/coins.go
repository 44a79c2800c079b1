package world

import (
	"fmt"
	"strconv"

	"macemc/choose"
	"macemc/internal/contract"
	"macemc/macetime"
	"macemc/sim"
)

// asking passes the questions of a run to its source of answers, and records the answers of the
// present step. A question is either which event comes next, or a coin: a choice that a handler
// makes, or that the environment makes for it, such as Env.Choose or what a crash leaves on a disk.
// The alternatives of a coin are its sides; a side of weight 0 is rare.
type asking struct {
	source   choose.Source
	keeps    bool // the answers to coins are recorded, for a trace
	question choose.Question
	asked    asked
	sides    []choose.Run // the sides of the coin that is being asked, as runs of equal weight
	coins    []choose.Choice
	tossed   bool  // a coin with rare sides was asked in this step
	err      error // the reason why the run stopped without a failure
}

// asked describes a coin, which is a choice in the middle of a step, while the source is being
// asked for its answer.
type asked struct {
	why     string
	times   [2]macetime.Time // the two times that are compared, if why is ""; zero if none are
	weights []int            // the weights of a Weighted; nil for a Choose
	sides   []int            // the sides of a Weighted that may be answered; nil means all
	words   func(int) string // the names of the alternatives; nil means their numbers
}

// Why returns the purpose of a coin.
func (a *asked) Why() string {
	if a.why == "" && a.times != [2]macetime.Time{} {
		return macetime.Asked(a.times[0], a.times[1])
	}
	return a.why
}

// Alternative returns the identity of alternative i.
func (a *asked) Alternative(i int) string {
	if a.sides != nil {
		i = a.sides[i]
	}
	text := strconv.Itoa(i)
	if a.words != nil {
		text = a.words(i)
	}
	if a.weights != nil {
		return fmt.Sprintf("%s (weight %d)", text, a.weights[i])
	}
	return text
}

// possible describes the possible events as the alternatives of a question.
type possible struct{ *Events }

// Why returns "", since the question is which event happens next.
func (possible) Why() string { return "" }

// Alternative returns the identity of event i.
func (p possible) Alternative(i int) string { return p.timers.text(p.At(i)) }

// Cause returns the number of the step that sent the message of event i, or posted its task, or 0 if there is none.
func (p possible) Cause(i int) int {
	if e, cause := p.Caused(i); e.Kind == sim.KindTask || contract.Row(e).Travels() {
		return max(0, cause)
	}
	return 0
}

// healing describes the question that has healing as its only alternative.
type healing struct{}

// Why returns "", as for any question that is not a coin.
func (healing) Why() string { return "" }

// Alternative returns the identity of the event that heals.
func (healing) Alternative(int) string { return sim.KindHeal.String() }

// common asks the source for one of the n sides of coin q whose weight is not 0. It is called when the run
// may take no more rare sides, which are those of weight 0: see Faults.Rare.
func (a *asking) common(q asked, n int) int {
	sides := make([]int, 0, n)
	for i, x := range q.weights {
		if x > 0 {
			sides = append(sides, i)
		}
	}
	q.sides = sides
	return sides[a.weighted(q, n, func(i int) int { return q.weights[sides[i]] })]
}

// weighted asks the source for one of the n sides of coin q, with these weights. A coin with one side is not
// asked.
func (a *asking) weighted(q asked, n int, weight func(int) int) int {
	if n == 1 {
		return 0
	}
	a.sides = a.sides[:0]
	for i := range n {
		a.sides = append(a.sides, choose.Run{N: 1, Weight: float64(weight(i))})
	}
	return a.coin(q, n, a.sides)
}

// rarely asks the source for one of the n sides of coin q. All sides but the first have weight 0,
// which makes them rare.
func (a *asking) rarely(q asked, n int) int {
	return a.coin(q, n, []choose.Run{{N: 1, Weight: 1}, {N: n - 1, Weight: 0}})
}

// toss records that the answer to a coin of this step depends on a budget, because some of its
// sides are possible only while the budget lasts.
func (a *asking) toss() { a.tossed = true }

// begins prepares for the coins of another step. If coins are recorded, it begins a new list of
// them.
func (a *asking) begins() {
	a.tossed = false
	if a.keeps {
		a.coins = nil
	}
}

// follows sets the source that answers.
func (a *asking) follows(src choose.Source) { a.source = src }

// refused records the source's reason for not answering any more.
func (a *asking) refused() { a.err = a.source.Err() }

// goesOn clears the reason why the run stopped, so that it can go on.
func (a *asking) goesOn() { a.err = nil }

// cannot records err as the reason why the run stops: the system, or the conditions of the run, need
// something that macemc does not support.
func (a *asking) cannot(err error) { a.err = err }

// ask asks the source which of n events happens. It also clears the list of the step's
// coins.
func (a *asking) ask(src choose.Source, n int, runs []choose.Run) int {
	a.source, a.coins = src, a.coins[:0]
	a.question.Kind, a.question.N, a.question.Runs = choose.Event, n, runs
	return src.Answer(&a.question)
}

// askHeal asks the source for the event that heals the environment, which is then the only possible one.
func (a *asking) askHeal(src choose.Source) bool {
	events := a.question
	a.question = choose.Question{Alternatives: healing{}}
	defer func() { a.question.Alternatives = events.Alternatives }()
	return a.ask(src, 1, nil) == 0
}

// coin asks the source for the answer to one coin. q describes the coin.
func (a *asking) coin(q asked, n int, runs []choose.Run) int {
	event := a.question
	a.asked = q
	a.question = choose.Question{Kind: choose.Coin, N: n, Runs: runs, Alternatives: &a.asked}
	k := a.source.Answer(&a.question)
	if uint(k) >= uint(n) {
		a.question = event
		a.err = a.source.Err()
		panic(stopRun{})
	}
	if a.keeps {
		a.coins = append(a.coins, choose.Choice{
			Kind: choose.Coin, Of: n, Pick: k, What: a.asked.Why() + ": " + a.asked.Alternative(k),
		})
	}
	a.question = event
	return k
}
