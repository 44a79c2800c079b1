// Package mdb is the debugger for runs, without a screen. A Session opens a path, a finding
// or a system, moves forward and back in the run, and describes what it finds as text. It
// executes lines: a script, a prompt and a screen give it the same lines.
//
// # Words
//
// A Cursor is a step of a branch; the state that it shows is the one after that step. A
// Session has one Cursor, and a Look describes its place. Step 0 is the start. A branch is
// a run that leaves another one at a step; the first of the Branches, the trunk, is the run
// that was opened. Recorded runs never change: taking another choice makes a branch.
//
// # How it goes back
//
// Every step is executed once, when it becomes known, and its effects are kept. States are
// not kept, except for keyframes, at a distance that doubles whenever there are too many.
// Any other state is recomputed from the keyframe before it. If nodes cannot be copied
// there are no keyframes, and going back means to start again.
//
// A state is shown as the lines of canon's text, which show everything that the hash sees.
package mdb
