//go:build goexperiment.mapsplitgroup

package fast

// split reports whether a group of a map has all of its keys before its elements, as in this release.
// Before Go 1.27, each key was followed by its element.
const split = true
