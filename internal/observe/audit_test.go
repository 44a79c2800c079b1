package observe

import (
	"strings"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/sight"
	"macemc/netsim"
	"macemc/sim"
	"macemc/trace"
)

type box struct{ Items []int }

type called struct {
	Items []int
	Do    func()
}

// scene is an Audit with the two nodes and the monitor that it examines.
type scene struct {
	nodes  [2]*box
	memory *box
	sent   *box
	audit  *Audit
	sum    func(v any) canon.Hash
	under  []Parcel
}

type stopped struct{ text string }

func newScene(t *testing.T) *scene {
	t.Helper()
	walker, err := contract.Walker(&sim.System{Opaque: []string{"observe.called.Do"}})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{nodes: [2]*box{{[]int{1}}, {[]int{2}}}, memory: &box{[]int{3}}, sent: &box{[]int{4}}}
	s.sum = func(v any) canon.Hash {
		h, err := walker.Sum(v)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	sees := &sight.State{}
	for _, n := range s.nodes {
		sees.Nodes = append(sees.Nodes, &sight.Node{Node: n, Up: true})
	}
	s.audit = NewAudit(Audited{
		Walker: walker, Sum: s.sum, Nodes: sees,
		Monitors: []sight.Monitor{{Name: "watch", Memory: func() any { return s.memory }}},
		Under:    func(into []Parcel) []Parcel { return append(into, s.under...) },
		Stop:     func(_ trace.Verdict, _, message string) { panic(stopped{message}) },
	})
	s.audit.Start()
	s.audit.Check(0, true)
	s.audit.Check(1, true)
	s.under = []Parcel{{From: 1, To: 0, Packet: netsim.Packet{Message: s.sent, Sum: s.audit.Tell(s.sent), Origin: netsim.Origin{Step: 3}}}}
	return s
}

// step runs do as the handler of node 0, and returns the message with which the audit stops the run, or "".
func (s *scene) step(do func()) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = r.(stopped).text
		}
	}()
	s.audit.Begin()
	s.audit.Give(s.under[0].Packet)
	do()
	s.audit.CheckHanded(nil)
	s.audit.Check(0, false)
	s.audit.CheckMonitors(sim.Addr{})
	return ""
}

