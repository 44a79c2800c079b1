// Package flat has small hash tables for the hot loops of a search. They map hashes or
// numbers to numbers, with open addressing and without pointers for the garbage collector
// to follow. A table belongs to one goroutine.
package flat
