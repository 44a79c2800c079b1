package collections

import (
	"slices"

	"macemc/history"
	"macemc/sim"
	"macemc/systems/service"
)

// A table is a hash table.
type table struct {
	values map[any]any
	first  bool // the known bug CL1: a key keeps its first value
}

// Apply executes a put or a get.
func (t *table) Apply(c service.Command) any {
	switch op := c.Op.(type) {
	case history.Put:
		if _, there := t.values[op.Key]; !there || !t.first {
			t.values[op.Key] = op.Value
		}
	case history.Get:
		return t.values[op.Key]
	}
	return nil
}

// A list is a queue of values.
type list struct {
	values  []any
	newest  bool // the known bug CL2: a dequeue returns the newest value
	forgets bool // the known bug CL3: a dequeue does not remove the value
}

// Apply executes an enqueue or a dequeue.
func (l *list) Apply(c service.Command) (value any) {
	switch op := c.Op.(type) {
	case history.Enqueue:
		l.values = append(l.values, op.Value)
	case history.Dequeue:
		if len(l.values) == 0 {
			return nil
		}
		at := 0
		if l.newest {
			at = len(l.values) - 1
		}
		if value = l.values[at]; !l.forgets {
			l.values = slices.Delete(l.values, at, at+1)
		}
	}
	return value
}

func newLearner(p sim.Params) service.Learner {
	if p.Word(Of) == "list" {
		return &list{newest: p.Bug(CL2), forgets: p.Bug(CL3)}
	}
	return &table{values: map[any]any{}, first: p.Bug(CL1)}
}
