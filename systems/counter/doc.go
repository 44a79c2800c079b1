// Package counter is a counter that clients add to, over the layer rpc.
//
// A client adds 1 a fixed number of times, one after the other, and gets the new value each
// time; it does not repeat an add that timed out. The promise is that the answers are those of
// one counter, which package history checks. This needs every part of the layer: an add that
// takes effect twice returns a value that no order of the adds explains, and so does an answer
// to another add.
package counter
