package world

import (
	"reflect"

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

	texts map[sim.Event]string  // identities of other events, at most textsMost
	fixed map[reflect.Type]bool // by the type of an event's value: equal values always have the same text
}

const textsMost = 1 << 12

func newTimers(s *setting) timers {
	return timers{setting: s, known: map[any]*sight.Timer{}, texts: map[sim.Event]string{}, fixed: map[reflect.Type]bool{nil: true}}
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

// text returns the identity of an event as one line. It keeps the identities of timers and of events whose values have no
// pointers: a run that follows another one asks for the same ones again and again.
func (t *timers) text(e sim.Event) string {
	if e.Kind != sim.KindTimer {
		return t.textOf(e)
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

// textOf returns the identity of an event that is no timer.
func (t *timers) textOf(e sim.Event) string {
	of := reflect.TypeOf(e.Value)
	fixed, known := t.fixed[of]
	if !known {
		fixed = isFixed(of)
		t.fixed[of] = fixed
	}
	if !fixed {
		return e.Text(t.walker.Text, t.n)
	}
	text, known := t.texts[e]
	if !known {
		if len(t.texts) == textsMost {
			clear(t.texts)
		}
		text = e.Text(t.walker.Text, t.n)
		t.texts[e] = text
	}
	return text
}

// isFixed reports whether two equal values of a type always have the same text. It is false for a type with pointers,
// since what they point to may change, and for floats, since 0 and -0 are equal.
func isFixed(of reflect.Type) bool {
	switch of.Kind() {
	case reflect.Array:
		return isFixed(of.Elem())
	case reflect.Struct:
		for i := range of.NumField() {
			if !isFixed(of.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return of.Kind() == reflect.String || of.Kind() >= reflect.Bool && of.Kind() <= reflect.Uintptr
}
