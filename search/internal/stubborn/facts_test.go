package stubborn

import "testing"

// A small system: node 0 may start, and then sends to node 1 by a bag; node 1 answers; node 2 does
// something of its own.
func small() (f *Facts, start, ask, answer, own Class) {
	f = NewFacts(3)
	start, ask, answer, own = f.NewClass(0, -1), f.NewClass(1, -1), f.NewClass(0, -1), f.NewClass(2, -1)
	return f, start, ask, answer, own
}

func pending(n int, all ...[2]int) *Situation {
	s := &Situation{Pending: make([]Set, n)}
	for _, p := range all {
		s.Pending[p[0]].Add(p[1])
	}
	return s
}

func TestSendersAreAdded(t *testing.T) {
	f, start, ask, _, own := small()
	s := pending(3, [2]int{0, start}, [2]int{1, ask}, [2]int{2, own})
	if p, is := f.Least(s, 1); !is || p != One(1) {
		t.Errorf("nothing is known of who sends to node 1, and its set is %b, %v", p, is)
	}
	before := f.Version()
	f.Brings([]Class{start}, ask)
	if f.Version() == before {
		t.Error("an observation that is new does not change the version")
	}
	if f.Suffices(s, One(1)) {
		t.Error("node 1 suffices though node 0 may send to it")
	}
	if p, is := f.Least(s, 1); !is || p != One(0)|One(1) {
		t.Errorf("the set around node 1 is %b, %v, and should have its sender", p, is)
	}
	if p, is := f.Least(s, 2); !is || p != One(2) {
		t.Errorf("the set around node 2 is %b, %v", p, is)
	}
}

// A message counts if it is not pending yet and may be sent by an event that is.
func TestChainsAreFollowed(t *testing.T) {
	f, start, ask, answer, own := small()
	f.Brings([]Class{start}, ask)
	f.Brings([]Class{ask}, own)
	f.Brings([]Class{own}, answer)
	s := pending(3, [2]int{0, start}, [2]int{2, own})
	if f.Suffices(s, One(2)) {
		t.Error("node 2 suffices though node 0 may send to node 1, which then sends to it")
	}
	if !f.Suffices(pending(3, [2]int{2, own}), One(2)) {
		t.Error("node 2 does not suffice though nothing is pending for the others")
	}
}

// A message behind another one of the same channel changes nothing that is possible now.
func TestHeldChannels(t *testing.T) {
	f := NewFacts(2)
	start, message := f.NewClass(0, -1), f.NewClass(1, 7)
	f.Brings([]Class{start}, message)
	s := pending(2, [2]int{0, start}, [2]int{1, message})
	if f.Suffices(s, One(1)) {
		t.Error("node 1 suffices though its channel may get its first message")
	}
	s.Held.Add(7)
	if !f.Suffices(s, One(1)) {
		t.Error("node 1 does not suffice though its channel has a message that comes first")
	}
}

// An event that takes several messages brings something about only if all may be there.
func TestJointEvents(t *testing.T) {
	f := NewFacts(2)
	a, b, reply := f.NewClass(0, -1), f.NewClass(0, -1), f.NewClass(1, -1)
	f.Brings([]Class{a, b}, reply)
	if !f.Suffices(pending(2, [2]int{0, a}, [2]int{1, reply}), One(1)) {
		t.Error("node 1 does not suffice though the second message of the event cannot come")
	}
	if f.Suffices(pending(2, [2]int{0, a}, [2]int{0, b}, [2]int{1, reply}), One(1)) {
		t.Error("node 1 suffices though both messages of the event are there")
	}
}

func TestBarredAndVisible(t *testing.T) {
	f, start, ask, _, own := small()
	s := pending(3, [2]int{0, start}, [2]int{1, ask}, [2]int{2, own})
	f.See([]Class{ask})
	if f.Suffices(s, One(1)) || !f.Suffices(s, One(2)) {
		t.Error("a visible kind keeps its own node from sufficing, and no other")
	}
	f.Bar([]Class{start})
	if f.Suffices(s, One(2)) {
		t.Error("node 2 suffices though others may do what is barred")
	}
}

func TestAllNodesAreNoAnswer(t *testing.T) {
	f := NewFacts(1)
	only := f.NewClass(0, -1)
	if _, is := f.Least(pending(1, [2]int{0, only}), 0); is {
		t.Error("the set of all nodes is an answer")
	}
	if All(NodesMost) != ^Nodes(0) || All(3).Len() != 3 {
		t.Error("All does not return as many nodes as it is asked for")
	}
}
