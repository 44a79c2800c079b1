// Package eventgraph shows what happened in a run, and what happened before what: as text,
// as pictures, and in forms that other tools read.
//
// A graph is built only from the steps of a trace. A step happened before another if a
// chain of arrows leads from one to the other: from a step to the next step of the same
// node; from the step that sent a message to its delivery; and from the step that set,
// posted or caused a timer, a task, a broken connection or a partition to the step in which
// it took effect.
//
// The steps record which messages they sent, took and lost, so the graph knows what became
// of every message. In a graph #1 is the first of them.
//
// A graph is drawn as text (Text), as a picture (SVG), as a page with the states of the
// nodes (HTML), as a diagram for Markdown (Mermaid), and in the language of Graphviz (DOT).
// Compare shows two runs side by side, in all forms except DOT.
//
// Texts of a service never become markup: clean makes one line of a text, and each form
// escapes it in one place.
//
// # Known limits
//
// An event that did not happen has no arrow. If a buffer was full because nothing was taken
// out of it, or a handler saw that no timer was scheduled, the step shows that, and no
// arrow does. So the steps before a failure need not be all that it depends on; Depends
// finds out with runs of fewer steps.
package eventgraph
