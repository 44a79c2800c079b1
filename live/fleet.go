package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Fleet is a set of running nodes on this machine in which Trouble and Timetable can cause faults. The
// nodes are in this process (a Host is a Fleet), or in processes of their own (Processes).
type Fleet interface {
	Kill(i int) error    // ends node i, even in the middle of a step
	Restart(i int) error // begins the next life of node i, which is dead
	// Cut begins a partition between the nodes of one side and the others. If oneWay is set,
	// only messages from the side to the others are lost. Cut ends the previous partition; with
	// a nil side it only does that.
	Cut(side []int, oneWay bool)
	Climate(c Climate)
	Pause(i int, on bool) error
	Stop() error
}

// Climate changes the weather of the links of this process, if Config.Weather is set.
func (h *Host) Climate(c Climate) {
	if h.config.Weather != nil {
		h.config.Weather.Set(c)
	}
}

// Pause holds node i after its present step if on is true, and else lets it continue.
func (h *Host) Pause(i int, on bool) error {
	n := h.Node(i)
	if n == nil {
		return fmt.Errorf("there is no node %d in this process", i)
	}
	h.mu.Lock()
	was := h.paused[i]
	if on && was == nil {
		h.paused[i] = make(chan struct{})
	} else if !on {
		delete(h.paused, i)
	}
	hold := h.paused[i]
	h.mu.Unlock()
	switch {
	case on && was == nil:
		n.call(func() {
			select {
			case <-hold:
			case <-h.leaving:
			}
		})
	case !on && was != nil:
		close(was)
	}
	return nil
}

// Processes runs each node in a process of its own, which calls Child.
type Processes struct {
	command func(node, life int) *exec.Cmd
	follow  *Follower
	failed  func(node int, err error)

	mu    sync.Mutex
	nodes []*process
	lives []int
	bad   map[string]string // by subject: the latest order about links, which new processes get too
	done  bool
}

type process struct {
	cmd    *exec.Cmd
	orders io.WriteCloser
	ended  chan struct{}
	err    error
	killed bool
}

// Spawn starts a process for each of n nodes, and follows their records. command makes the process for a life
// of a node, which must call Child. Spawn writes orders to its standard input, and reads the records that it
// writes to its file 3. failed is called if a process ends by itself.
func Spawn(n int, follow *Follower, command func(node, life int) *exec.Cmd, failed func(node int, err error)) (*Processes, error) {
	p := &Processes{command: command, follow: follow, failed: failed, nodes: make([]*process, n), lives: make([]int, n), bad: map[string]string{}}
	for i := range n {
		p.lives[i] = -1
		if err := p.start(i); err != nil {
			return nil, errors.Join(err, p.Stop())
		}
	}
	return p, nil
}

func (p *Processes) start(i int) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.lives[i]++
	life := p.lives[i]
	p.mu.Unlock()
	c := p.command(i, life)
	c.ExtraFiles = []*os.File{w}
	orders, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return fmt.Errorf("the process of n%d does not start: %w", i, err)
	}
	if err := p.follow.Read(i, life, r); err != nil {
		_ = c.Process.Kill()
		return errors.Join(err, c.Wait())
	}
	one := &process{cmd: c, orders: orders, ended: make(chan struct{})}
	p.mu.Lock()
	p.nodes[i] = one
	for _, text := range p.bad {
		_, _ = io.WriteString(orders, text+"\n")
	}
	p.mu.Unlock()
	go func() {
		one.err = c.Wait()
		p.mu.Lock()
		wanted := one.killed || p.done
		p.mu.Unlock()
		close(one.ended)
		if !wanted {
			p.failed(i, one.err)
		}
	}()
	return nil
}

func (p *Processes) get(i int) *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nodes[i]
}

// Kill ends the process of node i by a signal that it cannot handle.
func (p *Processes) Kill(i int) error {
	left := false
	p.follow.Look(func(w *Watch) { left = w.nodes[i].member.left })
	if left {
		return errLeft
	}
	one := p.get(i)
	p.mu.Lock()
	one.killed = true
	p.mu.Unlock()
	if err := one.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-one.ended
	return nil
}

