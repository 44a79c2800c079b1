// Package rpc is a layer of requests and answers: which answer belongs to which request,
// when to ask again, when to give up, and that a request takes effect once at most.
//
// # The story
//
// The node above the layer asks by Call, and who is asked gets the request as a message,
// which it handles like any other and answers by Answer, at once or later with its
// Ticket. The answer comes to the caller as a message too, and Of tells of which call it
// is. A request is sent again whenever its timer fires, Options.Tries times at most;
// then the caller gets the signal TimedOut. Whether a request that timed out took effect,
// nobody knows.
//
// The layer who is asked remembers what it answered until the caller says that it needs
// that no more, with its next request: a request that comes again is not handed up, but
// answered again. One that the caller has given up is not handed up at all.
//
// # What is promised
//
// Each request is handed up once at most, and each call ends: with the answer to this
// very request, or by TimedOut. With Tries 0 it is asked for ever.
//
// # Known limits
//
//   - A node that crashes forgets what it answered, and how it counts its calls. With
//     Options.Sessions it takes a new number from its stable storage with every start, so
//     that nobody takes its calls for old ones; what it had answered is forgotten all the
//     same, and a request may then take effect twice.
//   - Messages and timers do not say which Layer they belong to: two in one stack would
//     take each other's.
//   - By TCP, the node above is not told of errors of connections, which are the layer's.
//   - The node must stand on the layer itself: a layer between would hide Call's Env.
package rpc
