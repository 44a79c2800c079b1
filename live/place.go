package live

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"fmt"
	"log/slog"
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
	log  *slog.Logger
	of   string // the node
	mu   sync.Mutex
	last map[string]time.Time
}

// complain logs what is wrong with a stranger or a peer: once a minute for each
// cause.
func (c *complaints) complain(what string, args ...any) {
	key := what
	for _, a := range args {
		key += fmt.Sprint(" ", a)
	}
	if len(key) > 200 {
		key = key[:200]
	}
	c.mu.Lock()
	now := time.Now()
	said, ok := c.last[key]
	again := !ok || now.Sub(said) > time.Minute
	if again {
		if len(c.last) >= 1000 {
			clear(c.last)
		}
		c.last[key] = now
	}
	c.mu.Unlock()
	if again {
		c.log.Warn(what, append([]any{"node", c.of}, args...)...)
	}
}
