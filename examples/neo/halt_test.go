package neo

import (
	"fmt"
	"testing"

	"github.com/nspcc-dev/dbft"
)

// A trio is three correct validators. A message between them arrives when the test says so.
type trio struct {
	ids   []int
	hosts map[int]*host
	nodes map[int]*dbft.DBFT[hash]
	heard map[int]map[*payload]bool
}

func newTrio(ids ...int) *trio {
	c := &trio{ids, map[int]*host{}, map[int]*dbft.DBFT[hash]{}, map[int]map[*payload]bool{}}
	for _, i := range ids {
		h := &host{self: i, all: 4}
		c.hosts[i], c.nodes[i], c.heard[i] = h, newLibrary(h), map[*payload]bool{}
		c.nodes[i].Start(0)
	}
	return c
}

func (c *trio) hear(i int, p *payload) {
	c.heard[i][p] = true
	c.nodes[i].OnReceive(p)
}

func (c *trio) timeout(i int) { c.nodes[i].OnTimeout(c.hosts[i].height, c.hosts[i].view) }

// last returns the last message that a validator has sent.
func (c *trio) last(i int) *payload {
	sent := c.hosts[i].outgoing
	return sent[len(sent)-1]
}

// settles lets every message arrive, then every timer fire, and does so again and again. It reports whether any
// validator accepts a block.
func (c *trio) settles() bool {
	for range 100 {
		for came := true; came; {
			came = false
			for _, from := range c.ids {
				for k := 0; k < len(c.hosts[from].outgoing); k++ {
					p := c.hosts[from].outgoing[k]
					for _, to := range c.ids {
						if to != from && !c.heard[to][p] {
							came = true
							c.hear(to, p)
						}
					}
				}
			}
			for _, h := range c.hosts {
				if h.accepted != "" {
					return true
				}
			}
		}
		for _, i := range c.ids {
			c.timeout(i)
		}
	}
	return false
}

func (c *trio) String() (text string) {
	for _, i := range c.ids {
		text += fmt.Sprintf("; %d is in view %d, committed: %t, asks for another view: %t", i, c.nodes[i].ViewNumber, c.nodes[i].CommitSent(), c.nodes[i].ViewChanging())
	}
	return text[2:]
}

func (c *trio) mustHalt(t *testing.T) {
	t.Helper()
	t.Log("before: ", c)
	if c.settles() {
		t.Errorf("a block is accepted: the bug is gone, so that this test can go, too: %s", c)
	}
	t.Log("after:  ", c)
}

// Validator 3 requests the messages that it has missed, and then fails for good. The others never accept a
// block, though every message between them arrives.
func TestHaltsByOneFailure(t *testing.T) {
	c := newTrio(0, 1, 2) // 1 is the primary
	c.hear(2, c.last(1))
	c.hear(0, c.last(1))
	c.hear(2, c.last(0)) // commits, by its own answer, that of 0, and the proposal
	for _, i := range []int{0, 1} {
		c.hear(i, &payload{kind: dbft.RecoveryRequestType, height: 1, from: 3, body: again{}})
	}
	for _, i := range []int{0, 1} { // ask for recovery, and for another view when they have heard of others
		c.timeout(i)
	}
	c.hear(0, c.last(1))
	c.hear(1, c.last(0))
	c.hear(0, c.hosts[2].outgoing[0])
	for _, i := range []int{1, 0} {
		c.timeout(i)
	}
	c.mustHalt(t)

	if c = newTrio(0, 1, 2); !c.settles() {
		t.Errorf("no block is accepted though 3 was down from the start: %s", c)
	}
}

func proposal(of ...hash) *payload {
	return &payload{kind: dbft.PrepareRequestType, height: 1, from: 1, body: request{of}}
}

// Validator 1 is the primary, and deviates. It proposes one block to 0 and 2 and another one
// to 3, asks for the next view, and is silent from then on.
func TestHaltsByThePrimary(t *testing.T) {
	c := newTrio(0, 2, 3)
	c.hear(2, proposal("tx1b"))
	answer := c.last(2)
	c.hear(0, answer)
	c.hear(3, answer)
	c.hear(3, proposal("tx1"))
	c.timeout(3)
	c.hear(2, c.last(3))
	c.timeout(2)
	c.hear(2, &payload{kind: dbft.ChangeViewType, height: 1, from: 1, body: change{1}})
	c.hear(0, proposal("tx1b"))
	c.mustHalt(t)

	if c = newTrio(0, 2, 3); !c.settles() {
		t.Errorf("no block is accepted though 1 was silent from the start: %s", c)
	}
}
