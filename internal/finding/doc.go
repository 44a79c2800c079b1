// Package finding makes the folder of a finding: the path that shows it, the
// trace of its steps, and a report for people who know the protocol and not
// this tool.
//
// A finding enters, as a search or a critical transition left it, and a folder
// comes out, whole or not at all. The run is taken again for that, so that the
// report can say what every step changed, and how the end differs from a run
// that recovers. The command and the tests of users share this room: they only
// say which commands take a path again.
package finding
