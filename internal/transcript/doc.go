// Package transcript runs tests that are files a person can read: commands,
// their input, and after a line of dashes what the code answered. It is a thin
// wrapper of datadriven, whose files it uses unchanged, with the rules of this
// project: every file opens with prose, no argument is misspelt in silence, and
// a red test says how to rewrite it and what to think of first.
//
// A transcript file and a handler of its commands enter; a test result leaves.
package transcript
