package world

import (
	"macemc/internal/observe"
	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/sim"
)

// timerNotes has the counts and texts that a world keeps for a timer.
type timerNotes struct {
	tally *observe.Tally // counts the timer's firings; nil if nothing is counted
	told  []string       // the identity of the event that the timer fires, by node; "" until it was needed
}

// timers has all values that were ever scheduled as timers in a world.
type timers struct {
	*setting
	count int // the number of timers that are scheduled now, on all nodes
	known map[any]*sight.Timer
	noted []timerNotes // the notes on each timer, by its number
}

func newTimers(s *setting) timers {
	return timers{setting: s, known: map[any]*sight.Timer{}}
}

// timer returns the Timer of a signal. Equal signals have the same Timer. The signal must be comparable.
func (t *timers) timer(s sim.Signal) *sight.Timer {
	if one, ok := t.known[s]; ok {
		return one
	}
	one := &sight.Timer{Signal: s, Sum: t.sum(s), Number: len(t.noted)}
	var notes timerNotes
	if t.cover != nil {
		notes.tally = t.cover.Timer(s)
	}
	t.noted = append(t.noted, notes)
	t.known[s] = one
	return one
}

// clear sets the number of scheduled timers to 0, and add adds n to it.
func (t *timers) clear()    { t.count = 0 }
func (t *timers) add(n int) { t.count += n }

func (ns *nodeState) scheduled(t *sight.Timer) bool {
	for k := range ns.seen.Timers {
		if ns.seen.Timers[k].Timer == t {
			return true
		}
	}
	return false
}

func (all *nodes) arm(i int, t *sight.Timer, due macetime.Time) {
	if all.cover != nil {
		all.timers.noted[t.Number].tally.Can(1)
	}
	if all.at[i].seen.Schedule(sight.Scheduled{Timer: t, Step: int32(all.run.step), Due: due}) {
		all.timers.add(1)
	}
}

func (all *nodes) disarm(i int, t *sight.Timer) {
	if all.at[i].seen.Unschedule(t) {
		all.timers.add(-1)
	}
}

// fire removes the timer that fires.
func (all *nodes) fire(i, slot int) {
	ns := &all.at[i]
	if all.cover != nil {
		all.timers.noted[ns.seen.Timers[slot].Number].tally.Did()
	}
	if all.pace != nil {
		ns.precedes(slot)
	}
	ns.seen.Fire(slot)
	all.timers.add(-1)
}

// text returns the identity of an event as one line. It caches the identities of timers, since these do not
// change.
func (t *timers) text(e sim.Event) string {
	if e.Kind != sim.KindTimer {
		return e.Text(t.walker.Text, t.n)
	}
	i := e.Node.Index()
	notes := &t.noted[t.timer(e.Value).Number]
	if notes.told == nil {
		notes.told = make([]string, t.n)
	}
	if notes.told[i] == "" {
		notes.told[i] = e.Text(t.walker.Text, t.n)
	}
	return notes.told[i]
}
