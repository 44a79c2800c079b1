//lint:file-ignore U1000 the fields are there to be walked

package canon

import (
	"fmt"
	"testing"
)

// toyNode is a small node: two maps of three entries, six integers, a string.
type toyNode struct {
	parent, root, depth, seq, state, joined int
	children                                map[int]int
	pending                                 map[int]int
	name                                    string
}

func newToy() *toyNode {
	return &toyNode{
		parent: 1, root: 2, seq: 7, joined: 1, name: "n3",
		children: map[int]int{1: 10, 2: 20, 3: 30},
		pending:  map[int]int{4: 1, 5: 2, 6: 3},
	}
}

type benchPeer struct {
	addr uint32
	seen uint64
	name string
}

type benchMsg struct {
	From uint32
	Seq  uint64
	Body string
}

// benchNode has maps, slices, a map of pointers, an interface and a pointer.
type benchNode struct {
	id, term, commit uint64
	name             string
	votes            map[uint32]bool
	log              []benchMsg
	data             map[string]string
	peers            map[uint32]*benchPeer
	self             *benchPeer
	last             any
	buf              []byte
}

func newBenchNode(n int) *benchNode {
	b := &benchNode{
		id: 1, term: 2, name: "node", votes: map[uint32]bool{}, data: map[string]string{},
		peers: map[uint32]*benchPeer{}, self: &benchPeer{name: "self"}, buf: make([]byte, 8*n),
	}
	for i := range n {
		b.votes[uint32(i)] = i%2 == 0
		b.log = append(b.log, benchMsg{uint32(i), uint64(i), "body"})
		b.data[fmt.Sprint("key", i)] = "value"
		b.peers[uint32(i)] = &benchPeer{addr: uint32(i), name: "peer"}
	}
	b.last = benchMsg{Body: "last"}
	return b
}

func benchSum(b *testing.B, v any) {
	w, _ := New(Options{})
	if _, err := w.Sum(v); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(w.buf)), "bytes")
	b.ReportAllocs()
	for b.Loop() {
		w.Sum(v)
	}
}

func BenchmarkSumToy(b *testing.B)    { benchSum(b, newToy()) }
func BenchmarkSumMsg(b *testing.B)    { benchSum(b, benchMsg{1, 2, "three"}) }
func BenchmarkSumSmall(b *testing.B)  { benchSum(b, newBenchNode(1)) }
func BenchmarkSumMedium(b *testing.B) { benchSum(b, newBenchNode(12)) }
func BenchmarkSumLarge(b *testing.B)  { benchSum(b, newBenchNode(240)) }

func BenchmarkMix(b *testing.B) {
	h := OfString("x")
	for b.Loop() {
		h = h.Mix(3)
	}
}
