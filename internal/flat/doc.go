// Package flat has the small tables of a search's hot loops: numbers in, a
// number out, by open addressing, without a pointer that the collector would
// have to follow. A table belongs to one goroutine.
package flat
