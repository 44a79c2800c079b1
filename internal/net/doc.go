// Package net holds the messages under way in a simulated run, on links of all kinds.
//
// Package netsim knows the rules of one medium each. [Links] joins them: it numbers each message
// when it is sent; it says which messages may be delivered, given which
// nodes listen and what they accept; and it touches the parts of the state that it changes, and
// records in [state.Touched] which parts a step has looked at.
//
// What is under way is read through Connections, Datagrams and Members, and changed by methods of
// Links alone.
package net
