// Package bad has handlers that no replay repeats, or that change messages.
package bad

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"hash/maphash"
	"log"
	"log/slog"
	"maps"
	"math/rand"
	randv2 "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"macemc/sim"
)

type (
	ping  struct{}
	list  struct{ of []int }
	table struct{ of map[int]int }
	ref   struct{ p *int }
	tick  struct{}
)

var (
	count  int
	known  = map[int]int{}
	total  atomic.Int64
	shared sync.Map
)

type node struct {
	peers  map[sim.Addr]int
	values []int
	keep   []int
	table  map[int]int
	mu     sync.Mutex
	rw     sync.RWMutex
	wg     sync.WaitGroup
	c      chan int
	logger *slog.Logger
	last   sim.Addr
	text   string
}

var handlers = sim.Handle(sim.OnMessage((*node).spoils), sim.OnMessage((*node).sorts), sim.OnMessage((*node).keeps))

// clock
func (n *node) now(env sim.Env, _ sim.Addr, _ ping) { n.values[0] = int(time.Now().Unix()) } // want `time.Now: no replay repeats`
func (n *node) sleep(env sim.Env, _ tick)           { time.Sleep(time.Second) }              // want `time.Sleep`
func (n *node) since(env sim.Env, _ tick)           { _ = time.Since(time.Time{}) }          // want `time.Since`
func (n *node) later(env sim.Env, _ tick)           { time.AfterFunc(1, func() {}) }         // want `time.AfterFunc`
func (n *node) timeout(env sim.Env, _ tick) {
	_, cancel := context.WithTimeout(context.Background(), time.Second) // want `context.WithTimeout`
	cancel()
}

// a clock that is handed on, and one that a helper reads
func (n *node) handed(env sim.Env, _ tick)   { n.with(time.Now) } // want `time.Now`
func (n *node) with(func() time.Time)        {}
func (n *node) byHelper(env sim.Env, _ tick) { helper() }
func helper() int64                          { return time.Now().Unix() } // want `time.Now`

// random
func (n *node) draw(env sim.Env, _ tick)    { n.values[0] = rand.Intn(3) }   // want `rand.Intn`
func (n *node) drawTwo(env sim.Env, _ tick) { n.values[0] = randv2.IntN(3) } // want `rand.IntN`
func (n *node) secret(env sim.Env, _ tick) {
	crand.Read(make([]byte, 4)) // want `rand.Read`
}
func (n *node) seed(env sim.Env, _ tick) { _ = maphash.MakeSeed() } // want `maphash.MakeSeed`

// goroutines and channels
func (n *node) spawn(env sim.Env, _ tick) {
	go func() {}() // want `go starts a goroutine`
}
func (n *node) put(env sim.Env, _ tick) { n.c <- 1 } // want `sends to a channel`
func (n *node) get(env sim.Env, _ tick) { <-n.c }    // want `waits for a channel`
func (n *node) pick(env sim.Env, _ tick) {
	select { // want `select picks at random`
	case <-n.c:
	default:
	}
}
func (n *node) drain(env sim.Env, _ tick) {
	for range n.c { // want `waits for a channel`
	}
}

// locks
func (n *node) lock(env sim.Env, _ tick) {
	n.mu.Lock() // want `sync.Mutex.Lock`
	defer n.mu.Unlock()
}
func (n *node) read(env sim.Env, _ tick) { n.rw.RLock() } // want `sync.RWMutex.RLock`
func (n *node) wait(env sim.Env, _ tick) { n.wg.Wait() }  // want `sync.WaitGroup.Wait`

// the end of the process
func (n *node) exit(env sim.Env, _ tick)   { os.Exit(1) }        // want `os.Exit`
func (n *node) fatal(env sim.Env, _ tick)  { log.Fatal("gone") } // want `log.Fatal`
func (n *node) goexit(env sim.Env, _ tick) { runtime.Goexit() }  // want `runtime.Goexit`

// output
func (n *node) print(env sim.Env, _ tick)    { fmt.Println("hello") }             // want `fmt.Println`
func (n *node) printTo(env sim.Env, _ tick)  { fmt.Fprintln(os.Stderr, "hello") } // want `os.Stderr`
func (n *node) printLog(env sim.Env, _ tick) { log.Printf("hello") }              // want `log.Printf`
func (n *node) slog(env sim.Env, _ tick)     { n.logger.Info("hello") }           // want `slog.Logger.Info`
func (n *node) builtin(env sim.Env, _ tick)  { println("hello") }                 // want `println`

// outside
func (n *node) file(env sim.Env, _ tick)    { os.ReadFile("x") }           // want `os.ReadFile`
func (n *node) environ(env sim.Env, _ tick) { n.text = os.Getenv("HOME") } // want `os.Getenv`
func (n *node) dial(env sim.Env, _ tick)    { net.Dial("tcp", "x") }       // want `net.Dial`
func (n *node) run(env sim.Env, _ tick)     { exec.Command("ls").Run() }   // want `exec.Command`

