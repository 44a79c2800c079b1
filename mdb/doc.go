// Package mdb is the debugger for runs, without a screen: a Session opens a path,
// a finding or a system, goes forth and back in the run, and tells what it finds
// as text. It executes lines: a script, a prompt and a screen give it the same
// ones.
//
// # Words
//
// A Cursor is a step of a branch: the state that it shows is the one after that
// step. A Session has one, and a Look tells what there is to tell of one. Step 0 is the start. A branch is a run that leaves another at
// a step; the first of the Branches, the trunk, is what was opened. Nothing that was
// recorded ever changes: who chooses otherwise makes a branch.
//
// # How it goes back
//
// Every step is executed once, when it becomes known, and what it did is kept.
// The states are not kept, but for some: keyframes, at a distance that doubles
// whenever there are too many. Any other state is made again from the keyframe
// before it. Where nodes cannot be copied there are no keyframes, and going back
// is to start again.
//
// What is shown of a state are the lines of canon's text: what the hash sees.
package mdb
