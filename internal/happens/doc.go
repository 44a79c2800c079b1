// Package happens names the events of a world of programs with goroutines, such as the start of a host or the
// arrival of a message. Package program passes each event to an observer, and internal/ensemble records them.
package happens
