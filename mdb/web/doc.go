// Package web serves the page on which a session of mdb is explored in a browser. The page is
// written by hand and embedded; it sends the requests of mdb/wire, and decides nothing itself.
//
// The server answers only on the loopback interface, only requests that have the token in their
// URL, and no request that names another host. So a foreign page can neither guess the token nor,
// by a name that resolves to this machine, send requests of its own. The page may run its own
// script and load its own style, and nothing else; text of a service is inserted as text.
package web
