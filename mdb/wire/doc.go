// Package wire drives a session of mdb by JSON, for editors, agents and the page of mdb/web. A
// request is an object on a line, and so is its answer.
//
// One table of operations defines the answers and docs/serve.md. The answers are values of mdb,
// which show the same facts as its pages for people.
package wire
