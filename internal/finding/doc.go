// Package finding makes the folder of a finding: the path that shows it, the
// trace of its steps, and a report for people who know the protocol and not
// this tool.
//
// A finding enters, as a search or a critical transition left it, and a folder
// comes out, whole or not at all. The run is taken again for that, so that the
// report can say what every step changed. Of a dead run, walks from its end and
// from the last state that could recover are compared: what none of the former
// has and all of the latter have is told, and no more than that; which of it is
// the cause is for the reader to see. The command and the tests of users share this room: they only
// say which commands take a path again.
package finding
