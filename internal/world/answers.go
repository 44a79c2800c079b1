package world

import (
	"fmt"
	"time"

	"macemc/internal/disk"
	"macemc/internal/guard"
	"macemc/internal/handler"
	"macemc/internal/sight"
	"macemc/internal/state"
	"macemc/macetime"
	"macemc/sim"
	"macemc/trace"
)

// answers is the handler.Answerer that answers the questions of the running handler about the world.
type answers struct{ w *World }

func (a answers) at() int            { return a.w.Run.acting.Index() }
func (a answers) node() *nodeState   { return &a.w.nodes.at[a.at()] }
func (a answers) Log(string)         {}
func (a answers) Disk() handler.Disk { return a.node().disk }

func (a answers) Handed() {
	if a.w.audit != nil {
		a.w.audit.Hands(a.w.Run.Effects())
	}
}

func (a answers) Choose(n int, why string) int {
	w, k := a.w, 0
	if n > 1 {
		k = w.Run.coin(asked{why: why}, n, nil)
	}
	if w.cover != nil {
		w.cover.Chosen(why, n, k)
	}
	return k
}

func (a answers) Weighted(weights []int, why string) int {
	return a.w.sided(asked{why: why, weights: weights}, why)
}

// sided asks the source for a side of the coin q and returns its index. q.weights has the weight of each
// side, and the caller has checked them. Coverage counts the coin under the name as.
func (w *World) sided(q asked, as string) int {
	rare := 0
	for _, x := range q.weights {
		rare += count(x == 0)
	}
	if rare > 0 {
		w.Environ.toss(budgetRare)
		w.Environ.asksSided()
	}
	if rare > 0 && w.Environ.left.Rare == 0 {
		k := w.Run.common(q, len(q.weights)-rare)
		if w.cover != nil {
			w.cover.Weighed(as, q.weights, false, k)
		}
		return k
	}
	k := w.Run.weighted(q, len(q.weights), func(i int) int { return q.weights[i] })
	if w.cover != nil {
		w.cover.Weighed(as, q.weights, true, k)
	}
	if q.weights[k] == 0 {
		w.Environ.spend(budgetRare)
	}
	return k
}

// Room answers whether a connection has room for a message. It computes the answer from the
// room before the step and the messages that the step has sent so far.
func (a answers) Room(s handler.Send) bool {
	if a.w.implicit {
		panic(unsupported("a node sends by tcp, where the peers of a failed node get an error, so the crash model implicit differs from explicit; use explicit"))
	}
	l := &a.w.Links
	c := l.Channel(a.at(), s.To.Index())
	room := l.TCP().Room(c)
	if s.Reset {
		room = l.TCP().Buffer()
	} else {
		l.Sums().Touched().Add(l.Sums().TCP(c), state.Room)
	}
	if room > s.Queued {
		return true
	}
	if a.w.cover != nil {
		a.w.cover.RefusedAt(guard.Caller(2))
	}
	return false
}

func (a answers) Timer(s sim.Signal) *sight.Timer   { return a.w.timers.timer(s) }
func (a answers) Scheduled(t *sight.Timer) bool     { return a.node().scheduled(t) }
func (a answers) Due(d time.Duration) macetime.Time { return a.w.due(d) }

func (a answers) HoldsTime(v any) bool {
	return a.node().clock != nil && a.w.nodes.finder().finder.Holds(v)
}

func (a answers) Now() macetime.Time { return a.w.reading() }

func (a answers) Monotone() macetime.Monotone { return a.w.ticks().Count() }

// Before answers whether x is before y. It asks the source only if both answers are
// possible.
func (a answers) Before(call string, x, y macetime.Time, weights []int) bool {
	w, clock := a.w, a.w.ticks()
	for _, t := range [...]macetime.Time{x, y} {
		if wrong := clock.Check(t); wrong != "" {
			panic(fmt.Sprintf("macemc: env.%s of %s: %s %s", call, w.Run.acting, t.Text(), wrong))
		}
	}
	yes, no := clock.Compare(x, y)
	if !yes || !no {
		if w.tracing {
			w.Run.did.Note(trace.Fact{Asked: "whether", About: macetime.Asked(x, y), Answer: yes})
		}
		return yes
	}
	is := w.compare(asked{times: [2]macetime.Time{x, y}, weights: weights, words: answer}) == 1
	clock.Assume(x, y, is)
	return is
}

// comparing is the name under which coverage counts all comparisons of times.
const comparing = "is a time before another"

func answer(k int) string { return [...]string{"no", "yes"}[k] }

func (w *World) compare(q asked) int {
	if q.weights != nil {
		return w.sided(q, comparing)
	}
	k := w.Run.coin(q, 2, nil)
	if w.cover != nil {
		w.cover.Chosen(comparing, 2, k)
	}
	return k
}

func (a answers) Write(one disk.Write) (int, error) { return a.w.disks.write(a.at(), one) }

func (a answers) Sync(file string) error { return a.w.disks.sync(a.at(), file) }

func (a answers) Fail(text string) { a.w.Run.stop(a.w.Run.fail(trace.VerdictDivergence, "", text)) }
