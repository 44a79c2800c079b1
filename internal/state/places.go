package state

// Places numbers the parts of the states of a system.
type Places struct{ n int }

// PlacesOf returns the places of a system of n nodes.
func PlacesOf(n int) Places { return Places{n} }

// Len returns the number of places.
func (p Places) Len() int { return p.Rest() + 1 }

// Node returns the place of a node, with its timers, tasks, script and disk.
func (p Places) Node(i int) int { return i }

// TCP returns the place of a channel: one direction of a connection.
func (p Places) TCP(channel int) int { return p.n + channel }

// UDP returns the place of a channel of datagrams.
func (p Places) UDP(channel int) int { return p.n + p.n*p.n + channel }

// Set returns the place of the set and the bag of a node.
func (p Places) Set(i int) int { return p.n + 2*p.n*p.n + i }

// Rest returns the place of the environment and the monitors.
func (p Places) Rest() int { return 2*p.n + 2*p.n*p.n }

// Sort is the kind of part at a place.
type Sort uint8

// The sorts of parts.
const (
	Node Sort = iota
	TCP
	UDP
	Set
	Rest
)

// At returns the kind of part at a place, with the number of the node or the channel.
func (p Places) At(place int) (Sort, int) {
	switch {
	case place < p.TCP(0):
		return Node, place
	case place < p.UDP(0):
		return TCP, place - p.TCP(0)
	case place < p.Set(0):
		return UDP, place - p.UDP(0)
	case place < p.Rest():
		return Set, place - p.Set(0)
	}
	return Rest, 0
}
