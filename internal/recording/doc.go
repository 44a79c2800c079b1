// Package recording keeps the states of one run as text, for code that shows what changed. It keeps each
// state as its difference from the one before, so a long run takes little memory.
package recording
