package net

import "macemc/netsim"

// Connections, Datagrams and Members give read access to the links. Only methods of Links change them, so
// that every change is marked.
type (
	Connections struct{ tcp *netsim.TCP }
	Datagrams   struct{ udp *netsim.FIFO }
	Members     struct{ set *netsim.Set }
)

// TCP returns the connections.
func (l *Links) TCP() Connections { return Connections{l.tcp} }

// UDP returns the channels of datagrams.
func (l *Links) UDP() Datagrams { return Datagrams{l.udp} }

// Set returns the messages in sets and bags, for reading.
func (l *Links) Set() Members { return Members{l.set} }

// Channel returns the number of the TCP or UDP channel from one node to another. Ends returns the nodes of a
// channel.
func (l *Links) Channel(from, to int) int        { return l.tcp.Channel(from, to) }
func (l *Links) Ends(channel int) (from, to int) { return l.tcp.Ends(channel) }

// The methods of Connections are those of netsim.TCP.

func (r Connections) Messages() *netsim.Bits              { return r.tcp.Messages() }
func (r Connections) Errors() *netsim.Bits                { return r.tcp.Errors() }
func (r Connections) Clear() *netsim.Bits                 { return r.tcp.Clear() }
func (r Connections) Flushed() *netsim.Bits               { return r.tcp.Flushed() }
func (r Connections) Flags(from, to int) netsim.Flags     { return r.tcp.Flags(from, to) }
func (r Connections) Packets(channel int) []netsim.Packet { return r.tcp.Packets(channel) }
func (r Connections) Head(channel int) *netsim.Packet     { return r.tcp.Head(channel) }
func (r Connections) End(channel int) netsim.End          { return r.tcp.End(channel) }
func (r Connections) Told(channel int) uint8              { return r.tcp.Told(channel) }
func (r Connections) Broken(channel int) bool             { return r.tcp.Broken(channel) }
func (r Connections) Asked(channel int) bool              { return r.tcp.Asked(channel) }
func (r Connections) Flushing(node int) bool              { return r.tcp.Flushing(node) }
func (r Connections) Special() bool                       { return r.tcp.Special() }
func (r Connections) Room(channel int) int                { return r.tcp.Room(channel) }
func (r Connections) Buffer() int                         { return r.tcp.Buffer() }
func (r Connections) Breakable(a, b int) bool             { return r.tcp.Breakable(a, b) }
func (r Connections) Illegal() (a, b int, found bool)     { return r.tcp.Illegal() }
func (r Connections) Lost() []int32                       { return r.tcp.Lost() }

// The methods of Datagrams are those of netsim.FIFO.

func (r Datagrams) Len() int                            { return r.udp.Len() }
func (r Datagrams) Ready() *netsim.Bits                 { return r.udp.Ready() }
func (r Datagrams) Packets(channel int) []netsim.Packet { return r.udp.Packets(channel) }
func (r Datagrams) Head(channel int) *netsim.Packet     { return r.udp.Head(channel) }

// For returns the members of the sets and bags of a receiver.
func (r Members) For(to int) []netsim.Member { return r.set.For(to) }
