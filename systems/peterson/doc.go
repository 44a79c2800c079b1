// Package peterson is Peterson's lock for n processes, the filter lock, with shared memory and
// guarded actions instead of messages. All processes and their memory are one node, since nodes
// share nothing but messages; each signal is one atomic step of one process.
//
// # The story
//
// A process climbs n-1 levels to its critical section. At each level it claims
// the level, declares that it is the process that yields there, and waits until either
// all other processes are on lower levels, or another one came after it and yields in its
// place. So each level holds back at least one of those that reach it.
//
// For process i, Q[i] is the level that it claims, turn[j] the process that yields at level
// j, and j a variable of its own; all are 0 at first, and every turn is the
// first process:
//
//	L0  j := 1                                                    to L1
//	L1  Q[i] := j                                                 to L2
//	L2  turn[j] := i                                              to L3
//	L3  when Q[k] < j for all k other than i, or turn[j] != i:
//	        j := j+1                                              to L1 if j < n, else L4
//	L4  the critical section; Q[i] := 1                           to L0
//
// The test of L3 is one step: the process sees all of Q and the turn at once. A process that
// cannot pass it has no step. After L4, Q[i] is 1 and not 0, and j stays n at L0, so a
// first attempt differs from a later one. The published model has both peculiarities, so its
// counts need them.
//
// # A count to check the checker by
//
// The published numbers of states, and for three processes of transitions,
// hold here; the numbers in brackets were counted only here:
//
//	processes    states   transitions
//	        2      (44)          (78)
//	        3       771         1,787
//	        4    19,887      (57,296)
//	        5   576,551   (2,048,551)
//
// # What is promised
//
// At most one process is in its critical section; and from every state a state can be reached
// in which one is.
//
// # Known limits
//
// Real processes read Q one by one at L3. It is not promised that no process starves,
// since steps are not fair here.
package peterson
