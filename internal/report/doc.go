// Package report is the layer of layout: it writes the results of searches and replays as text for people and
// as JSON for programs.
//
// Its input is a result with the accounts of its findings; its output goes to a writer that the caller gives.
// It decides nothing and stores nothing: the account of a finding has the files to which the finding was
// written, and the command that replays it.
//
// Two runs of one seed have the same text except for the block headed "measured:", and the same JSON except
// for the member "measured".
//
// Words: a report is the whole text; a block is a heading with indented rows; a row has a label and a text,
// which is wrapped below itself.
package report