// the order of maps
func (n *node) toAll(env sim.Env, _ tick) {
	for p := range n.peers { // want `the order of a map differs from run to run, and Send is called in it`
		env.TCP().Send(p, ping{})
	}
}
func (n *node) toAllKeys(env sim.Env, _ tick) {
	for p := range maps.Keys(n.peers) { // want `and tell, which has effects, is called in it; range over slices.SortedFunc\(maps.Keys\(n.peers\), sim.Addr.Compare\)`
		n.tell(env, p)
	}
}
func (n *node) tell(env sim.Env, p sim.Addr) { env.UDP().Send(p, ping{}) }
func (n *node) first(env sim.Env, _ tick)    { n.last = n.any() }
func (n *node) any() sim.Addr {
	for p := range n.peers { // want `an element of it is returned`
		return p
	}
	return n.last
}
func (n *node) collect(env sim.Env, _ tick) {
	var all []sim.Addr
	for p := range n.peers { // want `appended to all`
		all = append(all, p)
	}
	for _, p := range all {
		env.TCP().Send(p, ping{})
	}
}
func (n *node) keepFirst(env sim.Env, _ tick) {
	for p, v := range n.peers { // want `the first element that suits is kept`
		if v > 3 {
			n.last = p
			break
		}
	}
}
func (n *node) join(env sim.Env, _ tick) {
	for p := range n.peers { // want `appended to n.text`
		n.text += p.String()
	}
}
func (n *node) drawEach(env sim.Env, _ tick) {
	for p := range n.peers { // want `Choose is called`
		n.peers[p] = env.Choose(2, "which")
	}
}

// messages
func (n *node) changes(env sim.Env, from sim.Addr, _ ping) {
	of := []int{1, 2}
	env.TCP().Send(from, list{of})
	of[0] = 3 // want `of was handed to Send in line \d+, and is changed here`
}
func (n *node) changesMap(env sim.Env, from sim.Addr, _ ping) {
	m := table{map[int]int{}}
	of := m.of
	env.TCP().Send(from, table{of})
	delete(of, 1) // want `of was handed to Send`
}
func (n *node) reuses(env sim.Env, from sim.Addr, _ ping) {
	buf := make([]int, 1)
	for i := range 3 {
		buf[0] = i // want `buf was handed to Send`
		env.UDP().Send(from, list{buf})
	}
}
func (n *node) byPointer(env sim.Env, from sim.Addr, _ ping) {
	x := 1
	p := &x
	env.TCP().Send(from, ref{p})
	*p = 2 // want `p was handed to Send`
}
func (n *node) lends(env sim.Env, from sim.Addr, _ ping) {
	env.TCP().Send(from, list{n.values}) // want `n.values is handed to Send without a copy, and changed in place`
}
func (n *node) posts(env sim.Env, _ tick) {
	env.Post(list{n.values}) // want `n.values is handed to Post`
}
func (n *node) spoils(env sim.Env, _ sim.Addr, m list) {
	m.of[0] = 1 // want `m.of belongs to a message`
}
func (n *node) sorts(env sim.Env, _ sim.Addr, m list) {
	slices.Sort(m.of) // want `m.of belongs to a message`
}
func (n *node) keeps(env sim.Env, _ sim.Addr, m list) {
	n.keep = m.of // want `n.keep keeps memory of a message`
}
func (n *node) trims(env sim.Env, _ tick) { n.keep = slices.Delete(n.keep, 0, 1) }
func (n *node) Deliver(env sim.Env, _ sim.Addr, m sim.Message) {
	switch m := m.(type) { // want `what no case knows is passed over`
	case table:
		m.of[1] = 2 // want `m.of belongs to a message`
	}
}

// switches
func (n *node) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case tick:
	default: // want `this passes over what no case knows`
		env.Logf("what is this?")
	}
}

// package variables
func (n *node) counts(env sim.Env, _ tick)    { count++ }            // want `count is a variable of the package`
func (n *node) remembers(env sim.Env, _ tick) { known[1] = 2 }       // want `known is a variable of the package`
func (n *node) adds(env sim.Env, _ tick)      { total.Add(1) }       // want `total is a variable of the package`
func (n *node) stores(env sim.Env, _ tick)    { shared.Store(1, 2) } // want `shared is a variable of the package`
func (n *node) forgets(env sim.Env, _ tick)   { delete(known, 1) }   // want `known is a variable of the package`

// results
func (n *node) floods(env sim.Env, to sim.Addr, _ ping) {
	for range 100 {
		env.TCP().Send(to, ping{}) // want `each turn of the loop sends to to`
	}
}

// in a function of the system
var System = &sim.System{
	Name: "bad",
	New: func(p sim.Params, self sim.Addr) sim.Node {
		rand.Int() // want `rand.Int`
		return nil
	},
}

// a comment that says nothing, one about a check that there is not, and one too many
func (n *node) excused(env sim.Env, _ tick) {
	//macemc:allow clock // want `say why`
	_ = 1
	//macemc:allow weather: it rains // want `there is no check "weather"`
	_ = 2
	//macemc:allow lock: none is taken // want `this takes back no report`
	_ = 3
}
