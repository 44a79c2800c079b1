package happens

import "time"

// Kind is the kind of an Event.
type Kind string

// The kinds of events.
const (
	Start     Kind = "start"     // a life begins
	Crash     Kind = "crash"     // a life ends
	Stop      Kind = "stop"      // the context of a life is cancelled
	Send      Kind = "send"      // a segment, a datagram or a mail is sent
	Arrive    Kind = "arrive"    // it arrives
	Write     Kind = "write"     // to the disk
	Sync      Kind = "sync"      // of the disk
	Log       Kind = "log"       // a line
	Emit      Kind = "emit"      // a fact
	Partition Kind = "partition" // Text has the names of the second side
	Heal      Kind = "heal"
	Reset     Kind = "reset" // of the connections with Peer
	Clock     Kind = "clock" // the clock of a host jumps, or drifts
)

// An Event is something that happened in a world. Value is nil except for facts.
type Event struct {
	At     time.Duration // since the beginning of the world
	Step   uint32        // of the run
	Kind   Kind
	Host   string // where; "" for the whole network
	Peer   string // the other end
	Link   string // tcp, udp or mail
	Number int    // the number of a message, the same when it is sent and when it arrives
	Text   string
	Value  any `json:"-"`
}
