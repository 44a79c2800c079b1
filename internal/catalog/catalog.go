package catalog

import (
	"macemc/internal/known"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/chain"
	"macemc/systems/collections"
	"macemc/systems/commit"
	"macemc/systems/counter"
	"macemc/systems/dispatcher"
	"macemc/systems/echomulticast"
	"macemc/systems/election"
	"macemc/systems/handshake"
	"macemc/systems/jointree"
	"macemc/systems/lease"
	"macemc/systems/multipaxos"
	"macemc/systems/overcast"
	"macemc/systems/pastry"
	"macemc/systems/paxos"
	"macemc/systems/peterson"
	"macemc/systems/randtree"
	"macemc/systems/reliable"
	"macemc/systems/simtcp"
	"macemc/systems/stopwait"
	"macemc/systems/storage"
	"macemc/systems/transactions"
	"macemc/systems/transport"
	"macemc/systems/twophase"
	"macemc/systems/wal"
)

// Systems returns all systems, in the order of their names.
func Systems() []*sim.System {
	return []*sim.System{
		brokentree.System,
		chain.System,
		collections.System,
		commit.System,
		counter.System,
		dispatcher.System,
		echomulticast.System,
		election.System,
		handshake.System,
		jointree.System,
		lease.System,
		multipaxos.System,
		overcast.System,
		pastry.System,
		paxos.System,
		peterson.System,
		randtree.System,
		reliable.System,
		simtcp.System,
		stopwait.System,
		storage.System,
		transactions.System,
		transport.System,
		twophase.System,
		wal.System,
	}
}

// Find returns the system with a name. The error for an unknown name lists the systems, and suggests the
// one that was probably meant.
func Find(name string) (*sim.System, error) { return known.System(Systems(), name) }
