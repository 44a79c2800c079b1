// Package handshake is a connection made by three datagrams, any of which can be lost. It is small
// enough to be solved by hand, and deadlocks if one line is forgotten.
//
// # The story
//
//	client                                            server
//
//	closed                                            listening
//	  | connect: send hello, set the timer              |
//	  v                                                 |
//	calling <--+ timer: send hello again                |
//	  |  |_____|                                        | hello: send welcome, set the timer
//	  |                                                 v
//	  |                                               answering <--+ timer, or hello:
//	  | welcome: send confirm, stop the timer           |  |_______| send welcome again
//	  v                                                 |
//	connected <-+ welcome: send confirm again           | confirm: stop the timer
//	     |______|                                       v
//	                                                  connected
//
// The side that waits has the timer: the client until it is welcomed, and the server until the
// welcome is confirmed. Only the server waits for the last datagram, so the server must ask for it
// again, by sending another welcome. A connected server ignores datagrams that come late.
//
// # What is promised
//
// The server is connected only if the client is, and in the end both are, if not every datagram is
// lost. There are only two nodes, client and server; neither crashes.
//
// # The state space
//
// Each end has three states, and at most two datagrams are under way in each direction: a datagram
// that does not fit is lost. So the space is finite, although timers fire at any time. The tests
// count it.
package handshake
