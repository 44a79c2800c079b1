// Package rpc is a layer of requests and answers. It matches answers with requests, repeats
// requests, gives up after a number of tries, and makes sure that a request takes effect at
// most once.
//
// # How it is used
//
// The node above the layer sends a request with Call. The receiver gets it as a message,
// which it handles like any other, and answers with Answer, or later with AnswerTo and its
// Ticket. The caller also gets the answer as a message; the function Of returns the call to which
// it belongs. A request is sent again whenever its timer fires, at most Options.Tries times in all.
// Then the caller gets the signal TimedOut. A request that timed out may or may not have
// taken effect.
//
// The receiver's layer remembers its answers until the caller's next request shows that the
// caller no longer needs them. A repeated request is answered from memory, and not passed
// to the node again. A request that its caller has given up is not passed to the node at
// all.
//
// # Guarantees
//
// Each request is passed to the node at most once. Each call ends, with the answer to this
// very request or with TimedOut; if Tries is 0, it may repeat for ever.
//
// # Known limits
//
//   - A node that crashes forgets its answers and the numbers of its calls. With
//     Options.Sessions each start takes a new session number from stable storage, so that no
//     new call is mistaken for an old one. The answers are forgotten all the
//     same, so a request may take effect twice.
//   - Messages and timers do not name their Layer: two rpc layers in one stack would take
//     each other's messages.
//   - With TCP, the node above does not get errors of connections, since these belong to the layer.
//   - The node must stand directly on the layer: a layer in between would hide the Env that Call needs.
package rpc
