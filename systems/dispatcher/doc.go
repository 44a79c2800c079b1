// Package dispatcher is the front end of a replicated service: a dispatcher sends each request to
// the replica that is the head, and finds out who that is.
//
// The membership has a version. The head may hand over to the other replica, by a datagram that can be
// lost; so a replica may not know that it is the head. A replica that is not the head answers a
// request with the membership that it knows. The dispatcher follows a newer one, and sends its
// own with each request, so that a replica learns of it. If no answer comes, it tries again.
//
// With DP1 a replica learns of a newer membership only when the dispatcher has waited for too long. Two
// replicas that each take the other for the head send the dispatcher to and fro, and it never waits.
// Any timer ends that, so sim.Eventually, which asks what can still be reached, holds; sim.Cools does
// not, since a fair run does not need the timer.
package dispatcher
