// Package paxos is Lamport's single-decree Paxos, message by message, over a
// network without order that loses nothing.
//
// Each proposer has one ballot of its own, and begins with it at any time: READ to
// every acceptor. An acceptor takes a READ above what it has promised: it promises
// that ballot and answers with what it has accepted, else it drops it. With the
// answers of a majority the proposer sends WRITE to every acceptor, with the value
// of the highest accepted ballot among them, or its own. An acceptor takes a WRITE
// that is not below what it has promised, accepts it, and tells the learners, else
// it drops it. A learner learns a value with the ACCEPTs of a majority for one
// ballot.
//
// With answers=quorum a proposer and a learner take the answers of a majority in one step, each
// set of senders by itself (see sim.OnQuorum), and remember nothing before.
//
// # What is left of a quorum
//
// late says what becomes of answers when there is a majority already: they stay in
// the bag, or are taken without effect. count=number makes proposers and learners
// remember how many have answered and not who, as some models do. That changes how
// many states there are, and no more.
package paxos
