// Package account says what is known of one finding, as facts that have types,
// each of them made once. Every form in which a finding is told is written from
// the same Account: the text and the JSON of a report, JUnit's XML, SARIF, the
// folder, pictures, the debugger's answers. So no two of them say otherwise, and
// none takes the run again to say what another one knew.
//
// A finding enters, as a search, a replay or a critical transition left it. What
// leaves are values, and never sentences: which words are used for them is for the
// rooms above to say.
//
// What costs runs is made when it is first asked for: the states of the run, those
// of the nearest live one, and what comes of the end of a dead one. An Account
// belongs to one goroutine.
package account