// Restart starts the process of the next life of node i, whose process has ended.
func (p *Processes) Restart(i int) error {
	select {
	case <-p.get(i).ended:
		return p.start(i)
	default:
		return fmt.Errorf("n%d runs; kill it first", i)
	}
}

// Pause stops the process of node i if on is true, and else lets it continue.
func (p *Processes) Pause(i int, on bool) error {
	return pause(p.get(i).cmd.Process, on)
}

// order sends the text of an order to all processes.
func (p *Processes) order(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.nodes {
		if one != nil {
			_, _ = io.WriteString(one.orders, text+"\n") // one that has ended hears nothing
		}
	}
}

// Cut begins a partition in all processes: see Fleet.
func (p *Processes) Cut(side []int, oneWay bool) {
	verb := "cut"
	if oneWay {
		verb = "oneway"
	}
	p.keep("cut", verb+numbers(side))
}

// keep sends an order to all processes, and to those that start later, until an order about the same subject
// replaces it.
func (p *Processes) keep(about, text string) {
	p.mu.Lock()
	p.bad[about] = text
	p.mu.Unlock()
	p.order(text)
}

// Climate changes the weather in all processes.
func (p *Processes) Climate(c Climate) { p.keep("weather", "weather "+c.String()) }

func numbers(all []int) (text string) {
	for _, i := range all {
		text += " " + strconv.Itoa(i)
	}
	return text
}

// Stop stops all processes, after they have written the messages of their nodes, and waits for their end.
func (p *Processes) Stop() (err error) {
	p.mu.Lock()
	p.done = true
	all := slices.Clone(p.nodes)
	p.mu.Unlock()
	for _, one := range all {
		if one != nil {
			_ = pause(one.cmd.Process, false)
		}
	}
	p.order("leave") // to all processes before the first one ends, so that no node sees connections break
	p.follow.Wait(5*time.Second, func(w *Watch) bool {
		return !slices.ContainsFunc(w.Statuses(), func(s Status) bool { return s.Up })
	})
	for _, one := range all {
		if one != nil {
			_ = one.orders.Close()
		}
	}
	for i, one := range all {
		if one == nil {
			continue
		}
		t := time.AfterFunc(20*time.Second, func() { _ = one.cmd.Process.Kill() })
		<-one.ended
		t.Stop()
		if one.err != nil && !one.killed {
			err = errors.Join(err, fmt.Errorf("the process of n%d: %w", i, one.err))
		}
	}
	return err
}

// Child runs the nodes of h in a process that Spawn started. It obeys the orders that it reads from orders, the
// standard input, until they end, ctx is done or a handler fails. Then it stops the nodes. The nodes are
// recorded to file 3: see ChildRecord.
func Child(ctx context.Context, h *Host, orders io.Reader) error {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(orders)
		for lines.Scan() {
			h.obey(lines.Text())
		}
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	case <-h.failed:
	}
	return h.Stop()
}

func (h *Host) obey(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "leave":
		h.Leave()
	case "cut", "oneway":
		var side []int
		for _, word := range strings.Fields(rest) {
			if i, err := strconv.Atoi(word); err == nil {
				side = append(side, i)
			}
		}
		h.Cut(side, verb == "oneway")
	case "weather":
		if c, err := ParseClimate(rest); err == nil {
			h.Climate(c)
		}
	}
}

// ChildRecord returns file 3, to which a process that Spawn started writes its records. It is the Config.Record
// of such a process.
func ChildRecord(int, int) (io.WriteCloser, error) { return os.NewFile(3, "record"), nil }

// Trouble draws faults of a fleet from a seed. Kill and Pause are the mean times from one attempt to kill or to
// pause some node to the next; the node runs again after a quarter of that time. Cut and OneWay are the mean
// times from the end of a partition, in both directions or in one, to the next one of that kind, which lasts half
// as long. 0 means never. Climate is the weather of the links. The faults happen in real time, so a seed does not
// repeat a run.
type Trouble struct {
	Kill, Cut, OneWay, Pause time.Duration
	Climate                  Climate
}

