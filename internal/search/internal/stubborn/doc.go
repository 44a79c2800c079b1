// Package stubborn finds kinds of events that suffice in a state: if the search takes only the steps of
// these kinds there, and the others later, it loses no finding. It knows neither services nor states: it
// computes with kinds of events, which its caller numbers, and with facts about them, which its caller
// observes.
//
// # What suffices
//
// Let P be some kinds of events, and T all events of these kinds that are possible in a state. An
// event that takes several messages is of the kinds of all of them. T may stand for all possible
// events if no run without an event of T ever takes a step that depends on one of them. Then
// all steps of such a run can also be taken after a step of T, and lead to the same state.
//
// [Facts.Least] finds such a P that has a given kind. It computes which events may happen without T,
// from the pending kinds and from the kinds that each kind was ever seen to make pending. If one of
// these events may depend on T, it adds the pending kind from which that event comes to P, and begins
// again.
//
// Two events of different nodes do not depend on each other: a message that one sends to the other's
// node is an event of its own. Two events of one node depend on each other if one of them changes
// the node, or both send on one channel in order; and always, if the node takes several messages at
// once. So if an event of P is pending and its node declines it now, that does not change before a step
// of T: an event that changes the node depends on P. If a message of P is behind another one of its
// channel, it is not delivered before a step of T either, since the first message is added to P. And a
// message that is sent while its channel has a message of P is delivered after that one (see
// [Situation.Heads]).
//
// Facts.Least keeps up to date, for each kind, a set of the kinds that may follow from it if nothing
// holds them up. This set is not exact where messages of P hold others up, or where an event takes
// several messages; there, Facts.Least follows the events one by one.
//
// # Facts are observations
//
// A kind of event is assumed to make only those kinds pending that one of its executions was seen to
// make pending. A set that assumes "this kind of event never sends to that node" is void once an event
// of the kind does. So whenever [Facts.Version] has changed, the caller must call [Facts.Suffices] again
// for each state of which it left steps out, and take these steps if the answer is now no.
//
// Why that is sound although the execution that would show it may be one that was left out: let
// all remaining answers agree with all observations, and from each state let some path of the
// steps that were taken lead to a state whose steps were all taken (the proviso, which is the
// caller's). Then each step that any run takes, as a node with what it finds, is taken somewhere
// in the reduced graph. The proof is by induction on the length of a run w from a state s of that
// graph. If w has a step of T, let t be the first. If no step before it depends on t, then w without
// t is possible after t, and is shorter. If w has no step of T, and none depends on T, each step of T
// leaves w possible; so follow the path of the proviso. It ends at a state whose steps were all
// taken, the first of w among them, unless w has a step that is chosen on the way. In both cases what
// remains is shorter. Finally, let some step depend on T, and let u be the first before t. Up to u,
// w is possible after any step of T, and u does the same there: if u is of the node of T, the step
// of T does not change that node, since otherwise every event of the node depends on it and an
// earlier answer had to be no. So by the same argument u is taken in the reduced graph, was observed,
// and contradicts the answer.
//
// # Nodes that fail
//
// A fault by which a node fails is a kind of event of that node. It is pending while its budget is left, and changes
// the node, so a set that has any event of a node has its failures, too. Two failures of different nodes spend one budget, and
// after one of them the other may be impossible. They need not be in one set all the same. The following conditions on T
// are enough.
//
//   - If a step t of T is possible after a run u that has no step of T, then t is possible before u, and u after t, and
//     both lead to the same state. For a failure t this holds: u has no step of its node, and what u leaves of the budget was
//     there before.
//   - If the steps of T are taken, at least one of them is no failure. Such steps stay possible along u, and u after them.
//
// In the proof, a run w without a step of T is possible after a step of T that is no failure; after a failure it may lack
// budget. So a failure is no step on the path of the proviso: a step that is none must lead to a state with
// a greater number. The states that are passed through on it follow from w by other steps than faults, as liveness
// needs: if a state is dead, so is every state to which such steps lead.
//
// A message that is sent by a channel in order to a node that failed is refused, which is an event of the sender; and a failure
// takes the messages of such channels. So no set suffices that has an event which sends by a channel to a node that failed or
// may fail, or without which such an event may come. A failure that breaks a connection touches the node at its other
// end, and is barred. A failed node may have one event, its restart, on which all its other events depend.
//
// # Datagrams that are lost
//
// The loss of a datagram is a kind of event of the node to which it is under way, one for each sender. It is pending while
// its budget is left and the channel has a datagram. It counts as a change of that node, so a set that has any event of the node has
// the losses of its datagrams, too; and whoever sends the node a datagram brings a loss about. A loss keeps no order: the datagram
// that was sent last may be the one that is lost. The conditions above hold: a run u without a step of T sends no datagram to the node and takes
// none from its channels, so what t loses after u was there before, at the same place.
//
// # Other faults
//
// While a budget for another fault is left, a state is expanded as a whole:
//
//   - The copy of a datagram comes behind those that its sender sends before, so a duplicate depends on events of two nodes.
//   - A datagram that is delivered before older ones ends the order of its channel, on which the rule of first messages rests.
//   - A reset breaks both directions of a connection, which two nodes notice.
//   - A partition touches all connections across it.
//   - A pause makes the events of its node impossible, and they become possible again.
//   - A rare answer, or an error of a disk, spends its budget in the middle of any event, and so makes events of all nodes depend on
//     each other.
//
// # Liveness
//
// A state is dead if no live state can be reached from it. Let what liveness depends on be visible, and
// no step be possible that may not be taken in the end (a fault, a rare step). Then the whole graph has a
// dead state if and only if the reduced one has, by its own edges. For let s be dead, and w a run from the
// start to s. By the induction above the reduced graph has a state to which w leads with some steps of
// other kinds more: these can be taken after s, too, so that state is dead as s is. And if a run w leads
// from a state of the reduced graph to a live one, follow w by the same induction. Steps that are moved
// to the front, or added on the path of the proviso, are invisible where they are moved over others: of a
// state with a visible step among those that were chosen, all steps were taken, and the first of w among
// them. So the visible steps of w come in their order, and the state after them is live.
//
// # Barred and visible kinds
//
// A kind of event is barred if an execution was seen to touch anything that this argument does not
// cover: budgets, connections as such, a full channel, several nodes. A set is no answer if it
// contains a barred kind, or if the others may do one. A step is visible if it changes what a
// property over several nodes, or of liveness, takes from a node, or emits a fact. The caller takes all
// steps of a state of which it took a visible one. So the order of visible steps is that of any run. A kind is
// visible if one of its executions was: that is a hint, which answer to prefer.
package stubborn
