package command

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"macemc/internal/jobs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"macemc/internal/search"
)

// lone takes l, a task or a group of states, in a process of its own: see jobs.Hands.
func (t *workerRun) lone(ctx context.Context, l jobs.Lone, over func() bool) (came []byte, walk int, err error) {
	cmd, in, err := t.process(workerLone, []string{"worker"})
	if err != nil {
		return came, -1, err
	}
	defer in.Close()
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		return came, -1, err
	}
	text, err := json.Marshal(l)
	if err != nil {
		return came, -1, err
	}
	if err := cmd.Start(); err != nil {
		return came, -1, err
	}
	why := make(chan error, 1) // why it was killed
	begun, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		why <- watch(ctx, &l, over, begun, done, cmd.Process.Pid)
		_ = cmd.Process.Kill()
	}()
	_, _ = in.Write(append(text, '\n'))
	came, walk, err = heardOf(out, begun)
	close(done)
	killed := <-why
	_ = cmd.Wait()
	switch {
	case err == nil:
		return came, walk, nil
	case killed != nil:
		return came, walk, killed
	}
	return came, walk, fmt.Errorf("%v: %w", cmd.ProcessState, err)
}

// watch returns the reason to kill the process pid, which takes l, or nil when done is
// closed. begun receives a value when the process begins a walk or a state.
func watch(ctx context.Context, l *jobs.Lone, over func() bool, begun, done <-chan struct{}, pid int) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for since := time.Now(); ; {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-begun:
			since = time.Now()
		case <-tick.C:
			switch {
			case over():
				return jobs.ErrUnwanted
			case time.Since(since) > l.Stuck:
				return fmt.Errorf("a handler did not return within %s", l.Stuck)
			case residentBytes(pid) > l.Most:
				return fmt.Errorf("the process takes more than the %d MiB that it may have", l.Most>>20)
			}
		}
	}
}

// heardOf reads the output of a process that takes a jobs.Lone: the numbers of walks or
// states as they begin, and then the result. walk is the number that was read last.
func heardOf(out io.Reader, begun chan<- struct{}) (came []byte, walk int, err error) {
	walk = -1
	for r := bufio.NewReaderSize(out, 1<<16); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return came, walk, err
		}
		if text, is := strings.CutPrefix(line, "result "); is {
			return []byte(text), walk, nil
		}
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			walk = n
		}
		select {
		case begun <- struct{}{}:
		default:
		}
	}
}

// takeLone is the main function of a process that takes the jobs.Lone that it reads from in.
func (t *workerRun) takeLone(in io.Reader) error {
	out := os.Stdout
	os.Stdout = os.Stderr // standard output is for the result, and handlers may print
	var l jobs.Lone
	r := bufio.NewReader(in)
	if err := json.NewDecoder(r).Decode(&l); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, in) // end of file: the parent has ended
		t.exit(exitStopped)
	}()
	came, err := t.takes(&l, func(number int) { fmt.Fprintln(out, number) })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "result %s\n", came)
	return err
}

// takes takes the walks of l, or visits its states. Before each of them it calls begins with the
// number of the walk or state. came is the result.
func (t *workerRun) takes(l *jobs.Lone, begins func(number int)) (came []byte, err error) {
	if l.Shards > 0 {
		another, err := t.remotesOf(l.Job, l.Shards)
		if err != nil {
			return came, err
		}
		remote, err := another()
		if err == nil {
			came, err = remote.Alone(l.Group, l.Leave, begins)
		}
		return came, err
	}
	taker, err := t.takerOf(l.Job)
	if err != nil {
		return came, err
	}
	if l.Group != nil {
		return taker.EnumerateAlone(l.Group, l.Leave, begins)
	}
	if err := taker.Learn(l.Known); err != nil {
		return came, err
	}
	span, _, err := taker.Take(l.Span, func(walk int) search.Next {
		if slices.Contains(l.Leave, walk) {
			return search.NextLeave
		}
		begins(walk)
		return search.NextTake
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(span)
}
