package live

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"macemc/internal/codec"
	"macemc/internal/disk"
	"macemc/internal/guard"
	"macemc/macetime"
	"macemc/sim"
)

// Node is one node in one life. All of it belongs to the goroutine of its loop, but
// for what is posted to it.
type Node struct {
	host   *Host
	config *Config
	at     int
	m      *machine
	life   uint64
	number int  // of the life
	kept   bool // what the last life left was there
	unkept bool // and what this one leaves cannot be written
	buffer int
	peers  []*peer
	script []sim.Signal
	asks   []asking // requests from outside that wait
	disk   *storage
	record io.WriteCloser
	writer *recordWriter
	codec  Codec
	rand   *rand.Rand

	ownCodec *codec.Codec // of types by their fields; nil: the user has one

	listener *net.TCPListener
	datagram *net.UDPConn
	sources  []*net.UDPAddr
	began    time.Time
	alive    context.Context // until the node stops
	cease    context.CancelFunc
	stopping <-chan struct{}
	stopped  chan struct{} // the loop has ended
	err      error         // why, once stopped is closed; nil: it was asked to

	mu       sync.Mutex
	arrivals []arrival
	read     []arrival // was: its memory is used again
	over     bool
	rousing  chan struct{} // capacity 1
	grams    meter
	meetings meter // connections that have not said hello
	greeted  map[net.Conn]bool

	turn     int
	action   time.Time // not before
	waking   time.Time // an alarm besides the timers; zero: none
	flush    bool
	closing  bool
	kill     bool
	cut      uint64
	stale    bool // a step was taken since acceptance was asked
	waiters  []*waiter
	sendbuf  []byte
	sendable map[reflect.Type]bool
	entry    Entry
	step     Step
	steps    atomic.Uint64
	status   atomic.Pointer[Status]
	last     map[string]time.Time // complaints
	lastMu   sync.Mutex
}

// asking is a request from outside that waits for its turn.
type asking struct {
	signal sim.Signal
	done   chan error // capacity 1: told when its handler has returned
	waiter *waiter    // nil: nobody waits for a fact
}

type waiter struct {
	match func(fact any) bool
	fact  chan any // capacity 1
	gone  atomic.Bool
}

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
}

// post hands the loop something. After its end it is dropped.
func (n *Node) post(a arrival) {
	n.mu.Lock()
	over := n.over
	if !over {
		n.arrivals = append(n.arrivals, a)
	}
	n.mu.Unlock()
	if over {
		switch {
		case a.reply != nil:
			a.reply <- answered{why: "not now"}
		case a.ask.done != nil:
			a.ask.done <- n.dead()
		case a.kind == arriveUp:
			a.sess.abort()
		}
		return
	}
	n.rouse()
}

func (n *Node) rouse() {
	select {
	case n.rousing <- struct{}{}:
	default:
	}
}

func (n *Node) dead() error { return fmt.Errorf("%s does not run", n.m.self) }

func (n *Node) name(i int) string { return fmt.Sprintf("n%d", i) }

