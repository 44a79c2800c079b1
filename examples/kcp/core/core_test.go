package core

import (
	"slices"
	"testing"
)

const message = "abcdefghijklmnopqrstuvwxyz"

func ends(o Options) (a, b *Conn) {
	o.Conv, o.Send, o.Receive = 1, 4, 4
	return New(o), New(o)
}

func sent(update func(func(Packet))) (all []string) {
	update(func(p Packet) { all = append(all, p.String()) })
	return all
}

// A segment is sent again when its timeout is over, and not before. The timeout depends on the time that Pass
// lets pass, and not on the clock of the process.
func TestTimeout(t *testing.T) {
	for _, timed := range []bool{false, true} {
		a, _ := ends(Options{Timed: timed})
		a.Send(message)
		push := []string{`push 0 "` + message + `" (has all before 0, room for 4)`}
		for i, want := range [][]string{push, nil, push, nil, nil, nil, push} { // after 200 ms, and 400 ms
			if i > 0 {
				a.Pass(Interval)
			}
			if got := sent(a.Update); !slices.Equal(got, want) {
				t.Fatalf("timed %v, after %d intervals: sent %q, want %q", timed, i, got, want)
			}
		}
		if got := a.Next(); timed && got != 6*Interval || !timed && got != 4*Interval {
			t.Errorf("timed %v: it is due in %d ms", timed, got)
		}
	}
}

// A round trip takes the time that has passed by the sender's clock, or no time if it is not Timed.
func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		timed bool
		want  uint32 // the next timeout: 300 + 4*150, or the least
	}{{true, 900}, {false, Interval}} {
		a, b := ends(Options{Timed: c.timed})
		b.Pass(700) // the clocks have nothing to do with each other
		var under []Packet
		keep := func(p Packet) { under = append(under, p) }
		a.Send(message)
		a.Update(keep)
		b.Input(under[0], keep)
		b.Update(keep)
		a.Pass(3 * Interval)
		a.Input(under[1], keep)
		if a.Unsent() != 0 || b.Queued() != 1 || a.Acknowledged() != 1 || b.Received() != 1 {
			t.Fatalf("timed %v: %d not acknowledged, %d come", c.timed, a.Unsent(), b.Queued())
		}
		a.Send(message)
		a.Update(keep)
		if got := a.Next(); got != c.want {
			t.Errorf("timed %v: the next timeout is %d ms, want %d", c.timed, got, c.want)
		}
	}
}

// Between two calls a connection holds nothing that cannot be compared.
func TestLent(t *testing.T) {
	a, _ := ends(Options{})
	a.Send(message)
	a.Update(func(Packet) {})
	if *at[func([]byte, int)](a, output) != nil || *at[[]byte](a, buffer) != nil {
		t.Error("what was lent was not taken back")
	}
}
