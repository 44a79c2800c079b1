// Package manners measures how soon walks of several manners find known bugs, and prints a
// table with a row for each bug. Known bugs and the flags of the table enter; the table
// leaves, and a journal of what was measured. Only tests import it: those of the command for
// the catalogue, and those of examples for their own bugs.
package manners
