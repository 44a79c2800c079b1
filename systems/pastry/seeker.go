package pastry

import (
	"fmt"
	"strings"
	"time"

	"macemc/sim"
)

// Messages of an application that looks up names: the question whose node a name is, which is sent to
// the name, and the answer of that node.
type (
	whose struct{ name string }
	mine  struct{ name string }
)

type (
	seek      struct{ name string } // the request
	seekTimer struct{}              // set from the request on, since nodes may come and go
)

const seekEvery = 10 * time.Second

// seeker is an application that asks again and again which node owns a name.
type seeker struct {
	name  string
	owner sim.Addr // the node that answered last
}

func (*seeker) Init(sim.Env) {}

func (s *seeker) Handle(env sim.Env, signal sim.Signal) {
	switch m := signal.(type) {
	case seek:
		s.name = m.name
		s.ask(env)
	case seekTimer:
		s.ask(env)
	case sim.PeerError: // the ring decides which node is asked next time
	default:
		panic(fmt.Sprintf("pastry: no case for the application's signal %T", signal))
	}
}

func (s *seeker) ask(env sim.Env) {
	env.(Overlay).Route(s.name, whose{s.name})
	env.After(seekEvery, seekTimer{})
}

func (s *seeker) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case whose:
		if from == env.Self() {
			s.owner = from
		} else {
			env.TCP().Send(from, mine(m))
		}
	case mine:
		if m.name == s.name { // else it was for the node before it crashed
			s.owner = from
		}
	default:
		panic(fmt.Sprintf("pastry: no case for the application's message %T", m))
	}
}

// namesFound reports whether every seeker knows which node owns its name.
func namesFound(v view) bool {
	for _, n := range v.Nodes() {
		if s, seeks := n.upper.(*seeker); seeks && s.owner != owner(v.Params(), s.name) {
			return false
		}
	}
	return true
}

// owner returns the node whose key is closest to that of the name, which therefore owns it.
func owner(p sim.Params, name string) (owner sim.Addr) {
	keys, k := keysetOf(p), hash(name)
	for _, a := range p.Addrs() {
		if owner.IsZero() || closer(k, keys.of(a), keys.of(owner)) {
			owner = a
		}
	}
	return owner
}

func explainNames(v view) string {
	var all []string
	for a, n := range v.Nodes() {
		if s, seeks := n.upper.(*seeker); seeks && s.owner != owner(v.Params(), s.name) {
			all = append(all, fmt.Sprintf("%s believes that %q is %s's, and it is %s's", a, s.name, s.owner, owner(v.Params(), s.name)))
		}
	}
	return strings.Join(all, "; ")
}
