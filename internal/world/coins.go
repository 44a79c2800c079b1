package world

import (
	"fmt"
	"strconv"

	"macemc/choose"
	"macemc/sim"
)

// asking is what a step asks of the source of answers.
type asking struct {
	source   choose.Source
	question choose.Question
	asked    asked
	sides    []choose.Run // of the coin that is asked
	coins    []choose.Choice
	tossed   bool // a coin with rare sides was asked in this step
}

// asked is the coin that is being asked, as answerers see it.
type asked struct {
	why     string
	weights []int            // a Weighted's; nil: a Choose
	sides   []int            // of a Weighted: those that may be answered; nil: all
	words   func(int) string // what the alternatives are called; nil: their numbers
}

// Why is what a coin is for.
func (a *asked) Why() string { return a.why }

// Alternative is the identity of alternative i.
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

// possible are the events that are possible, as answerers see them.
type possible struct{ *Events }

// Why is nothing: one of them is to happen.
func (possible) Why() string { return "" }

// Alternative is the identity of event i.
func (p possible) Alternative(i int) string { return p.timers.text(p.At(i)) }

// healing is the only event that is possible when it is time to heal.
type healing struct{}

// Why is nothing, as of any event.
func (healing) Why() string { return "" }

// Alternative is the identity of that event.
func (healing) Alternative(int) string { return sim.KindHeal.String() }

// common asks only about the sides that are not rare: the budget is spent.
func (r *Run) common(weights []int, n int) int {
	sides := make([]int, 0, n)
	for i, x := range weights {
		if x > 0 {
			sides = append(sides, i)
		}
	}
	r.asked.sides = sides
	return sides[r.toss(n, func(i int) int { return weights[sides[i]] })]
}

// toss asks a coin with n weighted sides.
func (r *Run) toss(n int, weight func(int) int) int {
	if n == 1 {
		return 0
	}
	r.sides = r.sides[:0]
	for i := range n {
		r.sides = append(r.sides, choose.Run{N: 1, Weight: float64(weight(i))})
	}
	return r.coin(n, r.sides)
}

// ask asks the source which of n events happens; what it draws for handlers in that
// step is noted from here on.
func (r *Run) ask(src choose.Source, n int, runs []choose.Run) int {
	r.source, r.coins = src, r.coins[:0]
	r.question.Kind, r.question.N, r.question.Runs = choose.Event, n, runs
	return src.Answer(&r.question)
}

// coin asks the source one coin; asked says what for.
func (r *Run) coin(n int, runs []choose.Run) int {
	event := r.question
	r.question = choose.Question{Kind: choose.Coin, N: n, Runs: runs, Alternatives: &r.asked}
	k := r.source.Answer(&r.question)
	if uint(k) >= uint(n) {
		r.question = event
		r.err = r.source.Err()
		panic(stopRun{})
	}
	if r.tracing {
		r.coins = append(r.coins, choose.Choice{
			Kind: choose.Coin, Of: n, Pick: k, What: r.asked.why + ": " + r.asked.Alternative(k),
		})
	}
	r.question = event
	return k
}
