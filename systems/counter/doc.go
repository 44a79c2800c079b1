// Package counter is a counter that clients add to, over the layer rpc.
//
// A client adds 1 so many times, one after the other, and is told the new value; an add
// that timed out is not repeated. What is promised is that the adds are those of one
// counter: package history checks that. That takes all of the layer: an add that takes
// effect twice returns a value that no order of the adds explains, and so does an answer
// to another add.
package counter
