package netsim

import (
	"fmt"
	"slices"
	"testing"

	"macemc/internal/long"
)

// twin is a simple implementation of the simulated TCP, for comparison: an error is an item of the
// queue, and the possible events are computed anew each time.
type twin struct {
	n, buffer int
	queue     map[[2]int][]int // from, to: messages; 0 is an error, always first
	local     map[[2]int]bool  // I have an error queued for the peer
	remote    map[[2]int]bool  // the peer has one queued for me
	open      map[[2]int]bool
	asked     map[[2]int]bool
	flush     map[int]bool
}

func newTwin(n, buffer int) *twin {
	return &twin{
		n: n, buffer: buffer, queue: map[[2]int][]int{}, flush: map[int]bool{},
		local: map[[2]int]bool{}, remote: map[[2]int]bool{}, open: map[[2]int]bool{}, asked: map[[2]int]bool{},
	}
}

func (w *twin) isError(k [2]int) bool { return len(w.queue[k]) > 0 && w.queue[k][0] == 0 }

func (w *twin) messages(k [2]int) []int {
	if w.isError(k) {
		return w.queue[k][1:]
	}
	return w.queue[k]
}

// lose drops the queued messages, but keeps an error at the front.
func (w *twin) lose(k [2]int) {
	if w.isError(k) {
		w.queue[k] = w.queue[k][:1]
	} else {
		w.queue[k] = nil
	}
}

// deliverable reports whether the first message of a queue may be delivered: the peer has no error queued for
// the sender, or the sender has one queued for the peer, too.
func (w *twin) deliverable(k [2]int) bool {
	return len(w.queue[k]) > 0 && (w.local[k] || !w.remote[k])
}

func (w *twin) deliver(k [2]int) int {
	m := w.queue[k][0]
	w.queue[k] = w.queue[k][1:]
	back := [2]int{k[1], k[0]}
	switch {
	case m == 0: // the receiver hears of an error
		w.local[k] = false
		w.remote[back], w.open[back] = false, false
		w.lose(back)
	case k != back:
		w.open[k], w.open[back] = true, true
	}
	return m
}

func (w *twin) fail(a, b int) {
	for _, k := range [][2]int{{a, b}, {b, a}} {
		w.local[k], w.remote[k] = true, true
		w.queue[k] = append([]int{0}, w.queue[k]...)
	}
}

func (w *twin) reset(i, j int) {
	k, back := [2]int{i, j}, [2]int{j, i}
	w.lose(k)
	w.asked[k] = false
	if i == j || !w.open[k] { // closed, or the peer has yet to hear: there is no error
		return
	}
	if w.isError(back) { // its own error is of no interest any more
		w.queue[back] = w.queue[back][1:]
		w.local[back] = false
	}
	if !w.remote[k] || w.isError(k) { // the peer has yet to hear
		w.remote[back] = true
		if !w.isError(k) {
			w.queue[k] = []int{0}
		}
		w.local[k] = true
	}
	w.remote[k], w.open[k] = false, false
}

// text returns the whole state of a TCP, for comparison.
func (w *twin) text() string {
	s := ""
	for to := range w.n {
		for from := range w.n {
			k := [2]int{from, to}
			s += fmt.Sprintf("%d>%d %s %v error=%t asked=%t may=%t hear=%t clear=%t\n", from, to,
				Flags{w.local[k], w.remote[k], w.open[k]}, w.messages(k), w.isError(k), w.asked[k],
				w.deliverable(k) && !w.isError(k), w.deliverable(k) && w.isError(k), w.asked[k] && len(w.messages(k)) < w.buffer)
		}
	}
	for i := range w.n {
		s += fmt.Sprintf("%d flush=%t flushed=%t\n", i, w.flush[i], w.flush[i] && w.idle(i))
	}
	return s
}

func (w *twin) idle(i int) bool {
	for j := range w.n {
		if len(w.messages([2]int{i, j})) > 0 {
			return false
		}
	}
	return true
}

func tcpText(t *TCP) string {
	s, held := "", 0
	for c := range t.n * t.n {
		from, to := t.Ends(c)
		messages := []int{}
		for _, p := range t.Packets(c) {
			messages = append(messages, p.Message.(int))
		}
		held += len(messages)
		s += fmt.Sprintf("%d>%d %s %v error=%t asked=%t may=%t hear=%t clear=%t\n", from, to,
			t.Flags(from, to), messages, t.Broken(c), t.Asked(c), t.Messages().Has(c), t.Errors().Has(c), t.Clear().Has(c))
	}
	for i := range t.n {
		s += fmt.Sprintf("%d flush=%t flushed=%t\n", i, t.Flushing(i), t.Flushed().Has(i))
	}
	if held != t.Len() {
		s += fmt.Sprintf("%d messages are queued, Len is %d\n", held, t.Len())
	}
	return s
}

