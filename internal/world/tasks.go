package world

import (
	"reflect"

	"macemc/internal/canon"
	"macemc/sim"
)

// dataless is a type of tasks without data, and their identity.
type dataless struct {
	of  uintptr
	sum canon.Hash
}

// taskSum returns the identity of a task. Tasks of a type without data have one identity.
func (all *nodes) taskSum(task sim.Signal) canon.Hash {
	of := typeOf(&task)
	for k := range all.dataless {
		if d := &all.dataless[k]; d.of == of {
			all.work.hashed()
			return d.sum
		}
	}
	sum := all.sum(task)
	if reflect.TypeOf(task).Size() == 0 {
		all.dataless = append(all.dataless, dataless{of, sum})
	}
	return sum
}
