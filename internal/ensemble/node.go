package ensemble

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"macemc/internal/disk"
	"macemc/internal/setting"
	"macemc/internal/sight"
	"macemc/program"
	"macemc/sim"
	"macemc/trace"
)

// A node is one life of a node made of handlers, which runs as a program on a host.
type node struct {
	setting.Setting
	self    sim.Addr
	h       *program.Host
	of      *machine
	queue   []program.Mail // mail that has arrived and is not handled yet
	signals []sim.Event    // events that come from the node's own steps, such as room in a buffer, not handled yet
	log     *program.File  // the file of the node's writes; nil before the first
}

// storage is the name of the file that records a node's writes, as one line of JSON for each:
// see written.
const storage = "store"

type written struct {
	Kind       disk.Kind
	Name, Data []byte
	Size       int
}

func newNode(s setting.Setting, self sim.Addr, h *program.Host) *node {
	n := &node{Setting: s, self: self, h: h}
	var before []disk.Write
	if text, err := h.Disk().ReadFile(storage); err == nil {
		whole := 0
		for line := range strings.Lines(string(text)) {
			var w written
			if json.Unmarshal([]byte(line), &w) != nil {
				break // a crash has cut off the last write
			}
			before = append(before, disk.Write{Kind: w.Kind, Name: string(w.Name), Data: string(w.Data), Size: w.Size})
			whole += len(line)
		}
		_ = h.Disk().Open(storage).Truncate(int64(whole))
	}
	n.of = newMachine(n, before)
	h.Show(func() any { return sight.Subject(n.of.node) })
	return n
}

// run runs the node until its context is cancelled.
func (n *node) run(ctx context.Context) {
	first := sim.Event{}
	if n.h.Life() > 0 {
		first.Kind = sim.KindRestart
	}
	n.takes(&first)
	for {
		for n.acts() {
		}
		var alarm <-chan time.Time
		if _, at, ok := n.of.next(); ok {
			alarm = time.After(time.Until(at))
		}
		var action <-chan time.Time
		if n.of.guards.Acts() && len(n.offers()) > 0 {
			action = time.After(time.Duration(1+n.h.Choose(8)) * 5 * time.Millisecond)
		}
		select {
		case <-ctx.Done():
			return
		case m := <-n.h.Mail():
			n.queue = append(n.queue, m)
		case <-alarm:
		case <-action:
			if all := n.offers(); len(all) > 0 {
				n.takes(&sim.Event{Kind: sim.KindAction, Value: all[n.h.Choose(len(all))]})
			}
		}
	}
}

// acts handles one of the events that are possible now, and reports whether there was one.
func (n *node) acts() bool {
	if len(n.signals) > 0 {
		e := n.signals[0]
		n.signals = n.signals[1:]
		n.takes(&e)
		return true
	}
	var waits []string // senders whose next message is declined
	for i, m := range n.queue {
		e := n.event(m)
		if slices.Contains(waits, m.From) {
			continue
		}
		if e.Kind == sim.KindMessage && !n.of.guards.Accept(e.From, e.Value) || e.Kind == sim.KindScript && !n.of.guards.Opens(e.Value) {
			waits = append(waits, m.From)
			continue
		}
		n.queue = slices.Delete(n.queue, i, i+1)
		n.takes(&e)
		return true
	}
	if task, ok := n.of.Task(n.h.Choose); ok {
		n.takes(&sim.Event{Kind: sim.KindTask, Value: task})
		return true
	}
	if timer, ok := n.of.due(time.Now()); ok {
		n.takes(&sim.Event{Kind: sim.KindTimer, Value: timer})
		return true
	}
	return false
}

// event returns the event by which the node handles a mail.
func (n *node) event(m program.Mail) sim.Event {
	if m.From == "" {
		return sim.Event{Kind: sim.KindScript, Value: m.Value}
	}
	e := sim.Event{Kind: sim.KindMessage, Link: sim.LinkTCP, Value: m.Value}
	for _, a := range n.Params.Addrs() {
		if a.String() == m.From {
			e.From = a
		}
	}
	if b, is := m.Value.(program.Broken); is {
		e.Kind, e.Value = sim.KindError, nil
		if b.Refused {
			e.Kind = sim.KindRefused
		}
	}
	return e
}

// takes runs the handler of an event, and carries out the effects. A failing handler ends the
// process, as a panic in any goroutine does.
func (n *node) takes(e *sim.Event) {
	e.Node = n.self
	effects := n.of.run(e)
	for i := range effects {
		n.carries(&effects[i])
	}
}

// offers returns the guarded actions that the node offers now.
func (n *node) offers() (all []sim.Signal) {
	n.of.guards.Offer(func(s sim.Signal) { all = append(all, s) })
	return all
}

func (n *node) carries(e *trace.Effect) {
	switch e.Kind {
	case trace.EffectSend:
		switch e.Link {
		case sim.LinkTCP:
			n.h.Post(e.To.String(), e.Value)
		case sim.LinkUDP:
			n.h.PostDatagram(e.To.String(), e.Value)
		default:
			panic(fmt.Sprintf("macemc: %s sends by a %s; nodes beside programs have TCP and UDP", n.self, e.Link))
		}
	case trace.EffectEmit:
		n.h.Emit(e.Value)
	case trace.EffectReset:
		n.h.Break(e.To.String())
	case trace.EffectAskClear:
		n.signals = append(n.signals, sim.Event{Kind: sim.KindClear, From: e.To, Link: sim.LinkTCP})
	case trace.EffectAskFlushed:
		n.signals = append(n.signals, sim.Event{Kind: sim.KindFlushed, Link: sim.LinkTCP})
	}
}

// writes adds a write to the file of the node's writes; node.syncs makes it survive a crash.
func (n *node) writes(w disk.Write) {
	if n.log == nil {
		n.log = n.h.Disk().Open(storage)
		size, _ := n.log.Size()
		_, _ = n.log.Seek(size, 0)
	}
	text, err := json.Marshal(written{w.Kind, []byte(w.Name), []byte(w.Data), w.Size})
	if err != nil {
		panic("macemc bug: a write is no JSON: " + err.Error())
	}
	_, _ = n.log.Write(append(text, '\n'))
}
