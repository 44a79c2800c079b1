package handler

import (
	"fmt"
	"reflect"
	"time"

	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/sim"
	"macemc/trace"
)

func (e *Env) After(d time.Duration, timer sim.Signal) {
	s := e.use("After")
	if d < 0 {
		panic(fmt.Sprintf("macemc: env.After(%s, %s): a timer cannot be in the past", d, s.Text(timer)))
	}
	e.timeless("a timer", timer)
	t := s.timer("After", timer)
	s.timers = append(s.timers, Timer{t, true, s.due(d)})
	s.add(trace.Effect{Kind: trace.EffectAfter, Delay: d, Value: timer})
}

func (s *Step) due(d time.Duration) (t macetime.Time) {
	if s.Paced {
		t = s.answer.Due(d)
	}
	return t
}

func (e *Env) Cancel(timer sim.Signal) {
	s := e.use("Cancel")
	s.timers = append(s.timers, Timer{Timer: s.timer("Cancel", timer)})
	s.add(trace.Effect{Kind: trace.EffectCancel, Value: timer})
}

// Scheduled reports whether a timer is scheduled now. The handler's own calls count: the effects of the step so
// far are applied to the state before the step.
func (e *Env) Scheduled(timer sim.Signal) bool {
	s := e.use("Scheduled")
	is := s.scheduled(s.timer("Scheduled", timer))
	if s.Tracing {
		s.Note(trace.Fact{Asked: "scheduled", About: timer, Answer: is})
	}
	return is
}

func (s *Step) scheduled(t *sight.Timer) bool {
	for k := len(s.timers) - 1; k >= 0; k-- {
		if s.timers[k].Timer == t || s.timers[k].Signal == t.Signal { // an Answerer that does not keep Timers makes a new one for an equal signal
			return s.timers[k].On
		}
	}
	return s.answer.Scheduled(t)
}

// vettedMost is the number of timers that a Step remembers to have checked, the latest ones. Most services have
// no more timers, and comparing a few is faster than a map.
const vettedMost = 8

// timer returns the sight.Timer of a signal, which is the same for equal signals. It panics if the signal
// cannot be a timer: it cannot be compared, is not equal to itself, or holds a pointer. call is the name of the
// method that was called.
func (s *Step) timer(call string, timer sim.Signal) *sight.Timer {
	for _, t := range s.vetted { // cannot panic, since incomparable values are not among them
		if t != nil && t.Signal == timer {
			return t
		}
	}
	switch v := reflect.ValueOf(timer); {
	case timer != nil && s.plain(v.Type()):
	case timer == nil || !v.Comparable():
		panic(fmt.Sprintf("macemc: env.%s(%s): a timer must be a comparable value (no slice, map or func in it), since equal values are one timer",
			call, s.Text(timer)))
	case !equal(timer, timer):
		panic(fmt.Sprintf("macemc: env.%s(%s): a timer must be equal to itself (no NaN in it): it could never be found again",
			call, s.Text(timer)))
	case holdsPointer(v):
		panic(fmt.Sprintf("macemc: env.%s(%s): a timer must not hold a pointer: nodes are copied, and a pointer into one is no pointer into its copy; say what the timer is about by a name or a number",
			call, s.Text(timer)))
	}
	t := s.answer.Timer(timer)
	s.vetted[s.vets%vettedMost] = t
	s.vets++
	return t
}

// plain reports whether every value of the type t can be a timer.
func (s *Step) plain(t reflect.Type) bool {
	if t == s.plainly {
		return true
	}
	is, known := s.plains[t]
	if !known {
		is = plain(t)
		s.plains[t] = is
	}
	if is {
		s.plainly = t
	}
	return is
}

func plain(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Struct:
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return plain(t.Elem())
	default:
		return k == reflect.String || reflect.Bool <= k && k <= reflect.Uintptr
	}
}

func equal(a, b sim.Signal) bool { return a == b }

// holdsPointer reports whether v, a comparable value, contains a pointer or a channel that is not nil.
func holdsPointer(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		return !v.IsNil()
	case reflect.Interface:
		return !v.IsNil() && holdsPointer(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if holdsPointer(v.Field(i)) {
				return true
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if holdsPointer(v.Index(i)) {
				return true
			}
		}
	}
	return false
}
