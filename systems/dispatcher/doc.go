// Package dispatcher is the front end of a replicated service: a dispatcher finds out which replica
// is the head, and sends requests to it.
//
// The membership has a version. The head may hand over to the other replica by a datagram, which
// can be lost; so a replica may not know that it is the head. A replica that is not the head
// answers a request with the membership that it knows. The dispatcher adopts a newer membership,
// and sends its own with each request, so that a replica learns of it. If no answer comes, it tries
// again.
//
// With DP1 a replica adopts a newer membership only if the dispatcher has waited for too long. Two
// replicas that each take the other for the head then send the dispatcher back and forth, and it
// never waits. Any timer would end that, so sim.Eventually, which asks what can still be reached,
// holds; sim.Cools does not hold, since a fair run need not let the timer fire.
package dispatcher
