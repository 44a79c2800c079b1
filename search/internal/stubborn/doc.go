// Package stubborn finds nodes of which it suffices to take the steps in a state, and to leave the
// steps of the others for later. It knows neither services nor states: it computes with kinds of
// events, which its caller numbers, and with facts about them, which its caller observes.
//
// # What suffices
//
// Let P be some nodes, and T all events that are possible at them in a state. T may stand for all
// possible events if no run in which only other nodes take steps ever touches what T depends on:
// if, as long as no node of P takes a step, nobody sends a message to a node of P that changes
// what is possible there. Then whatever the others do can be done after a step of T as well, and
// comes to the same state. [Facts.Least] finds such a P around a node: it follows what the others
// may do, from what is pending for them and from what each kind of event was ever seen to bring
// about, and adds every node that may send into P.
//
// A message behind another one of the same channel changes nothing that is possible before the
// first is taken; so sending it is no reason to add its sender (see [Situation.Held]).
//
// # Facts are observations
//
// A kind of event brings about whatever one of its executions was seen to bring about. A set that
// rested on "this kind of event never sends to that node" is void when one of them first does. So
// the caller must ask again about each state whose steps were left out in part, whenever
// [Facts.Version] has changed, and take the other steps of those for which the answer is now no.
//
// Why that is sound although the execution that would show it may be one that was left out: let
// all remaining answers agree with all observations, and from each state let some path of the
// steps that were taken lead to a state whose steps were all taken (the proviso, which is the
// caller's). Then each step that any run takes, as a node with what it finds, is taken somewhere
// in the reduced graph. The proof is by induction on the length of a run w from a state s of that
// graph. If w has a step of P, let t be the first. If no step before it touches what T depends on,
// t is possible in s, is taken there, and w without t is possible after it and shorter. If w has no
// step of P, each step of T leaves w possible; so follow the path of the proviso. It ends at a
// state whose steps were all taken, the first of w among them, unless w has a step of the nodes
// that are chosen on the way. In both cases what remains is shorter. Finally, let a step before t
// touch what T depends on, and let u be the first that does. The run up to u has no step of P. By
// the same argument u is taken in the reduced graph, was observed, and contradicts the answer.
//
// # Barred and visible kinds
//
// A kind of event is barred if an execution was seen to touch anything that this argument does not
// cover: budgets, connections as such, a full channel, several nodes. A set is no answer if it
// contains a barred kind, or if the others may do one. A kind is visible if an execution was seen
// to change what a property over several nodes takes from a node, or to emit a fact. Visible
// steps are taken only where all steps are taken, so their order is that of any run.
package stubborn
