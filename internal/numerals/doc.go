// Package numerals writes numbers with their nouns, for reports and the debugger. It has
// the rules for plurals and for separators of thousands.
package numerals
