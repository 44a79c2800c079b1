// Package raft checks a service that stands on somebody else's protocol core:
// etcd's raft, go.etcd.io/raft/v3, unchanged, under a driver of its own. It is
// a module of its own, as a user's would be.
//
// # The story
//
// Each server drives one RawNode. Messages are stepped into it, its clock is
// ticked, commands, reads and changes of the members are asked of it; and in return it
// gives a Ready: what to save, what to send, which committed entries to apply. The driver
// does so in tasks, one posted after the other, so that messages, timers and a
// crash can come between any two. It takes one Ready at a time in hand and
// tells raft by Advance when all of it is done; with --param ready=later both are
// steps of their own, with apply=slow entries are applied while raft goes on, and with
// apply=first before anything is saved.
//
// Clients go on asking: a command, a read or a change of the members is asked for
// again by a timer until it is done, since raft promises nothing by taking one. With
// retry=fresh a client gives its request up, which may be applied all the same, and makes
// another one; with retry=twice it asks two servers. A command that is committed twice for
// these reasons is applied once. A server's next read is asked
// for when its last was answered.
//
// Parameters say what else is used, so that small spaces stay small: elections by the
// driver's timer or by raft's own ticks, with PreVote and CheckQuorum; members that join
// as learners, are replaced or removed, one or two at a time, one change after the other or
// by joint configurations that are left by themselves or not; transfers of leadership; snapshots in place of the log.
//
// Messages go by UDP: raft asks of a network no more than that, repeats what
// matters by itself, and so loss, doubles and reordering are among the things
// that it must survive. (Over TCP a broken connection would be reported by
// sim.PeerError, and would be passed on by RawNode.ReportUnreachable.)
//
// # How a core of somebody else fits
//
//   - Messages: a protobuf changes when it is looked at, and shares its entries
//     with the sender's log. The type wire is a string: encoded when sent,
//     decoded when delivered, immutable in between.
//   - Randomness: raft draws its election timeout from a global generator. By default
//     it is put out of reach (ElectionTick), and the service's own timer campaign stands
//     in for it. With --param elections=ticks and the like it is raft's own, and a choice:
//     package core says how.
//   - Versions: the driver knows the library by package core alone, of which there is
//     one for each family of its API.
//   - State: it is raft's own, fields and all, walked as any other. What has to
//     be left out is listed in System.Opaque, with a reason each. A summary of
//     what RawNode.Status tells would be shorter and wrong: the votes that a
//     candidate has are not in it.
//   - Disk: raft's MemoryStorage, which only the task save writes. System.Crash
//     hands it, and nothing else, to the next life. Or, with --param storage=files,
//     a log on Env.Store, which a crash may tear, and from which Init makes a
//     MemoryStorage: then saving and syncing are two tasks. The bugs RF4, RF5 and
//     RF6 are of that log.
//   - Log lines: raft's own logger writes into the trace.
//   - Weights: the election timer is much rarer than other timers.
//
// # What is promised
//
// There is at most one leader in a term, and who is followed was elected in it. Two logs
// that have an entry in common are the same up to there. All servers apply the same
// entries at the same indices, in all their lives. A command that was acknowledged is in
// the log of every later leader, and reads are linearizable (package history). From every
// state, when the faults end, a state can be reached in which one leader is followed by
// all members, every command was applied by all, every read was answered, and the members
// are what they are to be, in no joint configuration.
//
// All of that holds with two crashes, three datagrams that are lost and three that overtake
// others, two doubles, a partition, a pause, and a server that is down for good: the default budgets.
// More of each is survived too, as the tests show. What a server was asked for that is down may be
// unknown to all others, and need not be done; and liveness is promised only while a majority of the
// voters is up, of the old and of the new ones where they change.
//
// # How to search it
//
// By the command line, in this folder:
//
//	go run ./check search raft --bug RF3 --faults none
//
// or from a test, or from a program of your own:
//
//	params, err := raft.System.Configure(3, []string{"proposals=1"}, []string{"RF2"})
//	...
//	result, err := search.Search(raft.System, search.Options{
//		Params: params,
//		Faults: &sim.Faults{Crash: 2},
//	})
//
// and result.Finding is what was found, nil for nothing. Example has the whole
// of it. For the bugs RF1 and RF2 two servers must stand for election in one
// term and a third must crash between its two votes: proposals=0 leaves
// everything else out.
//
// # How to run it
//
// For real, as processes that are killed and come back, or as a replicated store with an
// API of HTTP:
//
//	go run ./check live raft --time 10s --faults kill=2s,loss=0.05
//	go run ./kv
//
// # Known limits
//
//   - The space is infinite: terms grow, and so does the log by proposals that
//     are repeated. A search is bounded by its depth, or by --param terms: two servers
//     without proposals are exhausted with --param terms=2 --param proposals=0 --net
//     udp-capacity=1 --faults none.
//   - Reads by lease (--param elections=leases) are stale where the servers' clocks
//     differ, as the library says itself: a search finds it.
//   - AsyncStorageWrites is not used.
//   - A disk that fails (--faults disk=1) ends the process, as etcd's does: that is
//     found as a panic.
package raft
