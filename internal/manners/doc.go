// Package manners measures how soon walks of several manners find known bugs. It takes the
// known bugs and the flags of the test, and prints a table with a row for each bug; a flag
// makes it keep a journal of the measurements, too. Only tests import it: those of the
// command for the catalogue, and those of examples for their own bugs.
package manners
