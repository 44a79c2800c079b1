package main

import (
	"container/heap"
	"math/rand/v2"
)

// costs are processor times in microseconds, as measured.
type costs struct {
	publish, handOut, create, put, get float64 // of a call of the server, including its client's part
	byteCost                           float64 // per byte of the corpus that a worker reads
	fold                               float64 // of the coordinator, for each walk
	learn                              float64 // of a worker's goroutine, for each walk of the previous lot
	trip                               float64 // the time of a message from one machine to another; assumed, not measured
	bytes                              float64 // bytes that a lot adds to the corpus, for each walk
}

// A setup describes a cluster, and the search that it runs.
type setup struct {
	costs
	workers int             // number of goroutines
	each    int             // number of goroutines of one process, which reads the corpus once
	walk    float64         // mean time of a walk
	span    float64         // the intended time of the walks of a span
	lot     func(i int) int // the number of walks in the lot that begins with walk i
	from    int             // the first walk that is simulated
	lots    int             // number of lots that are simulated
	corpus  bool            // lots add to the corpus, and workers read these additions
}

// outcome is the result of a simulation.
type outcome struct {
	efficiency          float64 // the share of the workers' time that walks take
	server, coordinator float64 // the share of the time in which each is busy
	calls               float64 // calls of the server per second
	walks               float64 // walks per second, or states per second
}

