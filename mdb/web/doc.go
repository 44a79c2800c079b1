// Package web serves the page on which a session of mdb is explored in a browser. The page
// is written by hand and embedded; it asks the requests of mdb/wire, and decides nothing.
//
// The server answers on the loopback interface alone, to who knows the token in its URL,
// and to no request that names another host: a page of a stranger can neither guess the
// token nor, by a name that resolves to this machine, ask in its stead. The page may run
// its own script and load its own style, and nothing else; what a service writes is
// put into it as text.
package web
