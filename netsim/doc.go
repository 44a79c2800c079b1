// Package netsim is the room of the networks: it holds what is under way
// between nodes and says what is possible; it never picks. Nodes are indices
// here; the words of the contract (Addr, Event, Env) belong to sim, above.
//
// Three networks carry packets. TCP has connections: they open with the first
// message, break, are reset and refused, each end hears of it separately, and
// each direction queues only so much. FIFO delivers each ordered pair's packets
// in the order in which they were sent; what is lost, doubled or taken out of
// order, its user decides: it is the ground of UDP. Set keeps a message
// deliverable for ever once it was sent, and a second equal send adds nothing:
// the set-of-messages world of TLA+ models.
//
// The rules of TCP are told, one by one and with examples, by the transcripts
// testdata/tcp_*.txt. How they compare with real sockets, and where they differ
// and why, is the table ../internal/world/testdata/parity/rules.txt, which is a test.
//
// Every order that can be seen from outside (which channel is first, which
// message of a set) is a function of the contents alone, never of history:
// equal states offer equal alternatives in equal order.
package netsim
