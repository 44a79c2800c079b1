// Package finding writes the folder of a finding: the path that shows it, the
// trace of its steps, and a report for people who know the protocol and not
// this tool.
//
// Its input is the account of a finding. Its output is a folder, which is written as a
// whole or not at all. The command and package macetest use it; they pass the
// command lines by which a path is replayed.
package finding
