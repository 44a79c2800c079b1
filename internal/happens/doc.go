// Package happens has the events of a world of programs. Package program passes them to an observer, and
// internal/ensemble records them.
package happens
