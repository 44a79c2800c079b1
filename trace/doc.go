// Package trace defines the record of a run: its steps, and what each of them did.
//
// A World records a Trace while it follows a path. search.Finding has the trace of the run that
// failed; package eventgraph draws it, and a test may check it. An event is the reason of a step;
// the effects of a step are the calls that the handler made, in order.
package trace
