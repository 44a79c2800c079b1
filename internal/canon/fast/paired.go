//go:build !goexperiment.mapsplitgroup

package fast

// split says that a group of a map has its keys first, then its elements. Here
// each key is followed by its element.
const split = false