// ParseTrouble reads a text such as "kill=2s,cut=5s,oneway=5s,pause=5s", which may also have the entries that
// ParseClimate reads.
func ParseTrouble(text string) (t Trouble, err error) {
	var climate []string
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		of := map[string]*time.Duration{"kill": &t.Kill, "cut": &t.Cut, "oneway": &t.OneWay, "pause": &t.Pause}[name]
		if of == nil {
			climate = append(climate, part)
			continue
		}
		if *of, err = time.ParseDuration(value); err != nil || *of <= 0 {
			return t, fmt.Errorf("%s is %q; it must be a time with its unit, such as %s=2s for a fault every two seconds on average", name, value, name)
		}
	}
	if len(climate) > 0 {
		if t.Climate, err = ParseClimate(strings.Join(climate, ",")); err != nil {
			err = fmt.Errorf("%w, and for nodes kill, cut, oneway and pause", err)
		}
	}
	return t, err
}

// Run causes faults in a fleet of n nodes until ctx is done, and then ends them all: nodes that were killed or
// paused run again, there is no partition, and no message is lost or delayed. It calls tell with a description
// of each fault.
func (t Trouble) Run(ctx context.Context, f Fleet, n int, seed uint64, tell func(what string)) error {
	dice := rand.New(rand.NewPCG(seed, 0x74726f75626c65))
	f.Climate(t.Climate)
	type plan struct {
		at time.Time
		do func() error
	}
	var plans []plan
	soon := func(d time.Duration, do func() error) {
		plans = append(plans, plan{time.Now().Add(d/2 + time.Duration(dice.Int64N(int64(d)))), do})
	}
	busy := map[int]bool{} // killed or paused
	parted := false
	var kill, pause func() error
	var cut func(every time.Duration, oneWay bool) error
	kill = func() error {
		soon(t.Kill, kill)
		i := dice.IntN(n)
		if busy[i] {
			return nil
		}
		busy[i] = true
		if err := f.Kill(i); errors.Is(err, errLeft) {
			return nil // and stays away
		} else if err != nil {
			return err
		}
		tell(fmt.Sprintf("n%d is killed", i))
		soon(t.Kill/4, func() error {
			delete(busy, i)
			tell(fmt.Sprintf("n%d starts again", i))
			return f.Restart(i)
		})
		return nil
	}
	cut = func(every time.Duration, oneWay bool) error {
		again := func() error { return cut(every, oneWay) }
		if parted {
			soon(every, again)
			return nil
		}
		var side []int
		for i := range n {
			if dice.IntN(2) == 0 {
				side = append(side, i)
			}
		}
		how := "a partition: " + strings.TrimSpace(numbers(side)) + " from the others"
		if oneWay {
			how = "a partition one way: what " + strings.TrimSpace(numbers(side)) + " send does not reach the others"
		}
		tell(how)
		parted = true
		f.Cut(side, oneWay)
		soon(every/2, func() error {
			tell("the partition ends")
			parted = false
			f.Cut(nil, false)
			soon(every, again)
			return nil
		})
		return nil
	}
	pause = func() error {
		soon(t.Pause, pause)
		i := dice.IntN(n)
		if busy[i] {
			return nil
		}
		busy[i] = true
		tell(fmt.Sprintf("n%d is paused", i))
		if err := f.Pause(i, true); err != nil {
			return err
		}
		soon(t.Pause/4, func() error {
			delete(busy, i)
			return f.Pause(i, false)
		})
		return nil
	}
	for _, of := range []struct {
		every time.Duration
		do    func() error
	}{{t.Kill, kill}, {t.Cut, func() error { return cut(t.Cut, false) }}, {t.OneWay, func() error { return cut(t.OneWay, true) }}, {t.Pause, pause}} {
		if of.every > 0 {
			soon(of.every, of.do)
		}
	}
	for len(plans) > 0 {
		k := 0
		for i := range plans {
			if plans[i].at.Before(plans[k].at) {
				k = i
			}
		}
		next := plans[k]
		plans = slices.Delete(plans, k, k+1)
		timer := time.NewTimer(time.Until(next.at))
		select {
		case <-timer.C:
			if err := next.do(); err != nil {
				return err
			}
			continue
		case <-ctx.Done():
			timer.Stop()
		}
		break
	}
	<-ctx.Done()
	heal(f, n, busy, tell)
	return nil
}
