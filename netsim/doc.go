// Package netsim implements the networks: it keeps the messages under way between nodes, and lists
// what is possible. It never picks. Nodes are indices here; Addr, Event and Env belong to package
// sim, which is above this one.
//
// Three networks carry packets. TCP has connections. A connection opens with the first message,
// breaks, is reset and refused; each end learns of it separately, and each direction queues a
// limited number of messages. FIFO delivers the packets from one node to another in order; its user
// decides which are lost, doubled or reordered. UDP is built on it. Set keeps a message deliverable
// for ever, and a second equal message adds nothing, as in TLA+ models with a set of messages.
//
// The transcripts testdata/tcp_*.txt document the rules of TCP one by one, with examples. The table
// ../internal/world/testdata/parity/rules.txt, which is a test, compares them with real sockets,
// and says where they differ and why.
//
// Every order that is visible from outside (which channel is first, which message of a set) is a
// function of the contents alone, never of history: equal states offer equal alternatives in equal
// order.
package netsim
