package neo

import (
	"fmt"
	"strings"

	"github.com/nspcc-dev/dbft"
)

// hash identifies a transaction, a block or a message by its text.
type hash string

func (h hash) String() string { return string(h) }

// payload is a message of the library's protocol. It does not change once it is
// sent.
type payload struct {
	kind   dbft.MessageType
	view   byte
	height uint32
	from   uint16
	body   any
}

var _ dbft.ConsensusPayload[hash] = (*payload)(nil)

// These are the bodies of messages.
type (
	request  struct{ transactions []hash }
	response struct{ to hash }
	change   struct{ to byte }
	commit   struct{ block hash }
	again    struct{} // a request for a recovery
	recovery struct{ all []*payload }
)

func (p *payload) ViewNumber() byte           { return p.view }
func (p *payload) Type() dbft.MessageType     { return p.kind }
func (p *payload) Payload() any               { return p.body }
func (p *payload) ValidatorIndex() uint16     { return p.from }
func (p *payload) SetValidatorIndex(i uint16) { p.from = i }
func (p *payload) Height() uint32             { return p.height }
func (p *payload) Hash() hash                 { return hash(p.String()) }

func (p *payload) GetChangeView() dbft.ChangeView                 { return p.body.(change) }
func (p *payload) GetPrepareRequest() dbft.PrepareRequest[hash]   { return p.body.(request) }
func (p *payload) GetPrepareResponse() dbft.PrepareResponse[hash] { return p.body.(response) }
func (p *payload) GetPreCommit() dbft.PreCommit                   { return nil }
func (p *payload) GetCommit() dbft.Commit                         { return p.body.(commit) }
func (p *payload) GetRecoveryRequest() dbft.RecoveryRequest       { return p.body.(again) }
func (p *payload) GetRecoveryMessage() dbft.RecoveryMessage[hash] { return p.body.(*recovery) }

// String returns the message as reports show it.
func (p *payload) String() string {
	text := fmt.Sprintf("%s of %d in view %d", p.kind, p.from, p.view)
	switch body := p.body.(type) {
	case request:
		text += fmt.Sprint(": ", body.transactions)
	case change:
		text += fmt.Sprint(", to view ", body.to)
	case commit:
		text += fmt.Sprint(" for ", body.block)
	case *recovery:
		var all []string
		for _, p := range body.all {
			all = append(all, p.String())
		}
		text += ": " + strings.Join(all, "; ")
	}
	return text
}

func (r request) Timestamp() uint64         { return 0 }
func (r request) Nonce() uint64             { return 0 }
func (r request) TransactionHashes() []hash { return r.transactions }

func (r response) PreparationHash() hash { return r.to }

func (again) Timestamp() uint64 { return 0 }

func (c change) NewViewNumber() byte           { return c.to }
func (c change) Reason() dbft.ChangeViewReason { return dbft.CVTimeout }

// Signature returns the signed data as the signature, since no node forges one.
func (c commit) Signature() []byte { return []byte(c.block) }

func (r *recovery) AddPayload(p dbft.ConsensusPayload[hash]) {
	r.all = append(r.all, p.(*payload))
}

func (r *recovery) of(kind dbft.MessageType) (some []dbft.ConsensusPayload[hash]) {
	for _, p := range r.all {
		if p.kind == kind {
			some = append(some, p)
		}
	}
	return some
}

func (r *recovery) GetPrepareRequest(dbft.ConsensusPayload[hash], []dbft.PublicKey, uint16) dbft.ConsensusPayload[hash] {
	for _, p := range r.of(dbft.PrepareRequestType) {
		return p
	}
	return nil
}

func (r *recovery) GetPrepareResponses(dbft.ConsensusPayload[hash], []dbft.PublicKey) []dbft.ConsensusPayload[hash] {
	return r.of(dbft.PrepareResponseType)
}

func (r *recovery) GetChangeViews(dbft.ConsensusPayload[hash], []dbft.PublicKey) []dbft.ConsensusPayload[hash] {
	return r.of(dbft.ChangeViewType)
}

func (r *recovery) GetPreCommits(dbft.ConsensusPayload[hash], []dbft.PublicKey) []dbft.ConsensusPayload[hash] {
	return nil
}

func (r *recovery) GetCommits(dbft.ConsensusPayload[hash], []dbft.PublicKey) []dbft.ConsensusPayload[hash] {
	return r.of(dbft.CommitType)
}

func (r *recovery) PreparationHash() *hash { return nil } // as the library never asks for it

// transaction is what a block contains.
type transaction struct{ hash }

func (t transaction) Hash() hash { return t.hash }

// block is a block of one transaction, or more.
type block struct {
	transactions []hash
	signature    []byte
}

var _ dbft.Block[hash] = (*block)(nil)

func (b *block) Hash() hash                               { return hash(fmt.Sprint(b.transactions)) }
func (b *block) PrevHash() hash                           { return "genesis" }
func (b *block) MerkleRoot() hash                         { return b.Hash() }
func (b *block) Index() uint32                            { return 1 }
func (b *block) Signature() []byte                        { return b.signature }
func (b *block) Transactions() []dbft.Transaction[hash]   { return nil }
func (b *block) SetTransactions([]dbft.Transaction[hash]) {}
func (b *block) Sign(dbft.PrivateKey) error               { b.signature = []byte(b.Hash()); return nil }

func (b *block) Verify(_ dbft.PublicKey, signature []byte) error {
	if string(signature) != string(b.Hash()) {
		return fmt.Errorf("signature of %q", signature)
	}
	return nil
}
