//go:build !goexperiment.mapsplitgroup

package fast

// split reports whether a group of a map has all of its keys before its elements, as since Go 1.27. In this
// release, each key is followed by its element.
const split = false
