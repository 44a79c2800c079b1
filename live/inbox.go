package live

import (
	"fmt"
	"net"
	"sync"
	"time"

	"macemc/sim"
)

type arriveKind uint8

const (
	arriveMessage arriveKind = iota + 1
	arriveBoxed
	arriveUp
	arriveNoDial
	arriveOffer
	arriveDown
	arriveRequest
	arriveCall
)

// arrival is what the other goroutines have for the node.
type arrival struct {
	kind   arriveKind
	link   sim.Link
	reset  bool
	open   bool
	peer   int
	sess   *session
	serial uint64
	life   uint64
	value  any
	err    error
	conn   net.Conn
	hello  *hello
	reply  chan answered
	ask    asking
	call   func()
	at     time.Time // a message: when it came
}

// inbox is what the other goroutines have for a node's: a list that only it empties.
type inbox struct {
	mu       sync.Mutex
	arrivals []arrival
	read     []arrival // was: its memory is used again
	news     bool      // since the node last took
	over     bool
	rousing  chan struct{} // capacity 1
}

// post hands the node something and rouses it. After its end it is dropped.
func (b *inbox) post(a arrival) {
	if b.put(a) {
		b.rouse()
	}
}

// put hands the node something, which the caller then makes it look at.
func (b *inbox) put(a arrival) bool {
	b.mu.Lock()
	over := b.over
	if !over {
		b.arrivals, b.news = append(b.arrivals, a), true
	}
	b.mu.Unlock()
	if over {
		a.drop()
	}
	return !over
}

// heed makes the caller's next call of works run the node, which has to look at more than its inbox.
func (b *inbox) heed() {
	b.mu.Lock()
	b.news = true
	b.mu.Unlock()
}

// holds reports whether there is something that the node has not taken.
func (b *inbox) holds() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.news
}

// rouse lets the node look for what is new.
func (b *inbox) rouse() {
	select {
	case b.rousing <- struct{}{}:
	default:
	}
}

// take gives what was posted since; done gives its memory back.
func (b *inbox) take() []arrival {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.arrivals
	b.arrivals, b.news = b.read[:0], false
	return all
}

func (b *inbox) done(all []arrival) {
	clear(all)
	if b.read = all; cap(all) > 1<<16 {
		b.read = nil
	}
}

// close drops what is in the inbox and what arrives later.
func (b *inbox) close() {
	b.mu.Lock()
	b.over = true
	left := b.arrivals
	b.arrivals = nil
	b.mu.Unlock()
	for i := range left {
		left[i].drop()
	}
}

// drop disposes of an arrival whose node no longer exists.
func (a *arrival) drop() {
	switch {
	case a.reply != nil:
		a.reply <- answered{why: notNow}
	case a.ask.done != nil:
		a.ask.done <- errOver
	case a.kind == arriveUp:
		a.sess.abort()
	}
}

// errOver is the error of requests to a node whose life is over.
var errOver = fmt.Errorf("the node does not run")