// An event is something that happens at a time of the simulation.
type event struct {
	at  float64
	seq int // the order among events of the same time
	do  func(at float64)
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// station is a server that handles one request at a time, in the order of their arrival.
type station struct{ free, busy float64 }

// serve adds a request that arrives at the time at, and takes the time cost. It returns the time at
// which the request is done.
func (s *station) serve(at, cost float64) float64 {
	s.free = max(s.free, at) + cost
	s.busy += cost
	return s.free
}

// simulation is the simulation of a setup.
type simulation struct {
	setup
	random              *rand.Rand
	queue               events
	seq                 int
	server, coordinator station
	calls               int
	taking              float64 // the time that the walks of all workers took

	sizes   []int            // by span of the lot: the number of its walks
	given   int              // number of spans that were delivered
	done    []bool           // by span: its result has arrived
	folded  int              // number of spans that the coordinator has added
	before  int              // number of walks of the previous lot
	learned []bool           // by goroutine: it has learned what the previous lot added
	reading map[int]*reading // by process, for the present lot
	waiting []int            // workers that wait for a span
	over    float64
}

// simulate simulates a setup and returns the outcome.
func simulate(s setup) outcome {
	m := &simulation{setup: s, random: rand.New(rand.NewPCG(1, uint64(s.workers)))}
	for w := range s.workers {
		m.waiting = append(m.waiting, w)
	}
	now, i := 0.0, s.from
	for range s.lots {
		n := s.lot(i)
		now = m.takeLot(now, n)
		i += n
	}
	// A heartbeat is a put and two gets of each process in a second.
	beats := float64((s.workers+s.each-1)/s.each) * now / 1e6
	m.server.busy += beats * (s.put + 2*s.get)
	m.calls += int(3 * beats)
	// The server had this work besides; where it has no time for it, all the rest takes longer.
	stretch := max(1, m.server.busy/now)
	now *= stretch
	return outcome{
		efficiency: m.taking / (float64(s.workers) * now), server: m.server.busy / now, coordinator: m.coordinator.busy / now,
		calls: float64(m.calls) / now * 1e6, walks: float64(i-s.from) / now * 1e6,
	}
}

// after adds to the queue an event that calls do at the time at.
func (m *simulation) after(at float64, do func(at float64)) {
	m.seq++
	heap.Push(&m.queue, event{at: at, seq: m.seq, do: do})
}

// drain makes all events happen, including those that they cause.
func (m *simulation) drain() {
	for m.queue.Len() > 0 {
		e := heap.Pop(&m.queue).(event)
		e.do(e.at)
	}
}

// call simulates a call of the server by a process on another machine, and calls do when its answer
// has arrived.
func (m *simulation) call(at, cost float64, do func(at float64)) {
	m.after(at+m.trip, func(at float64) {
		m.calls++
		m.after(m.server.serve(at, cost)+m.trip, do)
	})
}

// spanSizes divides a lot into spans as the coordinator does.
func (m *simulation) spanSizes(n int) (sizes []int) {
	each := 2 * m.workers
	size := max(1, min((n+each-1)/each, int(m.span/m.walk)))
	for n > 0 {
		sizes = append(sizes, min(size, n))
		n -= size
	}
	return sizes
}

// takeLot simulates a lot of n walks that begins at the time now, and returns the time at which it
// ends.
func (m *simulation) takeLot(now float64, n int) float64 {
	m.sizes, m.given, m.folded = m.spanSizes(n), 0, 0
	m.done, m.learned, m.reading = make([]bool, len(m.sizes)), make([]bool, m.workers), map[int]*reading{}
	// The coordinator publishes what is known and the number of the lot, and then the spans. Its
	// server is in its own process.
	now = m.server.serve(m.coordinator.serve(now, 0), m.publish+m.byteCost*m.bytes*float64(m.before)+m.put)
	m.calls += 2
	for range m.sizes {
		m.calls++
		m.after(m.server.serve(now, m.publish), func(at float64) {
			if len(m.waiting) > 0 {
				w := m.waiting[0]
				m.waiting = m.waiting[1:]
				m.deliver(at, w)
			}
		})
	}
	m.drain()
	m.before = n
	m.calls += 3 // two buckets and the queue are emptied
	return m.server.serve(m.over, 3*m.publish)
}

// deliver gives the next span to worker w, if there is one.
func (m *simulation) deliver(at float64, w int) {
	if m.given == len(m.sizes) {
		m.waiting = append(m.waiting, w)
		return
	}
	k := m.given
	m.given++
	m.calls++
	m.after(m.server.serve(at, m.handOut)+m.trip, func(at float64) {
		if !m.corpus || m.learned[w] || m.before == 0 {
			m.begin(at, w, k)
			return
		}
		m.learned[w] = true
		m.read(at, w/m.each, func(at float64) { m.begin(at+m.learn*float64(m.before), w, k) })
	})
}

// reading is the progress of a process in reading the additions to the corpus by the previous lot.
type reading struct {
	is      bool
	waiting []func(at float64)
}

// read makes a process read what the previous lot has added to the corpus, unless it has done so. The
// function then is called when that is done.
func (m *simulation) read(at float64, process int, then func(at float64)) {
	r := m.reading[process]
	switch {
	case r == nil:
		r = &reading{waiting: []func(float64){then}}
		m.reading[process] = r
		m.call(at, m.get+m.byteCost*m.bytes*float64(m.before), func(at float64) {
			r.is = true
			for _, do := range r.waiting {
				do(at)
			}
		})
	case r.is:
		then(at)
	default:
		r.waiting = append(r.waiting, then)
	}
}

// begin makes worker w take span k, store its result and ask for another span.
func (m *simulation) begin(at float64, w, k int) {
	m.call(at, m.create, func(at float64) { // the record of a span that was delivered
		took := 0.0
		for range m.sizes[k] {
			took += m.random.ExpFloat64() * m.walk
		}
		m.taking += took
		m.call(at+took, m.create, func(at float64) {
			m.done[k] = true
			m.gather(at)
			m.after(at+m.trip, func(at float64) { m.deliver(at, w) })
		})
	})
}

// gather makes the coordinator add up the results that have arrived, in the order of the spans.
func (m *simulation) gather(at float64) {
	for m.folded < len(m.done) && m.done[m.folded] {
		m.over = m.coordinator.serve(at, m.get+m.fold*float64(m.sizes[m.folded]))
		m.folded++
	}
}
