package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"macemc/sim"
)

// requests has the requests to a node that come from other goroutines. A request is a signal that
// waits for its turn; then its goroutine may wait for a fact that answers it.
type requests struct {
	waiting []asking
	waiters []*waiter
}

// asking is a request that waits for its turn.
type asking struct {
	signal sim.Signal
	done   chan error // capacity 1; receives the result when the handler has returned
	waiter *waiter    // nil if no goroutine waits for a fact
	at     time.Time  // when the request came
}

type waiter struct {
	match func(fact any) bool
	fact  chan any // receives the first fact that matches; capacity 1
	gone  atomic.Bool
}

// next removes and returns the request whose turn it is. Facts emitted from now on may answer it.
func (r *requests) next() *asking {
	a := r.waiting[0]
	r.waiting = slices.Delete(r.waiting, 0, 1)
	if a.waiter != nil {
		r.waiters = append(r.waiters, a.waiter)
	}
	return &a
}

// emitted passes a fact to the goroutines for which it is an answer.
func (r *requests) emitted(fact any) {
	if len(r.waiters) == 0 {
		return
	}
	r.waiters = slices.DeleteFunc(r.waiters, func(w *waiter) bool {
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

// close reports to the waiting goroutines that the node's life is over.
func (r *requests) close() {
	for _, a := range r.waiting {
		a.done <- errOver
	}
}

// Request gives the node a signal, as its script does, and waits until the handler has returned.
// Any goroutine may call it.
func (n *Node) Request(ctx context.Context, s sim.Signal) error { return n.request(ctx, s, nil) }

// Ask gives the node a signal, and waits for a fact for which match returns true. match is called
// on the node's goroutine with each fact that the node passes to Env.Emit, from the signal's
// handler on. If ctx is done first, the request is not withdrawn.
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
		return nil, n.over()
	}
}

func (n *Node) request(ctx context.Context, s sim.Signal, w *waiter) error {
	if s == nil {
		return errors.New("a request is nil; it must be a signal that the node handles")
	}
	select {
	case n.host.asking[n.at] <- struct{}{}: // a limited number may wait
	case <-ctx.Done():
		return ctx.Err()
	case <-n.stopped:
		return n.over()
	}
	defer func() { <-n.host.asking[n.at] }()
	done := make(chan error, 1)
	n.inbox.post(arrival{kind: arriveRequest, peer: n.at, ask: asking{s, done, w, time.Now()}})
	select {
	case err := <-done:
		return n.outcome(err)
	case <-ctx.Done():
		return ctx.Err()
	case <-n.stopped:
		select {
		case err := <-done:
			return n.outcome(err)
		default:
			return n.over()
		}
	}
}

func (n *Node) over() error { return fmt.Errorf("%s does not run", n.m.self) }

// outcome returns the error that a request should return, given the error of its handler.
func (n *Node) outcome(err error) error {
	if errors.Is(err, errOver) {
		return n.over()
	}
	return err
}

// Look calls look with the node's value between two steps, and waits until look returns. look
// must not keep or change the value.
func (n *Node) Look(look func(node sim.Node)) error {
	done := make(chan struct{})
	n.call(func() {
		look(n.m.node)
		close(done)
	})
	select {
	case <-done:
		return nil
	case <-n.stopped:
		select {
		case <-done:
			return nil
		default:
			return n.over()
		}
	}
}
