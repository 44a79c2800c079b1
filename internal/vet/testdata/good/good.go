// Package good has handlers that look like bad ones.
package good

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"macemc/sim"
)

type (
	ping  struct{ n int }
	list  struct{ of []int }
	table struct{ of map[int]int }
	tick  struct{}
	tock  struct{}
	entry struct{ of []int }
)

var (
	names   = []string{"a", "b"}
	errFull = errors.New("full")
	once    sync.Once
)

type node struct {
	peers  map[sim.Addr]int
	queue  []int
	log    []int
	counts map[int]int
	best   int
	last   sim.Addr
	text   string
	rng    *rand.Rand
	until  time.Duration
}

var handlers = sim.Handle(sim.OnMessage((*node).changesCopy), sim.OnMessage((*node).keepsWhole), sim.OnMessage((*node).changesOwnField), sim.OnMessage((*node).changesValue))

// no handler of a message: entry is the node's own
func (n *node) adds(env sim.Env, _ sim.Addr, entry *entry) { entry.of[0]++ }

func (n *node) duration(env sim.Env, _ tick)    { n.until = 3 * time.Second }
func (n *node) timer(env sim.Env, _ tick)       { env.After(time.Second, tick{}) }
func (n *node) clock(env sim.Env, _ tick)       { _ = env.Now() }
func (n *node) coin(env sim.Env, _ tick)        { n.best = env.Choose(3, "which") }
func (n *node) seeded(env sim.Env, _ tick)      { n.rng = rand.New(rand.NewSource(1)) }
func (n *node) sprint(env sim.Env, _ tick)      { n.text = fmt.Sprint(n.best) }
func (n *node) logs(env sim.Env, _ tick)        { env.Logf("best is %d", n.best) }
func (n *node) panics(env sim.Env, _ tick)      { panic("broken") }
func (n *node) reads(env sim.Env, _ tick)       { n.text = names[0] }
func (n *node) fails(env sim.Env, _ tick) error { return errFull }
func (n *node) once(env sim.Env, _ tick)        { once.Do(func() {}) }
func (n *node) builds(env sim.Env, _ tick) {
	var b strings.Builder
	b.WriteString("x")
	n.text = b.String()
}

// no service: nothing of it runs in a handler
func now() time.Time   { return time.Now() }
func main()            { fmt.Println(now()); go main() }
func (n *node) other() { n.best = rand.Int() }

// the order of maps does not show
func (n *node) sum(env sim.Env, _ tick) {
	for _, v := range n.peers {
		n.best += v
	}
}
func (n *node) most(env sim.Env, _ tick) {
	for _, v := range n.peers {
		n.best = max(n.best, v)
	}
}
func (n *node) larger(env sim.Env, _ tick) {
	for _, v := range n.peers {
		if v > n.best {
			n.best = v
		}
	}
}
func (n *node) every(env sim.Env, _ tick) bool {
	for _, v := range n.peers {
		if v == 0 {
			return false
		}
	}
	return true
}
func (n *node) found(env sim.Env, _ tick) (is bool) {
	for _, v := range n.peers {
		if v == 0 {
			is = true
			break
		}
	}
	return is
}
func (n *node) sorted(env sim.Env, _ tick) {
	for _, p := range slices.SortedFunc(maps.Keys(n.peers), sim.Addr.Compare) {
		env.TCP().Send(p, ping{})
	}
}
func (n *node) sortedAfter(env sim.Env, _ tick) {
	var all []int
	for _, v := range n.peers {
		all = append(all, v)
	}
	sort.Ints(all)
	n.log = all
}
func (n *node) sortedByFunc(env sim.Env, _ tick) {
	var all []int
	for _, v := range n.peers {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Compare(b, a) })
	n.log = all
}
func (n *node) copies(env sim.Env, _ tick) map[sim.Addr]int {
	to := map[sim.Addr]int{}
	for p, v := range n.peers {
		to[p] = v
	}
	return to
}
func (n *node) clears(env sim.Env, _ tick) {
	for p, v := range n.peers {
		if v == 0 {
			delete(n.peers, p)
		}
	}
}
func (n *node) inOrder(env sim.Env, _ tick) {
	for i, v := range n.queue {
		env.After(time.Duration(v), ping{i})
	}
}
func (n *node) local(env sim.Env, _ tick) {
	for _, v := range n.peers {
		var own []int
		own = append(own, v)
		n.best += len(own)
	}
}

// messages that stay what they are
func (n *node) sendsCopy(env sim.Env, to sim.Addr, _ ping) {
	env.TCP().Send(to, table{maps.Clone(n.counts)})
	n.counts[1] = 2
}
func (n *node) sendsGrowing(env sim.Env, to sim.Addr, _ ping) { // n.log only grows
	env.TCP().Send(to, list{n.log})
	n.log = append(n.log, 1)
}
func (n *node) changesBefore(env sim.Env, to sim.Addr, _ ping) {
	of := []int{1, 2}
	of[0] = 3
	env.TCP().Send(to, list{of})
}
func (n *node) newOne(env sim.Env, to sim.Addr, _ ping) {
	of := []int{1}
	env.TCP().Send(to, list{of})
	of = []int{2}
	of[0] = 3
}
func (n *node) newInEachTurn(env sim.Env, to sim.Addr, _ ping) {
	for i := range 3 {
		of := make([]int, 1)
		of[0] = i
		env.UDP().Send(to, list{of})
	}
}
func (n *node) changesCopy(env sim.Env, _ sim.Addr, m list) {
	of := slices.Clone(m.of)
	of[0] = 1
	n.log = of
}
func (n *node) keepsWhole(env sim.Env, _ sim.Addr, m list) { n.log = m.of } // n.log only grows
func (n *node) changesOwnField(env sim.Env, _ sim.Addr, m ping) {
	m.n++
	n.best = m.n
}
func (n *node) changesValue(env sim.Env, to sim.Addr, m ping) {
	env.TCP().Send(to, m)
	m.n = 3
}

// results
func (n *node) answers(env sim.Env, from sim.Addr, _ ping) { env.TCP().Send(from, ping{}) }
func (n *node) toEach(env sim.Env, _ tick) {
	for _, p := range env.Peers() {
		env.TCP().Send(p, ping{})
	}
}
func (n *node) looks(env sim.Env, to sim.Addr, _ ping) {
	for range 100 {
		if !env.TCP().Send(to, ping{}) {
			return
		}
	}
}
func (n *node) loses(env sim.Env, to sim.Addr, _ ping) {
	for range 3 {
		env.UDP().Send(to, ping{})
	}
}
func (n *node) inTurn(env sim.Env, _ tick) {
	to := n.last
	for i := range 3 {
		env.TCP().Send(to, ping{i})
		to = env.Peers()[i]
	}
}

// switches
func (n *node) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case ping:
		n.best = m.n
	default:
		panic(fmt.Sprintf("no handler of %T", m))
	}
}
func (n *node) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case tick:
	default:
		n.upper(env, s)
	}
}
func (n *node) upper(env sim.Env, s sim.Signal) {
	if _, ok := s.(tock); !ok {
		panic("no handler")
	}
}
func (n *node) kind(env sim.Env, _ tick, v any) string {
	switch v.(type) {
	case int:
		return "number"
	}
	return "other"
}

// on purpose
func (n *node) excused(env sim.Env, _ tick) {
	//macemc:allow print: seen once, when the search begins
	fmt.Println("here")
	_ = rand.Int() //macemc:allow random: thrown away
}
