// Package wire drives a session of mdb by JSON, for editors, agents and the page of mdb/web: a
// request is an object on a line, and so is the answer to it.
//
// One table of operations makes the answers and docs/serve.md. The answers are values of mdb,
// which has the same facts as pages for people.
package wire
