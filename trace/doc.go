// Package trace has the record of a run: its steps, and what each of them did.
//
// A World records a Trace while it follows a path. search.Finding has the one of the run that failed;
// package eventgraph draws it, and a test may look into it for what it expects. An event is
// the reason of a step; its effects are the calls of the handler, in order.
package trace
