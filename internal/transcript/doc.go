// Package transcript runs tests that are written as files for people: each has commands with their
// input, and after a line of dashes the output that is expected. It is a thin wrapper of datadriven,
// whose files it uses unchanged, and adds the rules of this project: every file begins with prose, a
// misspelt argument is an error, and a failed test explains how to rewrite the file and what to
// consider first.
//
// Its input is a transcript file and a handler of commands; its result is that of a test.
package transcript
