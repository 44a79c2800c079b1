// Package nearest tells what was probably meant by a name that there is not.
// Systems, known bugs, commands and flags are looked for by it, so that a slip
// is answered in one way everywhere.
package nearest
