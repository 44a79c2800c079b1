// Package toy makes systems out of graphs written as text, small enough that a
// reader finds by eye what a search must find. It is for the tests of the rooms
// above sim; a toy does nothing but walk its graph.
//
// A node stands at a vertex. Each edge that leaves the vertex is an event that
// is possible now. A description is lines:
//
//	# anything after a # is for the reader
//	start: a             a node begins at a; a second start begins a second node
//	a -> b               an event: from a to b
//	a -> c rare          the same, of weight 0: possible, but not in walks
//	a -?-> b c           one event, with a coin of two answers: b, then c
//	a -?-> b c rare d    a word rare makes the answer before it one of weight 0
//	live: c d            liveness: every node is at one of its live vertices
//	bad: e               safety: no node is at one of its bad vertices
//
// Lines after a start belong to its node, whose vertices are its own. An event
// of the first node to b reads "n0 action toy.to(\"b\")".
//
// # Known limits
//
// A toy sends nothing and sets no timers. A coin cannot be rare as a whole.
package toy
