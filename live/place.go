package live

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"
)

// place is what the parts of a node have in common: whose they are, and in which life.
type place struct {
	host       *Host
	config     *Config
	at         int
	life       uint64 // the name of this life
	inbox      inbox
	complaints complaints
	alive      context.Context // until the node stops
	cease      context.CancelFunc
	stopped    chan struct{} // closed when the loop has ended
}

func newPlace(h *Host, at int) *place {
	p := &place{host: h, config: &h.config, at: at, life: draw(), stopped: make(chan struct{})}
	p.inbox.rousing = make(chan struct{}, 1)
	p.complaints = complaints{log: h.config.Log, of: p.name(at), last: map[string]time.Time{}}
	p.alive, p.cease = context.WithCancel(context.Background())
	return p
}

func (p *place) name(i int) string { return p.host.params.Addr(i).String() }

// draw is a name that nobody else draws.
func draw() uint64 {
	for {
		var b [8]byte
		if _, err := crand.Read(b[:]); err != nil {
			panic(fmt.Sprintf("macemc bug: live: no randomness: %v", err))
		}
		if x := binary.BigEndian.Uint64(b[:]); x != 0 {
			return x
		}
	}
}

// complaints are what is wrong with strangers and peers. They are used by several
// goroutines.
type complaints struct {
	log   *slog.Logger
	of    string // the node
	mu    sync.Mutex
	last  map[string]time.Time // when a cause was logged, in this minute
	since time.Time            // when the minute began
}

// complaintsMost is how many causes are logged in a minute. A stranger may think of any number.
const complaintsMost = 100

// complain logs what is wrong with a stranger or a peer: once a minute for each
// cause, and of very many only so many.
func (c *complaints) complain(what string, args ...any) {
	key := what
	for _, a := range args {
		key += fmt.Sprint(" ", a)
	}
	if len(key) > 200 {
		key = key[:200]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if now.Sub(c.since) > time.Minute {
		c.since = now
		maps.DeleteFunc(c.last, func(_ string, said time.Time) bool { return now.Sub(said) > time.Minute })
	}
	if _, said := c.last[key]; said || len(c.last) > complaintsMost {
		return
	}
	c.last[key] = now
	if len(c.last) > complaintsMost {
		c.log.Warn("more is refused, for causes that are not logged in this minute", "node", c.of, "causes", complaintsMost)
		return
	}
	c.log.Warn(what, append([]any{"node", c.of}, args...)...)
}
