// Package nearest suggests which name was probably meant by a misspelt one: of a system, a
// known bug, a command or a flag. All such errors are made here, so that they read alike.
package nearest
