package happens

// The kinds of events, as program.Event names them. A life is the time of a host
// between its start and its crash.
const (
	Start     = "start"     // a life begins
	Crash     = "crash"     // a life ends
	Stop      = "stop"      // the context of a life is cancelled
	Send      = "send"      // a segment, a datagram or a mail is sent
	Arrive    = "arrive"    // a segment, a datagram or a mail arrives
	Write     = "write"     // a write to the disk
	Sync      = "sync"      // a sync of the disk
	Log       = "log"       // the program logs a line
	Emit      = "emit"      // the program emits a fact
	Partition = "partition" // the network is cut in two; Text has the names of the hosts on the second side
	Heal      = "heal"      // a partition ends
	Reset     = "reset"     // the connections with Peer break
	Clock     = "clock"     // the clock of a host jumps, or drifts
)
