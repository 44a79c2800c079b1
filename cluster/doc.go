// Package cluster lets workers on several machines take the walks of one search, and visit its states, over NATS
// JetStream.
//
//	func main() {
//		command.Program{Systems: []*sim.System{lock.System}, Parts: []command.Part{cluster.Commands()}}.Main()
//	}
//
// It is a module of its own, so that a program without that line does not depend on NATS.
//
// # How it works
//
// The coordinator runs the search: it decides which walks each lot has, adds up the results in the
// order of the walks' numbers, and extends the corpus at the end of each lot. So its findings do not
// depend on which worker takes a walk. It cuts a lot into spans, which take about half a second each.
//
//	stream macemc-work       a work queue with a message for each span; a span is redelivered if its worker is silent
//	bucket macemc-results    the result of each span, under the span's name; the first writer creates it
//	bucket macemc-known      the additions to the corpus, for each lot
//	bucket macemc-tries      the walks and states that ended processes, for each span and group
//	bucket macemc-run        the job, the number of the current lot, and a heartbeat for each worker
//
// The states of the exhaustive phase may be divided into shards, each of which one worker at a time visits:
//
//	stream macemc-states-N   the states that were found for a shard, in the order in which they are visited
//	stream macemc-visited-N  records of those that were visited, and of what came of it
//	bucket macemc-space      the level, and the worker of each shard
//
// If every run is taken from its start, the messages of the queue are items of runs, and the result of an item has
// the items that it leaves: see search.Afar.
//
// When a span is delivered a second time, its walks are taken in a process of their own. A walk that
// ends three such processes is left out, and the search is then incomplete. The same holds for states:
// if the worker of a shard ends, a process of its own visits the next group of states.
//
// # Words
//
// A lot is a range of walks that begin with the same corpus, the states that earlier walks have met. A span
// is a part of a lot, and an item is a set of runs that begin alike; either is a task, which is one message of
// the work queue. An epoch is a number that grows with each job, and with each owner of a shard. The owner is a
// slot, which is one goroutine of a worker. It reads the states of its shard in groups; for each group it stores
// the states that follow, and then appends a record, which has the group's result and the number of the last
// message that was read. A mark is a message among the states of a shard that ends a level.
//
// # Trust
//
// No code travels: a job is a command line. A worker takes it only if its program has the same hash,
// and reads the same setting from the command line. The embedded server listens on the loopback only,
// unless it has a token or certificates; so does the status page, unless it has a token.
package cluster
