package macetest

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"macemc/program"
)

// queue is the service of these tests, a queue of jobs: clients submit jobs over TCP, a journal
// keeps them, and workers do them. Each bug is one wrong line.
type queue struct {
	bug     string
	h       *program.Host
	journal *program.File
	mu      sync.Mutex
	jobs    []string
	wake    chan struct{}
	done    chan struct{}
	closing sync.Once
	ran     map[string]int // jobs that ran in any life: what the test checks
	workers sync.WaitGroup
}

func serve(bug string, ran map[string]int) program.Program {
	return func(ctx context.Context, h *program.Host) {
		q := &queue{bug: bug, h: h, wake: make(chan struct{}, 1), done: make(chan struct{}), ran: ran}
		if bug == "lost wake-up" {
			q.wake = make(chan struct{})
		}
		q.recover()
		l, err := h.Listen("tcp", ":70")
		if err != nil {
			panic(err)
		}
		q.workers.Go(q.work)
		q.workers.Go(func() {
			<-ctx.Done()
			l.Close()
			q.shut()
		})
		for {
			c, err := l.Accept()
			if err != nil {
				break
			}
			q.workers.Go(func() { q.client(c) })
		}
		q.shut()
		q.workers.Wait()
	}
}

// shut ends the queue, once.
func (q *queue) shut() {
	if q.bug == "double close" {
		select {
		case <-q.done:
		default:
			close(q.done)
		}
		return
	}
	q.closing.Do(func() { close(q.done) })
}

// recover reads the jobs in the journal.
func (q *queue) recover() {
	data, _ := q.h.Disk().ReadFile("journal")
	good := 0
	for rest := data; len(rest) >= 8; rest = data[good:] {
		n, sum := int(binary.BigEndian.Uint32(rest)), binary.BigEndian.Uint32(rest[4:])
		if q.bug == "torn write" {
			n = min(n, len(rest)-8)
		} else if len(rest) < 8+n || crc32.ChecksumIEEE(rest[8:8+n]) != sum {
			break
		}
		q.jobs = append(q.jobs, string(rest[8:8+n]))
		good += 8 + n
	}
	q.journal = q.h.Disk().Open("journal")
	q.journal.Truncate(int64(good))
	q.journal.Sync()
	q.journal.Seek(0, io.SeekEnd)
}

// client reads jobs from a connection, one a line, and answers each one.
func (q *queue) client(c net.Conn) {
	defer c.Close()
	stop := context.AfterFunc(q.context(), func() { c.Close() })
	defer stop()
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		job := lines.Text()
		record := binary.BigEndian.AppendUint32(nil, uint32(len(job)))
		record = binary.BigEndian.AppendUint32(record, crc32.ChecksumIEEE([]byte(job)))
		q.journal.Write(append(record, job...))
		q.journal.Sync()
		q.push(job)
		if _, err := fmt.Fprintln(c, "ok"); err != nil {
			return
		}
	}
}

func (q *queue) context() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-q.done; cancel() }()
	return ctx
}

func (q *queue) push(job string) {
	q.mu.Lock()
	q.jobs = append(q.jobs, job)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) pop() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return "", false
	}
	job := q.jobs[0]
	q.jobs = q.jobs[1:]
	return job, true
}

// work does jobs until the queue ends.
func (q *queue) work() {
	for {
		if q.bug != "select starvation" {
			select {
			case <-q.done:
				return
			default:
			}
		}
		job, ok := q.pop()
		if !ok {
			select {
			case <-q.wake:
			case <-q.done:
				return
			}
			continue
		}
		q.try(job)
	}
}

// try does a job, and does it again if that takes too long.
func (q *queue) try(job string) {
	for q.bug == "select starvation" || q.open() {
		result := make(chan error, 1)
		if q.bug == "leaked goroutine" {
			result = make(chan error)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 40*time.Millisecond)
		go func() { result <- q.do(ctx, job) }()
		select {
		case err := <-result:
			cancel()
			if err == nil {
				return
			}
		case <-ctx.Done():
			cancel()
			if q.bug == "leaked goroutine" {
				continue
			}
			if err := <-result; err == nil && q.bug != "timeout race" { // it was done after all
				return
			}
		}
	}
}

// open reports whether the queue is still running.
func (q *queue) open() bool {
	select {
	case <-q.done:
		return false
	default:
		return true
	}
}

// do does a job, which takes a time that the search chooses.
func (q *queue) do(ctx context.Context, job string) error {
	select {
	case <-time.After(time.Duration(1+q.h.Choose(5)) * 10 * time.Millisecond):
		q.ran[job]++
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// submit makes a client submit jobs one after the other.
func submit(from *program.Host, jobs ...string) {
	c, err := from.Dial("tcp", "server:70")
	for ; err != nil; c, err = from.Dial("tcp", "server:70") { // the server reads its journal first
		time.Sleep(5 * time.Millisecond)
	}
	defer c.Close()
	answers := bufio.NewReader(c)
	for _, job := range jobs {
		time.Sleep(time.Duration(from.Choose(4)) * 15 * time.Millisecond)
		fmt.Fprintln(c, job)
		if answer, err := answers.ReadString('\n'); err != nil || answer != "ok\n" {
			return // the server crashed
		}
	}
}

// jobs are what the clients submit. Half of a record is longer than its header.
var jobs = []string{"the first job of one", "the second job of one", "the third job of one", "the first job of two", "the second job of two"}

// runQueue returns the body of the test: two clients, possibly a crash, and the checks at the end.
func runQueue(bug string) func(*testing.T, *World) {
	return func(t *testing.T, w *World) {
		ran := map[string]int{}
		w.Host("server").Disk().Slow(10 * time.Millisecond)
		w.Start("server", serve(bug, ran))
		w.Wait()
		client := w.Host("client")
		var all sync.WaitGroup
		all.Go(func() { submit(client, jobs[:3]...) })
		all.Go(func() { submit(client, jobs[3:]...) })
		crashes := w.Choose(2) == 1
		if crashes {
			time.Sleep(time.Duration(w.Choose(40)) * time.Millisecond)
			w.Crash("server")
			w.Restart("server")
		}
		all.Wait()
		if bug != "select starvation" || w.Choose(2) == 0 {
			time.Sleep(10 * time.Second)
			for _, job := range jobs {
				if ran[job] == 0 && !crashes {
					t.Errorf("job %s was accepted and never done", job)
				}
			}
		}
		for job, times := range ran {
			if !slices.Contains(jobs, job) {
				t.Errorf("job %q was done, and nobody submitted it", job)
			}
			if times > 1 && !crashes {
				t.Errorf("job %s was done %d times", job, times)
			}
		}
		done := len(ran)
		w.Stop("server")
		if n := len(ran) - done; n > 2 { // the job that was running, and the one that had just begun
			t.Errorf("%d jobs were done after it was to stop", n)
		}
	}
}
