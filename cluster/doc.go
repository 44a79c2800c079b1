// Package cluster lets workers on several machines take the walks of one search, over NATS JetStream.
//
//	func main() {
//		command.Program{Systems: []*sim.System{lock.System}, Cluster: cluster.Commands()}.Main()
//	}
//
// The module is one of its own, so that a program without that line does not depend on NATS.
//
// # How
//
// The coordinator has the search: it decides what each lot of walks is, adds up what walks came to
// in the order of their numbers, and adds to the corpus at the ends of lots. So what it finds does not
// depend on who took the walks. A lot is cut into spans of about half a second.
//
//	stream macemc-work       a span each, in a work queue; redelivered if its worker goes silent
//	bucket macemc-results    what a span came to, under its name: the first who creates it wins
//	bucket macemc-known      what each lot adds to the corpus
//	bucket macemc-tries      the walk that a worker takes of a span that was delivered before
//	bucket macemc-run        the job, the lot that is under way, a key for each worker
//
// A span whose worker died is taken again walk by walk, and each walk is noted before. A walk that
// ends three processes is left out; the search then is incomplete.
//
// # Trust
//
// No code travels: a job is a command line, and a worker takes it only if its program has the same
// hash and reads the same setting from it. The embedded server listens on the loopback only, unless
// it has a token or certificates.
package cluster