// storm does random operations on a TCP, and the same ones on its twin if w is not nil. It returns the number of
// operations until the flags were illegal, or 0 if they never were.
func storm(t *testing.T, tcp *TCP, w *twin, seed uint64, many int, seen map[string]int) int {
	r, n := draws(seed), tcp.n
	for step := 1; step <= many; step++ {
		a, b := r.IntN(n), r.IntN(n)
		k, c := [2]int{a, b}, tcp.Channel(a, b)
		do := ""
		switch x := r.IntN(100); {
		case x < 35:
			if do = "send"; tcp.Room(c) > 0 {
				tcp.Push(c, Packet{Message: step})
				w.do(func() { w.queue[k] = append(w.queue[k], step) })
			}
		case x < 65:
			if do = "deliver"; tcp.Messages().Has(c) {
				head := tcp.Head(c).Message
				p, _ := tcp.Pop(c)
				w.do(func() {
					if m := w.deliver(k); m != p.Message || m != head {
						t.Fatalf("step %d: %d>%d delivered %v, head %v, want %d", step, a, b, p.Message, head, m)
					}
				})
			}
		case x < 80:
			if do = "hear"; tcp.Errors().Has(c) {
				tcp.PopError(c)
				w.do(func() { w.deliver(k) })
			}
		case x < 84:
			if do = "break"; tcp.Breakable(a, b) {
				tcp.Break(a, b)
				w.do(func() { w.fail(a, b) })
			}
		case x < 87:
			do = "close"
			tcp.Close(a, b)
			w.do(func() { w.reset(a, b) })
		case x < 89:
			do = "crash"
			tcp.Crash(a)
			w.do(func() {
				for j := range n {
					w.reset(a, j)
				}
				w.flush[a] = false
			})
		case x < 90:
			do = "refuse" // as the callers do: a connection that is not open
			if tcp.Messages().Has(c) && !tcp.Flags(a, b).Open {
				tcp.Refuse(c)
				w.do(func() { w.lose(k) })
			}
		case x < 93:
			do = "ask"
			tcp.AskClear(c)
			w.do(func() { w.asked[k] = true })
		case x < 95:
			if do = "clear"; tcp.Clear().Has(c) {
				tcp.PopClear(c)
				w.do(func() { w.asked[k] = false })
			}
		case x < 98:
			do = "flush"
			tcp.AskFlushed(a)
			w.do(func() { w.flush[a] = true })
		default:
			if do = "flushed"; tcp.Flushed().Has(a) {
				tcp.PopFlushed(a)
				w.do(func() { w.flush[a] = false })
			}
		}
		if w != nil && step%many < 20_000 { // the comparison is slow
			if got, want := tcpText(tcp), w.text(); got != want {
				t.Fatalf("step %d, %s %d %d:\n%s\nwant\n%s", step, do, a, b, got, want)
			}
		}
		if _, _, illegal := tcp.Illegal(); illegal {
			return step
		}
		if seen != nil && a != b {
			seen[tcp.Flags(a, b).String()+"/"+tcp.Flags(b, a).String()]++
		}
	}
	return 0
}

func (w *twin) do(f func()) {
	if w != nil {
		f()
	}
}

// TestTCPStaysLegal checks that many random operations never lead to an illegal pair of flags or to a difference from
// the twin, and that all legal pairs occur.
func TestTCPStaysLegal(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(long.Of(3, 10)) {
		n := 2 + int(seed)%3
		if at := storm(t, NewTCP(n, 2), newTwin(n, 2), seed, long.Of(12_000, 100_000), seen); at > 0 {
			t.Errorf("seed %d: illegal after %d operations", seed, at)
		}
	}
	var pairs []string
	for pair := range seen {
		pairs = append(pairs, pair)
	}
	slices.Sort(pairs)
	if want := []string{"000/000", "001/001", "011/100", "100/011", "111/111"}; !slices.Equal(pairs, want) {
		t.Errorf("met the pairs %v, want %v", pairs, want)
	}
	t.Log(seen)
}

// TestTCPFlaws checks that each flaw leads to an illegal pair of flags soon.
func TestTCPFlaws(t *testing.T) {
	for _, flaw := range []string{FlawResetFallsThrough, FlawWrongIndex, FlawRemoteStays} {
		for _, n := range []int{2, 3} {
			longest := 0
			for seed := range uint64(20) {
				at := storm(t, NewTCP(n, 2, flaw), nil, seed, 10_000, nil)
				if at == 0 {
					t.Errorf("%s, %d nodes, seed %d: all pairs are legal", flaw, n, seed)
				}
				longest = max(longest, at)
			}
			t.Logf("%s, %d nodes: illegal after at most %d operations", flaw, n, longest)
		}
	}
}

// TestTCPReset checks that a network which was used is in the state of a new one after Reset.
func TestTCPReset(t *testing.T) {
	used := NewTCP(3, 2)
	for seed := range uint64(20) {
		storm(t, used, nil, seed, 500, nil)
		used.Reset()
		if got, want := tcpText(used), tcpText(NewTCP(3, 2)); got != want || used.Disturbed() || used.Special() {
			t.Fatalf("after Reset:\n%s\nwant\n%s", got, want)
		}
		storm(t, used, newTwin(3, 2), seed, 500, nil)
		used.Reset()
	}
}
