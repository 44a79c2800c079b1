//go:build goexperiment.mapsplitgroup

package fast

// split reports whether a group of a map has its keys first, then its elements, as in Go 1.27 and later.
// Before that, each key was followed by its element.
const split = true
