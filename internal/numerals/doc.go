// Package numerals writes numbers with their nouns. Reports and the debugger tell
// numbers, and both have them from here: in goes a number, out comes a text.
package numerals
