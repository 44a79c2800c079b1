package neo

import (
	"fmt"
	"time"

	"github.com/nspcc-dev/dbft"
	"macemc/sim"
)

// node is a validator, at one height.
type node struct {
	host host
	dbft *dbft.DBFT[hash]
}

// host has the functions that the library calls. Some of them ask for an action, such as to send a message.
// host collects these actions until the library returns.
type host struct {
	self     int
	all      int // the number of validators
	outgoing []*payload
	timer    bool
	height   uint32
	view     byte
	accepted hash // the block that was accepted, or ""
	either   bool // proposes one of two blocks
	env      sim.Env
}

// timeout is the only timer.
type timeout struct{}

// relayed is a message: the block that its sender has accepted.
type relayed struct{ Block hash }

// vote is a message of the protocol.
type vote struct{ *payload }

var handlers = sim.Handle(
	sim.OnInit((*node).begin), sim.OnSignal((*node).timeout), sim.OnMessage((*node).vote), sim.OnMessage((*node).relayed),
)

func newNode(p sim.Params, self sim.Addr) *node {
	n := &node{host: host{self: self.Index(), all: p.Nodes, either: p.Word(Proposals) == "either"}}
	n.dbft = newLibrary(&n.host)
	return n
}

// newLibrary returns a validator of the library, which calls host h.
func newLibrary(h *host, more ...func(*dbft.Config[hash])) *dbft.DBFT[hash] {
	d, err := dbft.New(append([]func(*dbft.Config[hash]){
		dbft.WithTimer[hash](h), dbft.WithGetKeyPair[hash](h.keys), dbft.WithGetValidators(h.validators),
		dbft.WithCurrentHeight[hash](func() uint32 { return 0 }), dbft.WithCurrentBlockHash(func() hash { return "genesis" }),
		dbft.WithGetTx(func(h hash) dbft.Transaction[hash] { return transaction{h} }),
		dbft.WithGetVerified(h.pool), dbft.WithBroadcast(h.broadcast), dbft.WithProcessBlock(h.accept),
		dbft.WithNewBlockFromContext(func(c *dbft.Context[hash]) dbft.Block[hash] { return &block{transactions: c.TransactionHashes} }),
		dbft.WithNewConsensusPayload(func(c *dbft.Context[hash], kind dbft.MessageType, body any) dbft.ConsensusPayload[hash] {
			return &payload{kind: kind, view: c.ViewNumber, height: c.BlockIndex, from: uint16(c.MyIndex), body: body}
		}),
		dbft.WithNewPrepareRequest(func(_, _ uint64, all []hash) dbft.PrepareRequest[hash] { return request{all} }),
		dbft.WithNewPrepareResponse(func(to hash) dbft.PrepareResponse[hash] { return response{to} }),
		dbft.WithNewChangeView[hash](func(to byte, _ dbft.ChangeViewReason, _ uint64) dbft.ChangeView { return change{to} }),
		dbft.WithNewCommit[hash](func(signature []byte) dbft.Commit { return commit{hash(signature)} }),
		dbft.WithNewRecoveryRequest[hash](func(uint64) dbft.RecoveryRequest { return again{} }),
		dbft.WithNewRecoveryMessage(func() dbft.RecoveryMessage[hash] { return &recovery{} }),
	}, more...)...)
	if err != nil {
		panic(err)
	}
	return d
}

func (h *host) keys([]dbft.PublicKey) (int, dbft.PrivateKey, dbft.PublicKey) {
	return h.self, h.self, h.self
}

func (h *host) validators(...dbft.Transaction[hash]) (all []dbft.PublicKey) {
	for i := range h.all {
		all = append(all, i)
	}
	return all
}

// pool returns the transactions for the next block. It is one transaction, whose name contains the
// number of the node, so that the blocks of two nodes differ.
func (h *host) pool() []dbft.Transaction[hash] {
	name := fmt.Sprint("tx", h.self)
	if h.either && h.env.Choose(2, "which transaction is proposed") == 1 {
		name += "b"
	}
	return []dbft.Transaction[hash]{transaction{hash(name)}}
}

func (h *host) broadcast(p dbft.ConsensusPayload[hash]) {
	h.outgoing = append(h.outgoing, p.(*payload))
}

func (h *host) accept(b dbft.Block[hash]) error {
	h.accepted = b.Hash()
	return nil
}

// Now, Reset and the methods below are the library's clock and its timer. The clock stands still, and durations
// do not matter, since a timer may fire at any step.
func (h *host) Now() time.Time { return time.Unix(0, 0) }
func (h *host) Reset(height uint32, view byte, _ time.Duration) {
	h.timer, h.height, h.view = true, height, view
}
func (h *host) Extend(time.Duration) {}
func (h *host) Height() uint32       { return h.height }
func (h *host) View() byte           { return h.view }
func (h *host) C() <-chan time.Time  { return nil }

// ledger is the key under which the block is stored.
const ledger = "block"

func (n *node) begin(env sim.Env) {
	if b, is := env.Store().Get(ledger); is {
		n.host.accepted = hash(b)
		return
	}
	n.call(env, func() { n.dbft.Start(0) })
}

func (n *node) timeout(env sim.Env, _ timeout) {
	n.host.timer = false
	n.call(env, func() { n.dbft.OnTimeout(n.host.height, n.host.view) })
}

// vote passes a message of the protocol to the library. If the node has the block already, it sends
// the block to a sender that is behind.
func (n *node) vote(env sim.Env, from sim.Addr, v vote) {
	if n.host.accepted != "" {
		env.Bag().Send(from, relayed{n.host.accepted})
		return
	}
	n.call(env, func() { n.dbft.OnReceive(v.payload) })
}

// relayed accepts a block that another node has accepted. A node may do so without taking part in the
// consensus, since the block has the signatures of the validators.
func (n *node) relayed(env sim.Env, _ sim.Addr, r relayed) {
	if n.host.accepted == "" {
		n.host.accepted = r.Block
		n.store(env)
	}
}

// store stores the accepted block, which ends the consensus about it.
func (n *node) store(env sim.Env) {
	env.Cancel(timeout{})
	env.Store().Put(ledger, string(n.host.accepted))
	if err := env.Store().Sync(); err != nil {
		panic(err)
	}
	env.Emit(accepted{n.host.accepted})
}

// Accepts returns false for a message of a view that this node has not reached: the message then
// waits, and the library, which would keep it in a map, does not get it yet. Requests to change the
// view, and recovery messages, do not wait.
func (n *node) Accepts(_ sim.Addr, m sim.Message) bool {
	v, is := m.(vote)
	return !is || n.host.accepted != "" || v.view <= n.dbft.ViewNumber || v.kind == dbft.ChangeViewType || v.kind == dbft.RecoveryMessageType
}

// call calls do, which calls a method of the library. Afterwards it carries out the actions that the
// library has asked its host for.
func (n *node) call(env sim.Env, do func()) {
	if n.host.accepted != "" {
		return // the next height is not checked
	}
	n.host.env = env
	do()
	n.host.env = nil
	for _, p := range n.host.outgoing {
		for _, peer := range env.Peers() {
			env.Bag().Send(peer, vote{p})
		}
	}
	n.host.outgoing = nil
	if n.host.accepted != "" {
		n.store(env)
		for _, peer := range env.Peers() {
			env.Bag().Send(peer, relayed{n.host.accepted})
		}
	} else if n.host.timer {
		env.After(time.Second, timeout{})
	}
}
