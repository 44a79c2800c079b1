// Package finding makes the folder of a finding: the path that shows it, the
// trace of its steps, and a report for people who know the protocol and not
// this tool.
//
// The account of a finding enters, and a folder comes out, whole or not at all. Of a
// dead run it is told what all walks from its end have in common and none that
// recovers has, and no more than that; which of it is the cause is for the reader to
// see. The command and the tests of users share this room: they only say which
// commands take a path again.
package finding
