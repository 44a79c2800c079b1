// Package wording writes values and events: as people read them, and as the identities by
// which a path names its events. It also writes lists of names, and words for a shell.
//
// A value and a function that writes any value come in, text goes out. Only the function's own text
// identifies a value: two values may read alike.
package wording
