package merge

import (
	"macemc/internal/record"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// find returns the index of a recorded event of the i-th node among the events that are possible in the
// World, or -1 if it is not possible.
func (m *merger) find(v *record.Event, i int) int {
	kind := v.Kind
	return m.where(func(e *sim.Event) bool {
		if e.Kind != kind || e.Node.Index() != i {
			return false
		}
		switch kind {
		case sim.KindMessage:
			return e.From == v.From && e.Link == v.Link && m.same(e.Value, v.Value)
		case sim.KindError, sim.KindClear:
			return e.From == v.From
		case sim.KindRefused:
			return e.From == v.From && e.Link == sim.LinkTCP
		case sim.KindScript, sim.KindTask, sim.KindTimer, sim.KindAction:
			return m.same(e.Value, v.Value)
		}
		return true
	})
}

func (m *merger) where(is func(e *sim.Event) bool) int {
	for k := range m.w.Events.Count() {
		if e := m.w.Events.At(k); is(&e) {
			return k
		}
	}
	return -1
}

func (m *merger) same(a, b any) bool {
	x, errX := m.w.Walker().Sum(a)
	y, errY := m.w.Walker().Sum(b)
	return errX == nil && errY == nil && x == y
}

// step makes the World take the k-th of its possible events. It returns false if k is negative, or if the
// World does not take the event.
func (m *merger) step(k int) bool {
	m.pick = k
	if k < 0 || m.w.Step(m.record) != world.Stepped {
		return false
	}
	if m.said.recorded() != nil {
		m.said.end()
		m.effects = m.w.Run.Trace().Steps[len(m.w.Run.Trace().Steps)-1].Effects
	}
	return true
}

// cause makes the World take a fault of this kind, since the records show that it must have happened. The
// function is selects the fault among those that are possible. cause returns false if it selects none.
func (m *merger) cause(kind sim.Kind, is func(e *sim.Event) bool) bool {
	return m.faulty(m.where(func(e *sim.Event) bool { return e.Kind == kind && is(e) }))
}

// faulty makes the World take the k-th of its possible events, which is a fault, and counts it.
func (m *merger) faulty(k int) bool {
	if k < 0 {
		return false
	}
	m.said.hold()
	m.coins = nil
	m.out.fault()
	return m.step(k)
}

func (m *merger) take(i int) {
	n := m.nodes[i]
	e := n.next()
	switch e.Kind {
	case record.EntryLife:
		m.crash(i)
		n.pass()
		m.note(e)
	case record.EntryStep:
		m.takeStep(i, e)
	case record.EntryFailed:
		n.pass()
		if e.Step != nil {
			m.said = answered{step: e.Step}
			if !m.perform(i, &e.Step.Event) && !m.stopped {
				m.part(i, "a handler panicked (%s), and the simulation cannot take its event", e.Text)
				return
			}
			m.part(i, "a handler panicked (%s), and not in the simulation", e.Text)
		}
	default:
		n.pass()
		m.note(e)
	}
}

// crash ends the life of the i-th node in the World, if it has not ended yet.
func (m *merger) crash(i int) {
	n := m.nodes[i]
	n.dead = n.dead || m.cause(sim.KindCrash, func(e *sim.Event) bool { return e.Node.Index() == i })
}

func (m *merger) takeStep(i int, e *record.Entry) {
	n := m.nodes[i]
	m.said = answered{step: e.Step}
	if !m.perform(i, &e.Step.Event) {
		if !m.stopped {
			m.part(i, "the simulation does not let %s happen here", m.eventText(i, &e.Step.Event))
		}
		return
	}
	n.pass()
	n.dead = false
	if v := &e.Step.Event; (sim.Event{Kind: v.Kind, Value: v.Value}).Leaves() {
		m.out.step() // the record has no state to compare with
		return
	}
	m.sent(i, m.effects)
	m.compare(i, e, &m.said)
}

// perform makes the World take a recorded event of the i-th node, after the faults without which the event
// would not be possible.
func (m *merger) perform(i int, v *record.Event) bool {
	defer m.said.hold()
	switch {
	case v.Kind == sim.KindMessage && v.Link == sim.LinkUDP:
		return m.datagram(i, v)
	case v.Kind == sim.KindError || v.Kind == sim.KindRefused:
		return m.broken(i, v)
	default:
		return m.itself(m.find(v, i))
	}
}

// itself makes the World take the k-th of its possible events, which is the recorded one, with the
// recorded answers.
func (m *merger) itself(k int) bool {
	m.said.held = false
	return m.step(k)
}

// broken makes the World take the step in which the i-th node gets the error that a connection has ended, after
// the faults that this needs. It returns false if that is not possible.
func (m *merger) broken(i int, v *record.Event) bool {
	from := v.From.Index()
	hears := func(kind sim.Kind) bool {
		k := m.find(&record.Event{Kind: kind, From: v.From}, i)
		if k < 0 {
			return false
		}
		if kind != v.Kind {
			m.differ("n%d got the error that its connection to %s was %q, and in the simulation it can only be %q: the live node could not know whether the connection had delivered a message", i, v.From, word(v.Kind), word(kind))
		}
		return m.itself(k)
	}
	if p := m.nodes[from]; !p.dead && (p.next() == nil || p.next().Kind == record.EntryLife || p.next().Kind == record.EntryEnd) && v.Conn != 0 {
		if hears(v.Kind) {
			return true
		}
		m.crash(from)
	}
	first, second := sim.KindError, sim.KindRefused
	if v.Kind == sim.KindRefused {
		first, second = second, first
	}
	if hears(first) {
		return true
	}
	breaks := func() bool {
		a, b := min(i, from), max(i, from)
		return m.cause(sim.KindReset, func(e *sim.Event) bool { return e.Node.Index() == a && e.From.Index() == b }) && hears(sim.KindError)
	}
	if v.Kind == sim.KindError && breaks() || hears(second) {
		return true
	}
	if v.Kind == sim.KindRefused && v.Conn != 0 && breaks() { // the connection broke, and the live node could not know whether it had delivered a message
		return true
	}
	if p := m.nodes[from]; p.next() == nil && !p.dead {
		m.crash(from)
		if hears(first) || hears(second) {
			return true
		}
	}
	// The peer does not listen, or a partition separates the two until the node gets the error.
	side := uint64(1) << i
	if side&1 == 0 {
		side = ^side & (1<<m.params.Nodes - 1)
	}
	if m.cause(sim.KindPartition, func(e *sim.Event) bool { return e.Value == sim.Split{Side: side} }) {
		heard := hears(first) || hears(second)
		return m.cause(sim.KindMend, func(*sim.Event) bool { return true }) && heard
	}
	return false
}

func word(kind sim.Kind) string {
	if kind == sim.KindError {
		return "reset"
	}
	return "refused"
}

// datagram makes the World take the arrival of a recorded datagram at the i-th node. If the datagram arrives
// several times, the World duplicates it first; if older ones are before it, the delivery is a reordering.
func (m *merger) datagram(i int, v *record.Event) bool {
	at := arrival{v.Life, v.Serial, i}
	number := m.numbers[at]
	delete(m.numbers, at)
	if m.rest[at] > 1 {
		if !m.meets(sim.KindDuplicate, number) {
			return false
		}
		steps := m.w.Run.Trace().Steps
		m.numbers[at] = int32(steps[len(steps)-1].Copy)
	}
	m.rest[at]--
	k := m.taking(sim.KindMessage, number)
	if k < 0 {
		if k = m.taking(sim.KindReorder, number); k < 0 {
			return false
		}
		m.out.fault()
	}
	return m.itself(k)
}

// taking returns the index, among the World's possible events, of the one of a kind that takes the
// datagram with a number, or -1.
func (m *merger) taking(kind sim.Kind, number int32) int {
	for k := range m.w.Events.Count() {
		if m.w.Events.Look(k).Kind == kind && m.w.Events.Number(k) == number {
			return k
		}
	}
	return -1
}

// meets makes the World take a fault of a kind that hits the datagram with a number. It returns false if
// there is none.
func (m *merger) meets(kind sim.Kind, number int32) bool { return m.faulty(m.taking(kind, number)) }

// sent records the messages that a step of the i-th node has sent, and makes the World lose datagrams
// that, according to the records, never arrive.
func (m *merger) sent(i int, effects []trace.Effect) {
	n := m.nodes[i]
	for k := range effects {
		e := &effects[k]
		if e.Kind != trace.EffectSend {
			continue
		}
		serial := n.send()
		if e.Link != sim.LinkUDP {
			continue
		}
		if e.Lost {
			m.differ("n%d sent more datagrams to %s than may be under way in the simulation", i, e.To)
			continue
		}
		if at := (arrival{n.life, serial, e.To.Index()}); m.rest[at] == 0 {
			m.meets(sim.KindLose, e.Number)
		} else {
			m.numbers[at] = e.Number
		}
	}
}
