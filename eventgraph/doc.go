// Package eventgraph tells what happened in a run, and what happened before
// what, for people who look for a bug: as text, as pictures, and in the forms
// that other tools read.
//
// A graph is built from the steps of a trace alone. A step happened before
// another if a chain of these leads from the one to the other: the next step
// of the same node; a message from the step that sent it to the one that it
// was delivered in; a timer, a task, a connection that broke, a partition,
// from what set it, posted it or began it to what came of it.
//
// The steps say which messages they sent, took and lost: so the graph tells what became of
// every message that was handed to the network. In a graph #1 is the first of them.
//
// A graph is drawn as text (Text), as a picture (SVG), as a page with the states
// of the nodes (HTML), as a diagram for Markdown (Mermaid), and in the form of
// Graphviz (DOT). Compare puts two runs side by side, which are drawn in all
// forms but the last. A Recording keeps the states of a run that somebody takes.
//
// What a service writes is text everywhere: clean makes one line of it, and
// each form escapes it in one place of its own.
//
// # Known limits
//
// What did not happen has no arrow: that a buffer was full since nothing was
// taken from it, or that a handler saw no timer scheduled, is told by the step
// and is no cause. So what happened before a failure need not be all that it
// depends on; Depends finds that out by runs of less.
package eventgraph