// TestAuditStopsForeignChanges checks that a handler may change its own node, but not its message, another node,
// a message under way, or the memory of a monitor.
func TestAuditStopsForeignChanges(t *testing.T) {
	for _, c := range []struct {
		do   func(*scene)
		want string
	}{
		{func(s *scene) { s.nodes[0].Items[0] = 9 }, ""},
		{func(s *scene) { s.nodes[1].Items[0] = 9 }, "the state of n1 changed while n0 ran: Items[0] was 2, is 9"},
		{func(s *scene) { s.sent.Items[0] = 9 }, "the handler changed what it was given: &box{Items: [4]} became"},
		{func(s *scene) { s.audit.Give(netsim.Packet{}); s.sent.Items[0] = 9 }, "a message under way from n1 to n0, sent at step 3, changed"},
		{func(s *scene) { s.memory.Items[0] = 9 }, `the memory of the monitor "watch" changed`},
	} {
		s := newScene(t)
		if got := s.step(func() { c.do(s) }); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestAuditReportsOwnChanges checks that Check reports whether the handler changed its own node, and that changes
// before Resume do not count.
func TestAuditReportsOwnChanges(t *testing.T) {
	s := newScene(t)
	if s.audit.Check(0, false) {
		t.Error("nothing changed")
	}
	s.nodes[0].Items[0] = 9
	if !s.audit.Check(0, false) {
		t.Error("node n0 changed")
	}
	s.nodes[1].Items[0], s.memory.Items[0] = 9, 9
	s.audit.Resume()
	if got := s.step(func() {}); got != "" {
		t.Error(got)
	}
}

// TestAuditOfHandedValues checks that a handler must not change a value after passing it to Env, until the next step
// begins.
func TestAuditOfHandedValues(t *testing.T) {
	for _, last := range []trace.EffectKind{trace.EffectSend, trace.EffectCrash} {
		s := newScene(t)
		value := &box{[]int{5}}
		effects := []trace.Effect{{Kind: trace.EffectPost, Value: value}}
		said := s.step(func() {
			s.audit.Hands(effects)
			value.Items[0] = 6
			effects[0].Kind = last
			s.audit.CheckHanded(effects)
		})
		if want := "the handler changed what it had handed over (send)"; strings.HasPrefix(said, want) != (last == trace.EffectSend) {
			t.Errorf("%s: %q", last, said)
		}
	}
}

// TestAuditOfValuesThatCannotBeCopied checks that the message shows how a value was before, even if the value cannot
// be copied: its texts are kept instead.
func TestAuditOfValuesThatCannotBeCopied(t *testing.T) {
	s, calls := newScene(t), 0
	value := &called{Items: []int{5}, Do: func() { calls++ }}
	if _, err := s.audit.walker.Copy(value); err == nil {
		t.Fatal("a function with variables of its own was copied")
	}
	effects := []trace.Effect{{Kind: trace.EffectPost, Value: value}}
	said := s.step(func() {
		s.audit.Hands(effects)
		value.Items[0] = 6
		s.audit.CheckHanded(effects)
	})
	if !strings.Contains(said, "Items: [5]") || !strings.Contains(said, "Items: [6]") {
		t.Error(said)
	}
}

// TestAuditOfProperties checks that a property must not change a node, and must give one answer in a state.
func TestAuditOfProperties(t *testing.T) {
	s, asked := newScene(t), 0
	for _, c := range []struct {
		holds func() bool
		want  string
	}{
		{func() bool { return true }, ""},
		{func() bool { asked++; return asked%2 == 0 }, `property "it" was false and then true in one state`},
		{func() bool { s.nodes[1].Items[0] = 9; return true }, `property "it" changed the state of n1: Items[0] was 2, is 9`},
	} {
		check := s.audit.Property(sight.Check{Name: "it", Holds: c.holds, Each: func(int) bool { return true }}, "property")
		if check.Each != nil {
			t.Error("a property that is audited must see the whole state")
		}
		if got := s.step(func() { check.Holds(); s.audit.Settle() }); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if s.audit.Property(sight.Check{}, "System.Within").Holds != nil {
		t.Error("a constraint that is not set got a function")
	}
}

// Of several properties that were asked in a state, the one that changed a node is named, with what it changed, and
// the nodes are those of the run again. If none does so again, all are named.
func TestAuditNamesTheProperty(t *testing.T) {
	ones := 0
	holds := func(*scene) bool { return true }
	write := func(k, v int) func(s *scene) bool {
		return func(s *scene) bool { s.audit.nodes.Nodes[k].Node.(*box).Items[0] = v; return true }
	}
	once := func(s *scene) bool {
		if ones++; ones == 1 {
			write(1, 9)(s)
		}
		return true
	}
	breaks := func(s *scene) bool {
		if s.audit.nodes.Nodes[1].Node.(*box).Items[0] == 9 {
			panic("broken")
		}
		return true
	}
	for _, c := range []struct {
		asked []func(*scene) bool
		want  string
	}{
		{[]func(*scene) bool{holds, holds}, ""},
		{[]func(*scene) bool{holds, write(1, 9), write(0, 8), holds}, `property "b" changed the state of n1: Items[0] was 2, is 9;`},
		{[]func(*scene) bool{write(0, 8), write(1, 9)}, `property "a" changed the state of n0: Items[0] was 1, is 8;`},
		{[]func(*scene) bool{write(1, 9), breaks}, `property "a" changed the state of n1: Items[0] was 2, is 9;`},
		{[]func(*scene) bool{holds, once}, `one of property "a", property "b" changed the state of n1: Items[0] was 2, is 9;`},
	} {
		s := newScene(t)
		said := s.step(func() {
			defer func() {
				if r := recover(); r == "broken" {
					s.audit.Settle()
				} else if r != nil {
					panic(r)
				}
			}()
			for k, holds := range c.asked {
				s.audit.Property(sight.Check{Name: string(rune('a' + k)), Holds: func() bool { return holds(s) }}, "property").Holds()
			}
			s.audit.Settle()
		})
		if (said == "") != (c.want == "") || !strings.HasPrefix(said, c.want) {
			t.Errorf("got %q, want %q", said, c.want)
		}
		for k, n := range s.audit.nodes.Nodes {
			if n.Node != any(s.nodes[k]) {
				t.Errorf("node n%d is not that of the run", k)
			}
		}
	}
}

// Nodes that cannot be copied are compared after each property.
func TestAuditOfNodesThatCannotBeCopied(t *testing.T) {
	s, calls := newScene(t), 0
	node := &called{Items: []int{5}, Do: func() { calls++ }}
	s.audit.nodes.Nodes[0].Replace(node)
	s.audit.Resume()
	holds := func() bool { return true }
	first := s.audit.Property(sight.Check{Name: "first", Holds: holds}, "property")
	writes := s.audit.Property(sight.Check{Name: "writes", Holds: func() bool { node.Items[0]++; return true }}, "property")
	if said := s.step(func() { first.Holds(); writes.Holds() }); !strings.HasPrefix(said, `property "writes" changed the state of n0: Items[0] was 5, is 7;`) {
		t.Error(said)
	}
}
