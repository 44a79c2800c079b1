//lint:file-ignore U1000 the fields are there to be walked

package canon

import (
	"fmt"
	"syscall"
	"testing"
	"time"
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

// cpuTime returns the processor time of the whole process, with the garbage collector. On a
// shared machine it is a better measure than the clock.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func benchSum(b *testing.B, v any) {
	w, _ := New(Options{})
	if _, err := w.Sum(v); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(w.buf)), "bytes")
	b.ReportAllocs()
	cpu := cpuTime()
	for b.Loop() {
		w.Sum(v)
	}
	b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op")
}

func BenchmarkSumToy(b *testing.B)    { benchSum(b, newToy()) }
func BenchmarkSumMsg(b *testing.B)    { benchSum(b, benchMsg{1, 2, "three"}) }
func BenchmarkSumSmall(b *testing.B)  { benchSum(b, newBenchNode(1)) }
func BenchmarkSumMedium(b *testing.B) { benchSum(b, newBenchNode(12)) }
func BenchmarkSumLarge(b *testing.B)  { benchSum(b, newBenchNode(240)) }

// benchAddr and benchTree have the shape of the nodes of systems/jointree, whose speed the
// project measures.
type benchAddr struct{ n uint32 }

type benchTree struct {
	root, friend, papa benchAddr
	kids, silent       map[benchAddr]bool
	ballast            *benchBallast
}

type benchBallast struct {
	peers   map[benchAddr]*benchRecord
	history []uint64
	table   map[uint32]uint64
	names   []string
}

type benchRecord struct {
	slot     int
	relation string
}

func newBenchTree(kilobytes int) *benchTree {
	t := &benchTree{benchAddr{1}, benchAddr{2}, benchAddr{1}, map[benchAddr]bool{{3}: true, {4}: true}, map[benchAddr]bool{{3}: true}, nil}
	if kilobytes == 0 {
		return t
	}
	b := &benchBallast{map[benchAddr]*benchRecord{}, make([]uint64, 44*kilobytes), map[uint32]uint64{}, make([]string, 14*kilobytes)}
	for i := range 24 * kilobytes {
		b.table[uint32(i)*2654435761] = uint64(i)
	}
	for i := range b.names {
		b.names[i] = "a name of twenty-four b."
	}
	for i := range uint32(3) {
		b.peers[benchAddr{i}] = &benchRecord{int(i), "a stranger"}
	}
	t.ballast = b
	return t
}

func benchCopy(b *testing.B, v any) {
	w, _ := New(Options{})
	if _, err := w.Copy(v); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	cpu := cpuTime()
	for b.Loop() {
		w.Copy(v)
	}
	b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op")
}

func BenchmarkSumTree(b *testing.B)     { benchSum(b, newBenchTree(0)) }
func BenchmarkSumTree1KB(b *testing.B)  { benchSum(b, newBenchTree(1)) }
func BenchmarkSumTree20KB(b *testing.B) { benchSum(b, newBenchTree(20)) }

func BenchmarkCopyTree(b *testing.B)     { benchCopy(b, newBenchTree(0)) }
func BenchmarkCopyTree1KB(b *testing.B)  { benchCopy(b, newBenchTree(1)) }
func BenchmarkCopyTree20KB(b *testing.B) { benchCopy(b, newBenchTree(20)) }
func BenchmarkCopyToy(b *testing.B)      { benchCopy(b, newToy()) }
func BenchmarkCopyMedium(b *testing.B)   { benchCopy(b, newBenchNode(12)) }

func BenchmarkMix(b *testing.B) {
	h := OfString("x")
	for b.Loop() {
		h = h.Mix(3)
	}
}

func BenchmarkDynamic(b *testing.B) {
	var v any = newToy()
	for b.Loop() {
		Dynamic(v)
	}
}
