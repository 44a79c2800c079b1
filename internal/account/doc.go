// Package account collects the facts about one finding, as typed values, each computed once.
// All forms of a finding are written from the same Account: the text and the JSON of a report,
// JUnit's XML, SARIF, the folder, pictures, the debugger's answers. So no two of them disagree,
// and none repeats a run for a fact that another one has computed.
//
// An Account is made of a finding of a search, a replay or package critical. It has values
// and no sentences: the packages above choose the words.
//
// Facts that cost runs are computed when they are first needed: the states of the run,
// those of the nearest live run, and what can follow the end of a dead one. An Account
// belongs to one goroutine.
package account
