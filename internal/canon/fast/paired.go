//go:build !goexperiment.mapsplitgroup

package fast

// split reports whether a group of a map has its keys first, then its elements. Before Go 1.27, each key is
// followed by its element.
const split = false