func (n *Node) draw() uint64 {
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

// complain logs what is wrong with a stranger or a peer: once a minute for each
// cause.
func (n *Node) complain(what string, args ...any) {
	key := what
	for _, a := range args {
		key += fmt.Sprint(" ", a)
	}
	if len(key) > 200 {
		key = key[:200]
	}
	n.lastMu.Lock()
	now := time.Now()
	said, ok := n.last[key]
	again := !ok || now.Sub(said) > time.Minute
	if again {
		if len(n.last) >= 1000 {
			clear(n.last)
		}
		n.last[key] = now
	}
	n.lastMu.Unlock()
	if again {
		n.config.Log.Warn(what, append([]any{"node", n.name(n.at)}, args...)...)
	}
}

// greeting notes connections whose hello is awaited, so that they end with the node.
func (n *Node) greeting(c net.Conn, begins bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if begins {
		if n.over {
			_ = c.Close()
			return
		}
		n.greeted[c] = true
	} else {
		delete(n.greeted, c)
	}
}

// listens takes connections until the node stops. Who connects and says nothing is
// waited for, but only so many at a time.
func (n *Node) listens() {
	defer n.host.goes.Done()
	for {
		c, err := n.listener.Accept()
		if err != nil {
			return
		}
		if !n.meetings.enter() {
			n.complain("a connection is refused", "why", "too many have connected and not said who they are")
			_ = c.Close()
			continue
		}
		n.host.goes.Add(1)
		go func() {
			defer n.host.goes.Done()
			defer n.meetings.leave()
			n.accepts(c)
		}()
	}
}

// frame is a message as a frame.
func (n *Node) frame(kind frameKind, serial uint64, m sim.Message, buf []byte) ([]byte, error) {
	if err := n.vetted(m); err != nil {
		return nil, err
	}
	buf = binary.AppendUvarint(beginFrame(buf[:0], kind), serial)
	buf, err := n.codec.Append(buf, m)
	if err != nil {
		return nil, err
	}
	if len(buf)-frameHead > n.config.MessageMost {
		return nil, fmt.Errorf("it has %d bytes, and a message has at most %d (Config.MessageMost)", len(buf), n.config.MessageMost)
	}
	return endFrame(buf, 0), nil
}

// vetted says of a message of a type that was not sent before whether the others can
// read it.
func (n *Node) vetted(m sim.Message) error {
	t := reflect.TypeOf(m)
	if n.ownCodec == nil || n.sendable[t] {
		return nil
	}
	err := n.ownCodec.Refused(t)
	if err == nil {
		n.sendable[t] = true
	}
	return err
}

// cannot ends the node: what it sends does not go by any wire.
func (n *Node) cannot(m sim.Message, err error) {
	if n.err == nil {
		n.err = fmt.Errorf("%s sends a %T, which cannot be sent: %w", n.m.self, m, err)
	}
}

// The answers of the real world: see answerer.

func (n *Node) choose(weights []int, k int) int {
	if weights == nil {
		return n.rand.IntN(k)
	}
	total := 0
	for _, w := range weights {
		total += w
	}
	at := n.rand.IntN(total)
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	panic("macemc bug: live: weights that do not add up")
}

func (n *Node) now() time.Duration               { return time.Since(n.began) + time.Second }
func (n *Node) before(a, b macetime.Time) bool   { return macetime.Earlier(a, b) }
func (n *Node) room(to sim.Addr, spent int) bool { return n.peers[to.Index()].room(n.buffer, spent) }
func (n *Node) tracing() bool                    { return n.config.Trace }
func (n *Node) log(format string, args ...any) {
	n.config.Log.Info(fmt.Sprintf(format, args...), "node", n.name(n.at))
}

func (n *Node) stored(w disk.Write) error {
	if n.disk != nil {
		n.disk.put(w)
	}
	return nil
}

func (n *Node) synced(string, bool) error {
	if n.disk == nil {
		return nil
	}
	return n.disk.sync()
}

// loop is the life of a node.
func (n *Node) loop() {
	defer n.host.goes.Done()
	first := Event{}
	if n.number > 0 {
		first.Kind = sim.KindRestart
	}
	ok := n.take(&first)
	n.host.goes.Add(1)
	go n.listens()
	if n.datagram != nil {
		n.host.goes.Add(1)
		go n.hears()
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ok && !n.closing {
		n.absorb()
		if n.closing || n.host.leaves() {
			break
		}
		now := time.Now()
		if !n.waking.IsZero() && !now.Before(n.waking) {
			n.waking = time.Time{}
			for _, p := range n.peers {
				n.flow(p)
			}
		}
		e, is := n.next(now)
		if is {
			ok = n.take(&e)
			continue
		}
		n.tell()
		timer.Reset(n.idle(now))
		select {
		case <-n.rousing:
		case <-timer.C:
		case <-n.alive.Done():
			n.closing = true
		case <-n.host.leaving:
		}
	}
	if n.err == nil && !n.kill {
		n.recorded(&Entry{Kind: EntryEnd})
		if n.host.leaves() { // nobody hears of an end that is everybody's
			<-n.host.released
		}
	}
	n.finish()
}

// finish ends a life: in good order, as it failed, or as it was killed.
func (n *Node) finish() {
	n.mu.Lock()
	n.over = true
	left := n.arrivals
	n.arrivals = nil
	for c := range n.greeted {
		_ = c.Close()
	}
	n.mu.Unlock()
	n.cease()
	_ = n.listener.Close()
	if n.datagram != nil {
		_ = n.datagram.Close()
	}
	for _, p := range n.peers {
		if p.sess != nil {
			p.sess.close(!n.kill)
		}
	}
	for _, a := range left {
		switch {
		case a.reply != nil:
			a.reply <- answered{why: "not now"}
		case a.ask.done != nil:
			a.ask.done <- n.dead()
		case a.kind == arriveUp:
			a.sess.abort()
		}
	}
	for _, a := range n.asks {
		a.done <- n.dead()
	}
	if n.disk != nil && !n.kill {
		n.err = first(n.err, n.disk.close())
	} else if n.disk != nil {
		_ = n.disk.file.Close()
	}
	if n.record != nil {
		n.err = first(n.err, n.record.Close())
	}
	n.tell()
	close(n.stopped)
	n.host.ended(n)
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// absorb takes what was posted.
func (n *Node) absorb() {
	n.mu.Lock()
	all := n.arrivals
	n.arrivals = n.read[:0]
	n.mu.Unlock()
	for i := range all {
		n.arrived(&all[i])
	}
	for _, p := range n.peers {
		if p.sess != nil && p.sess.acked.Load() != p.acked {
			n.acknowledge(p)
		}
	}
	clear(all)
	if n.read = all; cap(all) > 1<<16 {
		n.read = nil
	}
}

func (n *Node) arrived(a *arrival) {
	p := n.peers[a.peer]
	switch a.kind {
	case arriveMessage:
		n.stale = true
		switch {
		case a.link == sim.LinkUDP:
			if n.cut&(1<<a.peer) != 0 {
				n.grams.leave()
				return
			}
			p.grams = append(p.grams, incoming{value: a.value, serial: a.serial, life: a.life, conn: 0, link: sim.LinkUDP})
		case a.sess != p.sess: // of a connection that is over
		case a.link == sim.LinkTCP:
			p.in = append(p.in, incoming{value: a.value, serial: a.serial, life: a.life, conn: a.sess.id, link: sim.LinkTCP})
		default:
			n.cameBox(p, a)
		}
	case arriveBoxed:
		if a.sess == p.sess {
			n.tookBox(p, a.serial)
		}
	case arriveUp:
		switch {
		case p.sess != nil || n.closing || n.cut&(1<<p.at) != 0:
			p.dialing = false
			a.sess.abort()
		default:
			n.established(p, a.sess, a.hello)
			a.sess.start()
		}
	case arriveNoDial:
		n.notDialed(a)
	case arriveOffer:
		n.offered(a)
	case arriveDown:
		if a.sess == p.sess {
			if !quiet(a.err) {
				n.config.Log.Debug("a connection broke", "node", n.name(n.at), "peer", n.name(p.at), "why", a.err.Error())
			}
			n.ended(p, a.err, a.open)
		}
	case arriveRequest:
		n.asks = append(n.asks, a.ask)
	case arriveCall:
		a.call()
	}
}

// alarm wakes the loop at a time.
func (n *Node) alarm(at time.Time) {
	if n.waking.IsZero() || at.Before(n.waking) {
		n.waking = at
	}
}

// idle is how long the loop may wait.
func (n *Node) idle(now time.Time) time.Duration {
	until := now.Add(time.Hour)
	earlier := func(t time.Time) {
		if t.Before(until) {
			until = t
		}
	}
	for _, at := range n.m.timers {
		earlier(at)
	}
	if !n.waking.IsZero() {
		earlier(n.waking)
	}
	if now.Before(n.action) {
		earlier(n.action)
	}
	return max(until.Sub(now), 0)
}

const classes = 7

// next is the event that comes next: errors first, then each sort in turn.
func (n *Node) next(now time.Time) (Event, bool) {
	for _, p := range n.peers {
		if p.broken != 0 {
			e := Event{Kind: p.broken, From: p.addr, Link: sim.LinkTCP, Conn: p.brokenC}
			p.broken = 0
			p.out = p.out[:0]
			p.handed = 0
			return e, true
		}
	}
	for k := range classes {
		class := (n.turn + k) % classes
		if e, ok := n.nextOf(class, now); ok {
			n.turn = class + 1
			return e, true
		}
	}
	return Event{}, false
}

func (n *Node) nextOf(class int, now time.Time) (e Event, ok bool) {
	switch class {
	case 0:
		return n.nextMessage()
	case 1:
		if len(n.m.tasks) > 0 {
			k := n.rand.IntN(len(n.m.tasks)) // they are unordered
			e = Event{Kind: sim.KindTask, Value: n.m.tasks[k]}
			n.m.tasks = slices.Delete(n.m.tasks, k, k+1)
			return e, true
		}
	case 2:
		return n.nextTimer(now)
	case 3:
		if len(n.asks) > 0 {
			return Event{Kind: sim.KindScript, Value: n.asks[0].signal, Asked: true}, true
		}
	case 4:
		if len(n.script) > 0 && n.m.opens(n.script[0]) {
			e = Event{Kind: sim.KindScript, Value: n.script[0]}
			n.script = n.script[1:]
			return e, true
		}
	case 5:
		for _, p := range n.peers {
			if p.asked && len(p.out) < n.buffer {
				p.asked = false
				return Event{Kind: sim.KindClear, From: p.addr, Link: sim.LinkTCP}, true
			}
		}
		if n.flush && !slices.ContainsFunc(n.peers, func(p *peer) bool { return len(p.out) > 0 }) {
			n.flush = false
			return Event{Kind: sim.KindFlushed}, true
		}
	case 6:
		if now.Before(n.action) {
			return e, false
		}
		if all := append(n.m.offers(), n.m.gathers(n.inSet)...); len(all) > 0 {
			n.action = now.Add(n.config.Idle)
			return Event{Kind: sim.KindAction, Value: all[n.rand.IntN(len(all))]}, true
		}
	}
	return e, false
}

// inSet are the messages of the node's set, in canonical order.
func (n *Node) inSet(yield func(sim.Addr, sim.Message) bool) {
	for _, p := range n.peers {
		for _, i := range p.set {
			if !yield(p.addr, i.value) {
				return
			}
		}
	}
}

func (n *Node) nextTimer(now time.Time) (e Event, ok bool) {
	var first time.Time
	for s, at := range n.m.timers {
		if !at.After(now) && (!ok || at.Before(first)) {
			e, first, ok = Event{Kind: sim.KindTimer, Value: s}, at, true
		}
	}
	if ok {
		delete(n.m.timers, e.Value)
	}
	return e, ok
}

// nextMessage is the next one that the node accepts, from each peer in turn.
func (n *Node) nextMessage() (Event, bool) {
	from := n.turn0()
	for k := range n.peers {
		p := n.peers[(from+k)%len(n.peers)]
		if len(p.in) > 0 && n.m.accepts(p.addr, p.in[0].value) {
			i := p.in[0]
			p.in = slices.Delete(p.in, 0, 1)
			if p.at == n.at {
				p.out = slices.Delete(p.out, 0, 1)
			}
			return i.event(p.addr), true
		}
		if len(p.grams) > 0 && n.m.accepts(p.addr, p.grams[0].value) {
			i := p.grams[0]
			p.grams = slices.Delete(p.grams, 0, 1)
			n.grams.leave()
			return i.event(p.addr), true
		}
		for j, i := range p.boxed {
			if n.m.accepts(p.addr, i.value) {
				p.boxed = slices.Delete(p.boxed, j, j+1)
				return i.event(p.addr), true
			}
		}
	}
	return Event{}, false
}

// delivered is that a message was: the record has it, and now its sender may know.
func (n *Node) delivered(e *Event) {
	p := n.peers[e.From.Index()]
	switch {
	case p.at == n.at || e.Link == sim.LinkUDP:
	case p.sess == nil || p.sess.life != e.Life:
	case e.Link == sim.LinkTCP:
		p.open = true
		p.sess.delivered.Add(1)
		p.sess.nudge()
	case e.Link == sim.LinkBag:
		p.sess.hand(numberFrame(nil, frameBoxed, e.Serial))
	}
}

func (n *Node) turn0() int { return int(n.steps.Load()) }

func (i incoming) event(from sim.Addr) Event {
	return Event{Kind: sim.KindMessage, From: from, Link: i.link, Value: i.value, Serial: i.serial, Life: i.life, Conn: i.conn}
}

// take takes one step: the handler, the record, and then what others see of it. False:
// the node's life is over.
func (n *Node) take(e *Event) bool {
	var ask *asking
	if e.Asked {
		a := n.asks[0]
		n.asks = slices.Delete(n.asks, 0, 1)
		if ask = &a; a.waiter != nil {
			n.waiters = append(n.waiters, a.waiter)
		}
	}
	if f := n.m.run(e); f != nil {
		n.fails(f, ask, e)
		return false
	}
	now := time.Now()
	before := n.m.sends
	n.m.settle(now, n.config.Pace)
	n.stale = true
	n.steps.Add(1)
	n.host.metrics.step(e.Kind)
	if n.disk != nil {
		if err := n.disk.flush(); err != nil {
			n.fails(&failure{text: fmt.Sprintf("a write to the storage of %s failed: %v", n.m.self, err)}, ask, nil)
			return false
		}
	}
	n.keepRemains()
	if n.record != nil && !n.noted(e) {
		return false
	}
	if e.Kind == sim.KindMessage {
		n.delivered(e)
	}
	n.apply(before)
	if n.disk != nil {
		if err := n.disk.grown(n.m.disk); err != nil {
			n.config.Log.Warn("the journal could not be written anew", "node", n.name(n.at), "why", err.Error())
		}
	}
	if ask != nil {
		ask.done <- nil
	}
	return n.err == nil
}

// noted writes the step into the record.
func (n *Node) noted(e *Event) bool {
	s := &n.step
	*s = Step{Event: *e, Picks: n.m.said.Picks, Refused: n.m.said.Refused, Acked: s.Acked[:0], Resets: s.Resets[:0], Sends: n.m.sends, Stored: n.m.writes}
	for i := range n.m.effects {
		switch f := &n.m.effects[i]; f.Kind {
		case sim.EffectRefused:
			p := n.peers[f.To.Index()]
			s.Acked = append(s.Acked, Acked{p.at, p.last})
		case sim.EffectReset:
			p := n.peers[f.To.Index()]
			if p.sess != nil {
				s.Resets = append(s.Resets, Acked{p.at, p.sess.id})
			}
		}
	}
	if e.Kind != sim.KindMessage && e.Kind != sim.KindScript && e.Kind != sim.KindTask && e.Kind != sim.KindTimer && e.Kind != sim.KindAction {
		s.Event.Value = nil
	}
	var err error
	if s.State, err = n.m.walker.Sum(n.m.node); err == nil {
		n.entry = Entry{Kind: EntryStep, Step: s}
		err = n.recorded(&n.entry)
	}
	if err != nil {
		n.err = fmt.Errorf("%s cannot be recorded: %w", n.m.self, err)
		return false
	}
	return true
}

// recorded writes an entry, where there is a record.
func (n *Node) recorded(e *Entry) error {
	if n.record == nil {
		return nil
	}
	e.Node, e.Life, e.At = n.at, n.life, now()
	return n.writer.write(e)
}

// fails ends the life of a node whose handler failed.
func (n *Node) fails(f *failure, ask *asking, e *Event) {
	text := guard.Bounded(f.text)
	n.err = &Failed{n.m.self, text, f.stack}
	entry := &Entry{Kind: EntryFailed, Text: text}
	if e != nil {
		entry.Step = &Step{Event: *e, Picks: n.m.said.Picks, Refused: n.m.said.Refused, Sends: n.m.sends}
	}
	_ = n.recorded(entry)
	n.config.Log.Error("a handler failed", "node", n.name(n.at), "why", text)
	n.kill = true
	if ask != nil {
		ask.done <- n.err
	}
}

// Failed is the error of a node whose handler failed: what a search calls a panic.
type Failed struct {
	Node  sim.Addr
	Text  string
	Stack string // the service's
}

func (f *Failed) Error() string { return fmt.Sprintf("%s: %s", f.Node, f.Text) }

// apply carries out what the handler asked for, as far as others see it.
func (n *Node) apply(serial uint64) {
	for i := range n.m.effects {
		e := &n.m.effects[i]
		switch e.Kind {
		case sim.EffectSend:
			serial++
			n.send(e, serial)
		case sim.EffectReset:
			n.reset(n.peers[e.To.Index()])
		case sim.EffectAskClear:
			n.peers[e.To.Index()].asked = true
		case sim.EffectAskFlushed:
			n.flush = true
		case sim.EffectEmit:
			n.emitted(e.Value)
		case sim.EffectRefused:
			n.host.metrics.refused.Add(1)
		}
	}
}

func (n *Node) send(e *sim.Effect, serial uint64) {
	p := n.peers[e.To.Index()]
	n.host.metrics.sent[e.Link].Add(1)
	switch e.Link {
	case sim.LinkTCP:
		n.sendTCP(p, e.Value, serial)
	case sim.LinkUDP:
		n.sendUDP(p, e.Value, serial)
	default:
		n.sendBox(p, e.Link, e.Value, serial)
	}
}

func (n *Node) emitted(fact any) {
	if n.config.Facts != nil {
		n.config.Facts(n.m.self, fact)
	}
	if len(n.waiters) == 0 {
		return
	}
	n.waiters = slices.DeleteFunc(n.waiters, func(w *waiter) bool {
		if w.gone.Load() {
			return true
		}
		if w.match(fact) {
			w.fact <- fact
			return true
		}
		return false
	})
}

// Addr is the node's address.
func (n *Node) Addr() sim.Addr { return n.m.self }

// Request hands the node a signal, as its script does, and waits until the handler
// has returned. It may be called by any goroutine.
func (n *Node) Request(ctx context.Context, s sim.Signal) error { return n.request(ctx, s, nil) }

// Ask hands the node a signal and waits for a fact that matches, which the node gives to
// Env.Emit. match is called on the node's goroutine, with every fact from the
// signal's handler on. Where ctx is done first, the request is not taken back.
func (n *Node) Ask(ctx context.Context, s sim.Signal, match func(fact any) bool) (fact any, err error) {
	w := &waiter{match: match, fact: make(chan any, 1)}
	defer w.gone.Store(true)
	if err := n.request(ctx, s, w); err != nil {
		return nil, err
	}
	select {
	case fact := <-w.fact:
		return fact, nil
	default:
	}
	select {
	case fact := <-w.fact:
		return fact, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-n.stopped:
		return nil, n.dead()
	}
}

func (n *Node) request(ctx context.Context, s sim.Signal, w *waiter) error {
	if s == nil {
		return errors.New("a request is nil; it is a value of a type of its own")
	}
	select {
	case n.host.asking[n.at] <- struct{}{}: // so many may wait
	case <-ctx.Done():
		return ctx.Err()
	case <-n.stopped:
		return n.dead()
	}
	defer func() { <-n.host.asking[n.at] }()
	done := make(chan error, 1)
	n.post(arrival{kind: arriveRequest, peer: n.at, ask: asking{s, done, w}})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-n.stopped:
		select {
		case err := <-done:
			return err
		default:
			return n.dead()
		}
	}
}

// Look runs look between two steps, with the node's own value, and waits for it. It
// must not keep the value, nor change it.
func (n *Node) Look(look func(node sim.Node)) error {
	done := make(chan struct{})
	n.post(arrival{kind: arriveCall, peer: n.at, call: func() {
		look(n.m.node)
		close(done)
	}})
	select {
	case <-done:
		return nil
	case <-n.stopped:
		select {
		case <-done:
			return nil
		default:
			return n.dead()
		}
	}
}

// Done is closed when the node's life is over; Err says why then.
func (n *Node) Done() <-chan struct{} { return n.stopped }

// Err is why the node's life is over; nil: it was asked to stop, or runs.
func (n *Node) Err() error {
	select {
	case <-n.stopped:
		return n.err
	default:
		return nil
	}
}

// Status is how a node does.
type Status struct {
	Node   string
	Life   int
	Up     bool
	Steps  uint64
	Peers  int // with which there is a connection
	Timers int
	Queued int // messages that wait for being delivered elsewhere
}

// Status is how the node did when it last had nothing to do.
func (n *Node) Status() Status {
	if s := n.status.Load(); s != nil {
		out := *s
		out.Steps = n.steps.Load()
		return out
	}
	return Status{Node: n.name(n.at), Life: n.number, Up: true, Steps: n.steps.Load()}
}

func (n *Node) tell() {
	if n.steps.Load() == 0 {
		return
	}
	s := &Status{Node: n.name(n.at), Life: n.number, Up: !n.over, Timers: len(n.m.timers)}
	for _, p := range n.peers {
		if p.sess != nil {
			s.Peers++
		}
		s.Queued += len(p.out)
	}
	if was := n.status.Load(); was == nil || s.Up != was.Up || s.Peers != was.Peers || s.Timers != was.Timers || s.Queued != was.Queued {
		n.status.Store(s)
	}
}
