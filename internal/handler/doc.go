// Package handler runs the handlers of a node and implements their [sim.Env].
//
// It has every check of a call, the text of every misuse, the list of effects, and the
// dispatch of events to Init, Deliver and Handle. Questions about the world around the node
// (how a coin falls, whether there is room in a buffer, what is on the disk) go to an
// [Answerer]. A simulation and a node on real sockets differ only in their Answerers, so
// whatever one of them rejects, the other rejects, too.
//
// A [Step] is what one handler asked for. It belongs to one goroutine. Nothing that a
// handler asks for happens before the handler returns: then the runtime reads
// [Step.Effects].
package handler
