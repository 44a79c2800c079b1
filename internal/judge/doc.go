// Package judge evaluates what a system says of its states and runs: its properties, monitors and
// constraints, and the views they look through.
//
// A [Judge] is bound to what properties see of one runtime ([sight.State]), and belongs to it. The
// runtime says which nodes change and which facts are emitted; the judge says what does not hold. It
// makes no finding: the runtime knows the step that a finding is about.
//
// The value of a property, Within or Assume in a state depends on what a View can see: the
// nodes with their timers, and which nodes are up. If Judge.Counted reports true, it also depends
// on the number of messages under way; if Judge.Looked does, on the messages.
package judge
