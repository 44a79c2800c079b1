package sight

import (
	"reflect"

	"macemc/internal/canon"
	"macemc/macetime"
)

// Times returns a finder of the macetime values inside of other values.
func Times(walker *canon.Walker) *canon.Finder {
	return walker.Finder(reflect.TypeFor[macetime.Time](), reflect.TypeFor[macetime.Monotone]())
}
