package mdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/choose"
	"macemc/internal/numerals"
	"macemc/internal/world"
	"macemc/trace"
)

// outcome is the result of trying one alternative: an event, with one list of answers to its coins,
// which are the choices that are made within its step.
type outcome struct {
	event   string
	coins   []int
	step    took
	failure *trace.Failure
	refused error
	changes []string // for each property whose value changed: its name, and whether it holds or fails now
}

// outcomesMost is the largest number of outcomes of one event that are tried.
const outcomesMost = 8

// outcomes tries the k-th event that is possible after step i: once for each list of answers to the
// choices within its step, but at most outcomesMost times.
func (s Look) outcomes(i, k int) (all []outcome, err error) {
	if err := s.run.hanging(s.here, i, k); err != nil {
		return []outcome{{refused: err}}, nil
	}
	coins := []int{}
	for len(all) < outcomesMost {
		if err := s.run.seek(s.here, i); err != nil {
			return nil, err
		}
		src := &given{event: k, coins: coins}
		progress, failure := s.run.step(src, false)
		s.run.on = nil
		if progress != world.Stepped && failure == nil {
			return append(all, outcome{refused: s.run.player.Err()}), nil
		}
		o := outcome{failure: failure, coins: src.fell, step: took{Step: s.run.lastStep(failure), picks: s.run.tape.picks}}
		o.event = s.run.shown(&o.step)
		o.step.verdict = s.run.judge(failure)
		o.changes = s.run.turned(s.here.verdict(i), o.step.verdict)
		all = append(all, o)
		coins = slices.Clone(src.fell)
		at := len(coins) - 1
		for at >= 0 && coins[at]+1 == src.of[at] {
			at--
		}
		if at < 0 {
			return all, nil
		}
		coins = coins[:at+1]
		coins[at]++
	}
	return all, nil
}

// hanging returns an error if the k-th event that is possible after step i of b is the recorded last step of
// the trunk, and the path says that its handler never returns. Such an event must not be tried.
func (r *run) hanging(b *branch, i, k int) error {
	if r.hangs == "" || b.owner(i) != r.trunk || i != len(r.recorded.Steps)-1 {
		return nil
	}
	if err := r.seek(b, i); err != nil {
		return err
	}
	w := r.player.World()
	if n := w.Events.Count(); k < n && w.Events.At(k).Text(w.Walker().Text, r.nodes()) == r.hangs {
		return fmt.Errorf("%s: it was recorded as a step that never returns, and is not taken", r.hangs)
	}
	return nil
}

// turned returns a text for each property that holds in one of two states and not in the other: its
// name, and whether it holds or fails in the second. If only the second state is live, the last
// text is "live". from and to are the numbers of the verdicts about the two states: see
// run.verdicts.
func (r *run) turned(from, to uint32) (out []string) {
	a, b := r.verdicts[from], r.verdicts[to]
	for k, name := range r.names {
		switch {
		case a.holds[k] && !b.holds[k]:
			out = append(out, fmt.Sprintf("%q fails", name))
		case !a.holds[k] && b.holds[k]:
			out = append(out, fmt.Sprintf("%q holds", name))
		}
	}
	if !a.live && b.live {
		out = append(out, "live")
	}
	return out
}

// given is a Source of answers for one step. It picks the event with the number event, answers the first
// choices within the step as in coins, and answers all further ones with 0.
type given struct {
	event int
	coins []int
	fell  []int // the answers that were given to the choices within the step
	of    []int // the numbers of alternatives of these choices
	err   error
}

func (g *given) Answer(q *choose.Question) int {
	k := g.event
	if q.Kind != choose.Event {
		k = 0
		if n := len(g.fell); n < len(g.coins) {
			k = g.coins[n]
		}
		g.fell, g.of = append(g.fell, k), append(g.of, q.N)
	}
	if k < 0 || k >= q.N {
		g.err = fmt.Errorf("the answer is event %d, and there are 0 to %d", k, q.N-1)
		if q.Kind != choose.Event {
			g.err = fmt.Errorf("the coin %q has no side %d; it has 0 to %d", q.Alternatives.Why(), k, q.N-1)
		}
		return -1
	}
	return k
}

// Err returns why an answer was refused.
func (g *given) Err() error { return g.err }

// AlternativesPage returns the events that are possible after a step, and the effects of each.
func (s Look) AlternativesPage(i int) (Page, error) {
	if s.here.failure != nil && i == s.Len() {
		return nil, fmt.Errorf("nothing happens after step %s: the service failed in it; choose an earlier step", numerals.Count(i))
	}
	if err := s.run.seek(s.here, i); err != nil {
		return nil, err
	}
	n := s.run.player.World().Events.Count()
	p := page("after step %s, %s can happen:", numerals.Count(i), numerals.Many(n, "event"))
	if n == 0 {
		return page("after step %s no event is possible", numerals.Count(i)), nil
	}
	width := len(strconv.Itoa(n - 1))
	for k := range n {
		all, err := s.outcomes(i, k)
		if err != nil {
			return nil, err
		}
		for x, o := range all {
			p = append(p, s.alternative(i, k, x, width, &o)...)
		}
	}
	return p, nil
}

// alternative describes one outcome o of the k-th possible event; x is the index of the
// outcome among those of the event.
func (s Look) alternative(i, k, x, width int, o *outcome) (p Page) {
	follows := i < s.Len() && slices.Equal(o.step.picks, s.here.at(i+1).picks)
	mark, style := "  ", Plain
	if follows {
		mark, style = "> ", Strong
	}
	if o.refused != nil {
		p.add(Bad, "%s%*d  %s", mark, width, k, o.refused)
		return p
	}
	head := fmt.Sprintf("%s%*d  %s", mark, width, k, o.event)
	if x > 0 {
		head = fmt.Sprintf("%s%*s   ...", mark, width, "")
	}
	if len(o.coins) > 0 {
		head += " with coins " + strings.Trim(fmt.Sprint(o.coins), "[]")
	}
	p.line(Span{style, head})
	p = append(p, s.run.did(&o.step.Step)...)
	if o.failure != nil {
		p.add(Bad, "      ! %s: %s", o.failure.Verdict, o.failure.Message)
	}
	if len(o.changes) > 0 {
		p.add(Dim, "      then %s", strings.Join(o.changes, ", "))
	}
	return p
}
