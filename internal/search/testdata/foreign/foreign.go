// Package foreign is like a library that was not written for a model checker: a core
// without goroutines, whose objects hold whatever was at hand.
package foreign

import (
	"fmt"
	"io"
	"log"
	"sync"

	"macemc/internal/search/testdata/foreign/lru"
)

// Vote is made once, and never changes.
type Vote struct {
	Value int
	key   string // of Key
}

// Key is made when it is asked for.
func (v *Vote) Key() string {
	if v.key == "" {
		v.key = fmt.Sprint("vote for ", v.Value)
	}
	return v.key
}

// Core counts votes.
type Core struct {
	mu      sync.Mutex
	votes   map[int]*Vote
	winner  *Vote
	waits   int
	step    func(int, *Vote)
	backoff func(int) int
	done    chan struct{}
	seen    *lru.Cache
	buffers sync.Pool
	log     *log.Logger
}

// New returns a core without votes. Its cache counts, or does not.
func New(most int, counts bool) *Core {
	c := &Core{votes: map[int]*Vote{}, done: make(chan struct{}), seen: lru.New(counts), log: log.New(io.Discard, "", 0)}
	c.buffers.New = func() any { return new([]byte) }
	c.step = c.count
	c.backoff = func(n int) int { return min(n+1, most) }
	return c
}

// Step takes a vote.
func (c *Core) Step(from int, v *Vote) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.buffers.Get().(*[]byte)
	defer c.buffers.Put(b)
	c.log.Printf("%s from %d", v.Key(), from)
	c.seen.Put(v.Key())
	c.step(from, v)
}

func (c *Core) count(from int, v *Vote) {
	c.votes[from] = v
	for _, w := range c.votes { // whichever comes first, of equal ones
		if len(c.votes) > 1 && c.winner == nil {
			c.winner = w
		}
	}
	if c.winner != nil {
		c.step = c.wait
	}
}

func (c *Core) wait(int, *Vote) { c.waits = c.backoff(c.waits) }

// Winner returns the value that won, or 0.
func (c *Core) Winner() int {
	if c.winner == nil {
		return 0
	}
	return c.winner.Value
}
