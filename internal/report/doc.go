// Package report is the layer of layout: what a search or a replay came to, as
// text for people and as JSON for programs.
//
// A result enters, with the accounts of its findings, and bytes leave, to a writer
// that the caller gives. Nothing is decided here, and nothing is stored: which file a
// finding went into, and which command replays it, stands in its account.
//
// Two runs of one seed have the same text, save the block that is headed
// "measured:", and the same JSON, save the member "measured".
//
// Words: a report is the whole text; a block is a heading with indented rows; a
// row has a label and a text, which is wrapped below itself.
package report
