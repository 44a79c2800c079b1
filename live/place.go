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

// place is the state that all parts of a node share: the host, the index of the node, its
// life and its inbox.
type place struct {
	host       *Host
	config     *Config
	at         int
	life       uint64 // the name of this life
	inbox      inbox
	complaints complaints
	alive      context.Context // done when the node stops
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

// draw returns a random name for a life or a connection, which no other one has.
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

// complaints logs errors that peers, or strangers who connect, have caused. It logs each
// cause once in a minute. Several goroutines may use it.
type complaints struct {
	log   *slog.Logger
	of    string // the name of the node
	mu    sync.Mutex
	last  map[string]*complaint // by cause: those of the current minute
	since time.Time             // when the current minute began
}

// complaint is a cause that was logged in the current minute.
type complaint struct {
	said  time.Time
	again int // the number of repetitions since then
}

// complaintsMost is the largest number of causes that are logged in a minute. A stranger
// could cause any number.
const complaintsMost = 100

// complain logs the error what, which a peer or a stranger has caused, with its details, why. The name of the
// peer or stranger stands in the log line under the key who. Each cause is logged once a minute. Numbers in why
// (a port, a length) are not part of the cause, since they differ each time.
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

// causeMost is the length of the part of a text that distinguishes causes.
const causeMost = 200

// cause returns the identity of a complaint: what it says, without the numbers and quotations in why.
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
