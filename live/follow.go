package live

import (
	"errors"
	"io"
	"sync"
	"time"

	"macemc/internal/record"
	"macemc/sim"
)

// Follower checks nodes while they run: it has a Watch, which repeats the steps of the nodes from their
// records, and reads the records while the nodes write them. Several goroutines may use it, and wait for
// states of the system.
type Follower struct {
	mu      sync.Mutex
	changed *sync.Cond
	watch   *Watch
	err     error
	copies  func(node, life int) (io.WriteCloser, error)
	reading sync.WaitGroup
	ends    map[int]chan struct{} // closed when the record of the node's newest life was read
}

// Follow returns a follower of a system with these parameters. If copies is not nil, it is called for each
// record, and the record is copied to the writer that it returns.
func Follow(sys *sim.System, p sim.Params, copies func(node, life int) (io.WriteCloser, error)) (*Follower, error) {
	w, err := newWatch(sys, p)
	if err != nil {
		return nil, err
	}
	f := &Follower{watch: w, copies: copies, ends: map[int]chan struct{}{}}
	f.changed = sync.NewCond(&f.mu)
	return f, nil
}

// Record returns a writer whose contents the follower reads. It is the Config.Record of nodes in this
// process.
func (f *Follower) Record(node, life int) (io.WriteCloser, error) {
	r, w := newPipe()
	return w, f.Read(node, life, r)
}

// Read reads the record of a life of a node from r, on a goroutine of its own, which first waits until the
// record of the previous life has ended.
func (f *Follower) Read(node, life int, r io.ReadCloser) error {
	var from io.Reader = r
	var kept io.WriteCloser
	if f.copies != nil {
		var err error
		if kept, err = f.copies(node, life); err != nil {
			return err
		}
		from = io.TeeReader(r, kept)
	}
	records := record.NewReader(from, f.watch.sys)
	end := make(chan struct{})
	f.mu.Lock()
	before := f.ends[node]
	f.ends[node] = end
	f.mu.Unlock()
	f.reading.Go(func() {
		defer close(end)
		if before != nil {
			<-before
		}
		for {
			e, err := records.Next()
			f.mu.Lock()
			if err == nil {
				f.watch.add(e)
			} else {
				f.watch.dead(node)
				if !errors.Is(err, io.EOF) && f.err == nil {
					f.err = err
				}
			}
			f.changed.Broadcast()
			f.mu.Unlock()
			if err != nil {
				_, _ = io.Copy(io.Discard, from)
				_ = r.Close()
				if kept != nil {
					_ = kept.Close()
				}
				return
			}
		}
	})
	return nil
}

// Close waits until all records have ended.
func (f *Follower) Close() { f.reading.Wait() }

// Look calls look with the watch, and keeps other goroutines from using the watch meanwhile.
func (f *Follower) Look(look func(w *Watch)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	look(f.watch)
}

// Err returns the first error in a record, or nil if there is none.
func (f *Follower) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Wait waits until cond returns true, at most for the time most, and reports whether cond has returned true.
// It calls cond after each step. It also calls cond from time to time when there is no step, since a datagram
// that has not arrived in time then counts as lost.
func (f *Follower) Wait(most time.Duration, cond func(w *Watch) bool) bool {
	const again = 100 * time.Millisecond
	until := time.Now().Add(most)
	late, over := false, false
	var t *time.Timer
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { over = true; t.Stop() }()
	t = time.AfterFunc(min(again, most), func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if over {
			return
		}
		late = !time.Now().Before(until)
		f.changed.Broadcast()
		t.Reset(again)
	})
	for !cond(f.watch) {
		if late {
			return false
		}
		f.changed.Wait()
	}
	return true
}

// pipe is a pipe within this process. Its writer waits only while the pipe holds too much data.
type pipe struct {
	mu     sync.Mutex
	cond   *sync.Cond
	data   []byte
	closed bool
}

const pipeMost = 4 << 20

type pipeReader struct{ *pipe }

func newPipe() (io.ReadCloser, io.WriteCloser) {
	p := new(pipe)
	p.cond = sync.NewCond(&p.mu)
	return pipeReader{p}, p
}

func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.data) > pipeMost && !p.closed {
		p.cond.Wait()
	}
	if p.closed {
		return 0, io.ErrClosedPipe
	}
	p.data = append(p.data, b...)
	p.cond.Broadcast()
	return len(b), nil
}

func (p *pipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.cond.Broadcast()
	return nil
}

func (p pipeReader) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.data) == 0 && !p.closed {
		p.cond.Wait()
	}
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.data)
	p.data = p.data[:copy(p.data, p.data[n:])]
	p.cond.Broadcast()
	return n, nil
}
