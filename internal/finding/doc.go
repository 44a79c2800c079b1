// Package finding makes the folder of a finding: the path that shows it, the
// trace of its steps, and a report for people who know the protocol and not
// this tool.
//
// The account of a finding enters, and a folder comes out, whole or not at all. The
// command and the tests of users share this room: they only say which commands
// take a path again.
package finding
