package happens

// The kinds of events.
const (
	Start     = "start"     // a life begins
	Crash     = "crash"     // a life ends
	Stop      = "stop"      // the context of a life is cancelled
	Send      = "send"      // a segment, a datagram or a mail is sent
	Arrive    = "arrive"    // it arrives
	Write     = "write"     // to the disk
	Sync      = "sync"      // of the disk
	Log       = "log"       // a line
	Emit      = "emit"      // a fact
	Partition = "partition" // Text has the names of the second side
	Heal      = "heal"
	Reset     = "reset" // of the connections with Peer
	Clock     = "clock" // the clock of a host jumps, or drifts
)
