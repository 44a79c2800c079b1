// Package peterson is Peterson's lock for n processes, the filter lock: shared
// memory and guarded actions, no messages. All processes and their memory are
// one node, since what they share is no message; each signal is one atomic step
// of one process.
//
// # The story
//
// A process climbs n-1 levels to its critical section. At each level it claims
// the level, says that it is the one who yields there, and waits until either
// everybody else is on lower levels or somebody came after it to yield in its
// place. So each level holds back at least one of those who reach it.
//
// For process i, Q[i] is the level that it claims, turn[j] who yields at level
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
// cannot pass it has no step. Q[i] is 1 and not 0 after L4, and j stays n at L0, by which a
// first attempt differs from a later one. The published model has both, so its counts need
// them.
//
// # A count to check the checker by
//
// The published numbers of states, and for three processes of transitions,
// hold here; what stands in brackets was counted here only:
//
//	processes    states   transitions
//	        2      (44)          (78)
//	        3       771         1,787
//	        4    19,887      (57,296)
//	        5   576,551   (2,048,551)
//
// # What is promised
//
// At most one process is in its critical section; and from every state one can
// get there.
//
// # Known limits
//
// Real processes read Q one by one at L3. That no process starves is not
// promised, since nothing here is fair.
package peterson
