package live

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"
)

// place is the state that all parts of a node share: its address and its life.
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
	p.complaints = complaints{log: h.config.Log, of: p.name(at), last: map[string]*complaint{}}
	p.alive, p.cease = context.WithCancel(context.Background())
	return p
}

func (p *place) name(i int) string { return p.host.params.Addr(i).String() }

// draw returns a name that no other life or connection has.
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

// complaints logs errors of strangers and peers. Several goroutines use it.
type complaints struct {
	log   *slog.Logger
	of    string // the node
	mu    sync.Mutex
	last  map[string]*complaint // by cause, in this minute
	since time.Time             // when the current minute began
}

// complaint is a cause that was logged in this minute.
type complaint struct {
	said  time.Time
	again int // repetitions since
}

// complaintsMost is the largest number of causes that are logged in a minute. A stranger can
// make any number.
const complaintsMost = 100

// complain logs an error of a stranger or a peer: once a minute for each cause, and at most
// complaintsMost causes. Numbers in why (a port, a length, a byte) are not part of the
// cause, since they differ each time.
func (c *complaints) complain(what, who, name, why string) {
	key := cause(what+" "+name, why)
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if now.Sub(c.since) > time.Minute {
		c.since = now
		for key, one := range c.last {
			if now.Sub(one.said) <= time.Minute {
				continue
			}
			if delete(c.last, key); one.again > 0 {
				c.log.Warn("that came again", "node", c.of, "cause", key, "times", one.again)
			}
		}
	}
	if one := c.last[key]; one != nil {
		one.again++
		return
	}
	if len(c.last) > complaintsMost {
		return
	}
	c.last[key] = &complaint{said: now}
	if len(c.last) > complaintsMost {
		c.log.Warn("more is refused, for causes that are not logged in this minute", "node", c.of, "causes", complaintsMost)
		return
	}
	c.log.Warn(what, "node", c.of, who, name, "why", why)
}

// causeMost is the length of text that distinguishes causes.
const causeMost = 200

// cause returns the identity of a complaint: the error and the peer, and why without its
// numbers and quotations.
func cause(what, why string) string {
	var b strings.Builder
	b.WriteString(what + ": ")
	quoted, number := false, false
	for _, r := range why {
		if r == '"' {
			quoted = !quoted
		}
		digit := unicode.IsDigit(r)
		if b.Len() < causeMost && !quoted && !(digit && number) {
			if digit {
				r = '0'
			}
			b.WriteRune(r)
		}
		number = digit
	}
	return b.String()
}
