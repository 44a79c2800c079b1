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

// arrival is a message, a new or closed connection, or a request that another goroutine passes to the node.
type arrival struct {
	kind   arriveKind
	link   sim.Link
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
	at     time.Time // for a message: the time at which it came
}

// inbox has the arrivals that wait for a node. Any goroutine adds to it; only the node empties it.
type inbox struct {
	mu       sync.Mutex
	arrivals []arrival
	read     []arrival // the list that was emptied last, whose memory is used again
	news     bool      // something arrived since the node last took
	over     bool
	rousing  chan struct{} // wakes the node's loop; capacity 1
}

// post adds an arrival and wakes the node's loop. After the end of the node it drops the arrival.
func (b *inbox) post(a arrival) {
	if b.put(a) {
		b.rouse()
	}
}

// put adds an arrival without waking the node's loop; the caller then calls Node.works. It reports false
// after the end of the node.
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

// heed makes the next call of Node.works run the node even if the inbox is empty.
func (b *inbox) heed() {
	b.mu.Lock()
	b.news = true
	b.mu.Unlock()
}

// holds reports whether there is an arrival that the node has not taken.
func (b *inbox) holds() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.news
}

// rouse wakes the node's loop.
func (b *inbox) rouse() {
	select {
	case b.rousing <- struct{}{}:
	default:
	}
}

// take returns the arrivals since the last call. The caller must call done with them afterwards, so that
// their memory is used again.
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
var errOver = fmt.Errorf("the node does not run; restart it first")
