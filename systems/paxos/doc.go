// Package paxos is Lamport's single-decree Paxos, message by message, over a network without order
// that loses nothing.
//
// Each proposer has one ballot of its own, and begins it at any time by sending READ to every
// acceptor. An acceptor accepts a READ if its ballot is above the one that it has promised. Then it
// promises that ballot and answers with the value that it has accepted; otherwise it drops the
// READ. With the answers of a majority, the proposer sends WRITE to every acceptor, with the value
// of the highest accepted ballot among the answers, or its own value. An acceptor accepts a WRITE
// whose ballot is not below the one that it has promised, and sends ACCEPT to the learners;
// otherwise it drops the WRITE. A learner learns a value with the ACCEPTs of a majority for one
// ballot.
//
// With answers=quorum, a proposer and a learner take the answers of a majority in one step, each
// set of senders in a step of its own (see sim.OnQuorum), and remember nothing before.
//
// # Answers that come late
//
// The parameter late says what happens to answers after the majority: they stay in the bag, or are
// taken without effect. With count=number, proposers and learners remember how many have answered
// instead of who, as some models do. Both change only the number of states.
package paxos
