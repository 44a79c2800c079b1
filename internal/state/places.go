package state

// Places numbers the parts of the states of a system: the place of a part is its index.
type Places struct{ n, budgets, monitors int }

// PlacesOf returns the places of a system with n nodes and these numbers of budgets and
// monitors.
func PlacesOf(n, budgets, monitors int) Places { return Places{n, budgets, monitors} }

// Len returns the number of places.
func (p Places) Len() int { return p.Monitor(p.monitors) }

// Node returns the place of a node, with its timers, tasks, script and disk.
func (p Places) Node(i int) int { return i }

// TCP returns the place of a channel: one direction of a connection.
func (p Places) TCP(channel int) int { return p.n + channel }

// UDP returns the place of a channel of datagrams.
func (p Places) UDP(channel int) int { return p.n + p.n*p.n + channel }

// Set returns the place of the set and the bag of a node.
func (p Places) Set(i int) int { return p.n + 2*p.n*p.n + i }

// Rest returns the first place that belongs to no node and no pair of nodes. The places from
// there to Healed are those of the environment, which are empty once it has healed.
func (p Places) Rest() int { return 2*p.n + 2*p.n*p.n }

// Budget returns the place of the part that says how much of the k-th budget is left.
func (p Places) Budget(k int) int { return p.Rest() + k }

// Cut returns the place of the partition that is in force.
func (p Places) Cut() int { return p.Budget(p.budgets) }

// Pauses returns the place of the set of paused nodes.
func (p Places) Pauses() int { return p.Cut() + 1 }

// Healed returns the first place after those of the environment. The memories of monitors begin
// there.
func (p Places) Healed() int { return p.Pauses() + 1 }

// Monitor returns the place of the memory of a monitor.
func (p Places) Monitor(k int) int { return p.Healed() + k }

// Sort is the kind of part at a place.
type Sort uint8

// The sorts of parts.
const (
	Node Sort = iota
	TCP
	UDP
	Set
	Budget
	Cut
	Pauses
	Monitor
)

// At returns the kind of the part at a place, and its index among the parts of that kind.
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
	case place < p.Cut():
		return Budget, place - p.Rest()
	case place == p.Cut():
		return Cut, 0
	case place == p.Pauses():
		return Pauses, 0
	}
	return Monitor, place - p.Healed()
}
