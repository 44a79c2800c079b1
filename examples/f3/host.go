package f3

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/fnv"
	"time"

	"github.com/filecoin-project/go-f3/gpbft"
	"macemc/sim"
)

// host has the functions that the participant calls. Some of them ask for an action, such as to send a message.
// host collects these actions until the participant returns.
type host struct {
	id       gpbft.ActorID
	now      time.Time
	alarm    time.Time // the zero time if none is set
	chain    *gpbft.ECChain
	members  *gpbft.Committee
	sent     map[gpbft.Instant]*gpbft.GMessage // messages that the participant may ask to send again
	outgoing []*gpbft.GMessage
	decided  *gpbft.ECChain
}

var _ gpbft.Host = (*host)(nil)

func (h *host) NetworkName() gpbft.NetworkName { return "macemc" }
func (h *host) Time() time.Time                { return h.now }
func (h *host) SetAlarm(at time.Time)          { h.alarm = at }

func (h *host) GetProposal(context.Context, uint64) (*gpbft.SupplementalData, *gpbft.ECChain, error) {
	return &gpbft.SupplementalData{PowerTable: powerTable}, h.chain, nil
}

func (h *host) GetCommittee(context.Context, uint64) (*gpbft.Committee, error) {
	return h.members, nil
}

func (h *host) RequestBroadcast(mb *gpbft.MessageBuilder) error {
	m, err := mb.Build(context.Background(), h, h.id)
	if err != nil {
		return err
	}
	h.sent[instant(m)] = m
	h.outgoing = append(h.outgoing, m)
	return nil
}

func (h *host) RequestRebroadcast(at gpbft.Instant) error {
	if m, is := h.sent[at]; is {
		h.outgoing = append(h.outgoing, m)
	}
	return nil
}

func instant(m *gpbft.GMessage) gpbft.Instant {
	return gpbft.Instant{ID: m.Vote.Instance, Round: m.Vote.Round, Phase: m.Vote.Phase}
}

func (h *host) ReceiveDecision(_ context.Context, decision *gpbft.Justification) (time.Time, error) {
	h.decided = decision.Vote.Value
	return h.now, nil
}

// Sign returns a checksum as the signature, since no node lies.
func (h *host) Sign(_ context.Context, key gpbft.PubKey, msg []byte) ([]byte, error) {
	sum := fnv.New64a()
	sum.Write(key)
	sum.Write(msg)
	return sum.Sum(nil), nil
}

func (h *host) Verify(gpbft.PubKey, []byte, []byte) error         { return nil }
func (h *host) Aggregate([]gpbft.PubKey) (gpbft.Aggregate, error) { return aggregate{}, nil }

type aggregate struct{}

func (aggregate) Aggregate(signers []int, signatures [][]byte) ([]byte, error) {
	sum := fnv.New64a()
	for k, i := range signers {
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(i)))
		sum.Write(signatures[k])
	}
	return sum.Sum(nil), nil
}

func (aggregate) VerifyAggregate([]int, []byte, []byte) error { return nil }

// powerTable is the identity of the table of powers, which does not exist here.
var powerTable = gpbft.MakeCid([]byte("powers"))

// committee returns a committee in which all nodes have the same power.
func committee(p sim.Params) *gpbft.Committee {
	table := gpbft.NewPowerTable()
	for i := range p.Nodes {
		entry := gpbft.PowerEntry{ID: gpbft.ActorID(i), Power: gpbft.NewStoragePower(1), PubKey: gpbft.PubKey{byte(i)}}
		if err := table.Add(entry); err != nil {
			panic(err)
		}
	}
	return &gpbft.Committee{PowerTable: table, Beacon: []byte("beacon"), AggregateVerifier: aggregate{}}
}

// chainOf returns a chain of two tipsets: the base, which all nodes have in common, and this
// head.
func chainOf(head string) *gpbft.ECChain {
	tip := func(epoch int64, key string) *gpbft.TipSet {
		return &gpbft.TipSet{Epoch: epoch, Key: []byte(key), PowerTable: powerTable}
	}
	c, err := gpbft.NewChain(tip(1, "base"), tip(2, head))
	if err != nil {
		panic(err)
	}
	return c
}

// headOf returns the name of the head of a chain, for people.
func headOf(c *gpbft.ECChain) string {
	if c.IsZero() {
		return "nothing"
	}
	return string(bytes.ToLower(c.Head().Key))
}
