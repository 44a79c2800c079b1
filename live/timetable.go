package live

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Timetable is a list of faults with their times, which Run causes in a fleet. The faults and their
// order are the same each time, but a run in real time cannot be repeated exactly. Trouble draws faults
// at random instead.
type Timetable []Appointment

// Appointment is one line of a timetable: a fault that happens at a given time.
type Appointment struct {
	At   time.Duration       // since the start
	What string              // the line, without the time
	do   func(f Fleet) error // causes the fault
}

// ReadTimetable reads a timetable for n nodes: a line for each thing that happens, in the
// order of their times.
//
//	2s kill n3
//	3s start n3
//	3s down n2                  stays down; only nodes that were killed are started again at the end
//	4s partition n0 n1 | n2     nodes that are not named are on the other side
//	5s oneway n0 | n1 n2        what n0 sends reaches nobody; connections need both ways
//	6s mend
//	7s pause n1
//	8s resume n1
//	9s weather loss=0.1,delay=20ms
//
// Lines that are blank or begin with # do not count.
func ReadTimetable(r io.Reader, n int) (Timetable, error) {
	var all Timetable
	down, failed, paused := map[int]bool{}, map[int]bool{}, map[int]bool{}
	lines := bufio.NewScanner(r)
	for k := 1; lines.Scan(); k++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		wrong := func(format string, args ...any) (Timetable, error) {
			return nil, fmt.Errorf("line %d of the faults is %q; %s", k, lines.Text(), fmt.Sprintf(format, args...))
		}
		at, err := time.ParseDuration(words[0])
		if err != nil || at < 0 {
			return wrong("a line begins with a time since the start, as 2s")
		}
		if len(all) > 0 && at < all[len(all)-1].At {
			return wrong("the line before is of %s: order them by time", all[len(all)-1].At)
		}
		a := Appointment{At: at, What: strings.Join(words[1:], " ")}
		verb, rest := "", words[1:]
		if len(rest) > 0 {
			verb, rest = rest[0], rest[1:]
		}
		switch verb {
		case "kill", "down", "start", "pause", "resume":
			nodes, err := nodesOf(rest, n)
			if err != nil || len(nodes) != 1 {
				return wrong("%s is about one of n0 to n%d", verb, n-1)
			}
			i := nodes[0]
			state := "runs"
			if failed[i] {
				state = "is down for good"
			} else if down[i] {
				state = "is down"
			} else if paused[i] {
				state = "is paused"
			}
			if needs := map[string]string{"kill": "runs", "down": "runs", "start": "is down", "pause": "runs", "resume": "is paused"}[verb]; state != needs {
				return wrong("n%d %s then", i, state)
			}
			down[i], failed[i], paused[i] = verb == "kill", verb == "down", verb == "pause"
			a.do = map[string]func(f Fleet) error{
				"kill":   func(f Fleet) error { return f.Kill(i) },
				"down":   func(f Fleet) error { return f.Kill(i) },
				"start":  func(f Fleet) error { return f.Restart(i) },
				"pause":  func(f Fleet) error { return f.Pause(i, true) },
				"resume": func(f Fleet) error { return f.Pause(i, false) },
			}[verb]
		case "partition", "oneway":
			bar := slices.Index(rest, "|")
			if bar < 0 {
				bar = len(rest)
				rest = append(rest, "|")
			}
			side, err := nodesOf(rest[:bar], n)
			if err != nil || len(side) == 0 || len(side) == n {
				return wrong("write some of n0 to n%d, and the others behind |", n-1)
			}
			if other, err := nodesOf(rest[bar+1:], n); err != nil || slices.ContainsFunc(other, func(i int) bool { return slices.Contains(side, i) }) {
				return wrong("behind | stand those of n0 to n%d that are not before it", n-1)
			}
			a.do = func(f Fleet) error { f.Cut(side, verb == "oneway"); return nil }
		case "mend":
			a.do = func(f Fleet) error { f.Cut(nil, false); return nil }
		case "weather":
			c, err := ParseClimate(strings.Join(rest, ","))
			if err != nil {
				return wrong("%v", err)
			}
			a.do = func(f Fleet) error { f.Climate(c); return nil }
		default:
			return wrong("there are kill, down, start, pause and resume of a node, partition, oneway, mend, and weather")
		}
		all = append(all, a)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the list of faults is empty; write what happens and when, as 2s kill n3")
	}
	return all, nil
}

// Last returns the time of the last fault.
func (t Timetable) Last() time.Duration { return t[len(t)-1].At }

// Fails returns the nodes that go down for good.
func (t Timetable) Fails() (nodes []int) {
	for _, a := range t {
		if verb, node, _ := strings.Cut(a.What, " "); verb == "down" {
			i, _ := strconv.Atoi(node[1:])
			nodes = append(nodes, i)
		}
	}
	return nodes
}

func nodesOf(words []string, n int) (nodes []int, err error) {
	for _, word := range words {
		i, err := strconv.Atoi(strings.TrimPrefix(word, "n"))
		if err != nil || word != "n"+strconv.Itoa(i) || i < 0 || i >= n {
			return nil, fmt.Errorf("%q is no node; the nodes are n0 to n%d", word, n-1)
		}
		nodes = append(nodes, i)
	}
	return nodes, nil
}

// Run causes the faults of the timetable in a fleet of n nodes, until its end or until ctx is done.
// Then it ends all faults but the failures for good: see heal. It calls tell with a description of each
// fault.
func (t Timetable) Run(ctx context.Context, f Fleet, n int, tell func(what string)) error {
	began := time.Now()
	down := map[int]bool{}
	defer heal(f, n, down, tell)
	for _, a := range t {
		timer := time.NewTimer(time.Until(began.Add(a.At)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		tell(a.What)
		if err := a.do(f); err != nil {
			return err
		}
		if verb, node, _ := strings.Cut(a.What, " "); verb == "kill" || verb == "start" {
			i, _ := strconv.Atoi(node[1:])
			down[i] = verb == "kill"
		}
	}
	return nil
}

// heal ends the faults of a fleet of n nodes: it restarts the nodes in down, which were killed, and lets
// paused ones continue; there is no partition, and no message is lost or delayed. Nodes that went down for
// good are not in down, and stay down.
func heal(f Fleet, n int, down map[int]bool, tell func(what string)) {
	f.Climate(Climate{})
	f.Cut(nil, false)
	for i := range n {
		_ = f.Pause(i, false)
		if down[i] { // it is dead, or was paused and runs
			_ = f.Restart(i)
		}
	}
	tell("healed: nodes that were killed or paused run again, and nothing is in their way")
}
