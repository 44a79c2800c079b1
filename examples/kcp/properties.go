package kcp

import (
	"fmt"
	"strings"

	"macemc/sim"
)

type view = sim.View[*end]

// reads is the memory of a monitor: the number of messages that each end has read.
type reads struct{ of map[sim.Addr]int }

// Init clears the counts at the beginning of a run.
func (r *reads) Init() { r.of = map[sim.Addr]int{} }

func inOrder(r *reads, at sim.Addr, fact any) error {
	f, ok := fact.(got)
	if !ok {
		return nil
	}
	r.of[at]++
	if want := text(f.writer, r.of[at], f.parts); f.message != want {
		return fmt.Errorf("%s reads %q, where %q comes next", at, short(f.message), short(want))
	}
	return nil
}

// short returns the text of a message without the dots with which text fills it up to its length.
func short(message string) string {
	return strings.Join(strings.FieldsFunc(message, func(r rune) bool { return r == '.' }), ".")
}

func withinWindow(v view) bool {
	for _, e := range v.Nodes() {
		if e.conn.UnderWay() > v.Params().Int(Send) {
			return false
		}
	}
	return true
}

func explainWindow(v view) string {
	for a, e := range v.Nodes() {
		return fmt.Sprintf("%s has %d segments under way, and the window is %d", a, e.conn.UnderWay(), v.Params().Int(Send))
	}
	return ""
}

// bounded reports whether no end keeps more segments than fit into its window. It counts the segments that
// wait to be read, including those that the driver keeps, and separately those that wait for an earlier
// segment.
func bounded(v view) bool {
	window := v.Params().Int(Receive)
	for _, e := range v.Nodes() {
		if e.waiting() > window || e.conn.Early() > window {
			return false
		}
	}
	return true
}

func (e *end) waiting() int { return e.conn.Queued() + len(e.inbox)*e.parts }

func explainBounds(v view) string {
	for a, e := range v.Nodes() {
		return fmt.Sprintf("%s keeps %d segments that wait to be read and %d that wait for others, and the window is %d",
			a, e.waiting(), e.conn.Early(), v.Params().Int(Receive))
	}
	return ""
}

// hasCome reports whether every segment that one end takes for acknowledged has arrived at the other end.
func hasCome(v view) bool {
	e, other := ends(v)
	return ahead(e, other) <= 0 && ahead(other, e) <= 0
}

func ends(v view) (e, other *end) {
	e, _ = v.At(v.Params().Addr(0))
	other, _ = v.At(v.Params().Addr(1))
	return e, other
}

// ahead returns the number of segments that end e takes for acknowledged and that have not arrived at the
// other end. An end that has not opened the present connection yet has received nothing.
func ahead(e, other *end) int {
	received := e.first
	if other.conv == e.conv {
		received = other.conn.Received()
	}
	return int(int32(e.conn.Acknowledged() - received))
}

func explainCome(v view) string {
	e, other := ends(v)
	if n := ahead(e, other); n > 0 {
		return fmt.Sprintf("%s has acknowledgements of %d segments more than %s has got", e.self, n, other.self)
	}
	return fmt.Sprintf("%s has acknowledgements of %d segments more than %s has got", other.self, ahead(other, e), e.self)
}

func allRead(v view) bool {
	for a, e := range v.Nodes() {
		if e.read < writes(v.Params(), v.Params().Addr(1-a.Index())) {
			return false
		}
	}
	return true
}

func explainRead(v view) string {
	var all []string
	for a, e := range v.Nodes() {
		if n := writes(v.Params(), e.peer); e.read < n {
			all = append(all, fmt.Sprintf("%s has read %d of %d messages", a, e.read, n))
		}
	}
	return strings.Join(all, "; ")
}

func allAcknowledged(v view) bool {
	for _, e := range v.Nodes() {
		if e.conn.Unsent() > 0 {
			return false
		}
	}
	return true
}

func explainAcknowledged(v view) string {
	var all []string
	for a, e := range v.Nodes() {
		if n := e.conn.Unsent(); n > 0 {
			all = append(all, fmt.Sprintf("%s waits for acknowledgements of %d segments", a, n))
		}
	}
	return strings.Join(all, "; ")
}
