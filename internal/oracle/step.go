package oracle

import (
	"fmt"
	"maps"
	"slices"

	"macemc/internal/spec"
)

// An event is something that can happen in a state. take carries it out.
type event struct {
	label string // its identity in paths
	rare  bool   // it is a fault, or has weight 0
	waits bool   // it is a message on a slow link
	late  bool   // messages on slow links do not wait for this event
	take  func(r *run)
}

// A step is an event that happened, with the answers to the coins of its handler.
type step struct {
	label string
	rare  bool
	coins []coin
	to    *state
	wrong *wrong // the failure within it, or nil; then to is not a state
}

// coin is a random choice that was made in a step. pick is the chosen alternative, of is the
// number of alternatives, and what describes the chosen one.
type coin struct {
	of, pick int
	what     string
}

// wrong is a failure: its verdict and its property, in the words of a search.
type wrong struct{ Verdict, Property string }

// run is a step that is being taken from state s.
type run struct {
	spec   *spec.Spec
	s      *state
	given  []int // the answers to its first coins; all further answers are 0
	coins  []coin
	wrong  *wrong // the failure that a monitor found
	broken bool   // a handler failed
	opens  bool   // the nodes are being started, so none of them crashes

	effects []effect // the effects of the handler so far
	seen    func(feature string)
}

// ask makes a random choice (a coin) among n alternatives, and returns the chosen one. what(k)
// describes alternative k. If n is 1, ask returns 0, and the choice is not recorded.
func (r *run) ask(n int, what func(k int) string) int {
	if n == 1 {
		return 0
	}
	k := 0
	if len(r.coins) < len(r.given) {
		k = r.given[len(r.coins)]
	}
	r.coins = append(r.coins, coin{n, k, what(k)})
	return k
}

// each takes a step from a state once for each combination of answers to its coins. It
// calls take to take the step, and then do with the result.
func (m *Model) each(from *state, take func(r *run), do func(r *run)) {
	for given := []int(nil); ; {
		r := &run{spec: m.spec, s: from.clone(), given: given, seen: m.seen}
		take(r)
		do(r)
		last := len(r.coins) - 1
		for last >= 0 && r.coins[last].pick+1 == r.coins[last].of {
			last--
		}
		if last < 0 {
			return
		}
		given = nil
		for _, c := range r.coins[:last+1] {
			given = append(given, c.pick)
		}
		given[last]++
	}
}

// steps returns all steps that are possible in a state, and the number of their events.
func (m *Model) steps(s *state) (all []step, events int) {
	list := m.events(s)
	for _, e := range list {
		m.each(s, e.take, func(r *run) {
			all = append(all, step{e.label, e.rare, r.coins, r.s, m.judged(s, r)})
		})
	}
	return all, len(list)
}

// judged returns the failure of step r, or nil. before is the state before the step.
func (m *Model) judged(before *state, r *run) *wrong {
	switch {
	case r.broken:
		return &wrong{"panic", ""}
	case r.wrong != nil:
		return r.wrong
	case m.spec.Step != nil && r.s.sum() > before.sum()+*m.spec.Step:
		return &wrong{"safety", "steps"}
	}
	return nil
}

// events returns the events that can happen in a state.
func (m *Model) events(s *state) (all []event) {
	add := func(kind string, value int, label string, take func(r *run)) {
		all = append(all, event{label: label, rare: m.spec.IsRare(kind, value), late: kind == "timer", take: func(r *run) {
			r.seen(kind)
			take(r)
		}})
	}
	fault := func(kind string, at [2]int, budget func(*spec.Budgets) *int, label string, take func(r *run)) {
		if *budget(&s.Left) == 0 || !allows(m.spec, kind, at) {
			return
		}
		all = append(all, event{label: label, rare: true, late: true, take: func(r *run) {
			r.seen(kind)
			if b := budget(&r.s.Left); *b > 0 {
				*b--
			}
			take(r)
		}})
	}
	for i := range s.Nodes {
		m.ofNode(s, i, add, fault)
		for j := range s.Nodes {
			slow := func(kind string, value int, label string, take func(r *run)) {
				add(kind, value, label, take)
				all[len(all)-1].waits = kind == "message" && m.spec.IsSlow(i, j)
			}
			m.ofTCP(s, i, j, slow, fault)
			m.ofUDP(s, i, j, slow, fault)
			begin := len(all)
			m.ofSet(s, i, j, add)
			for k := range all[begin:] {
				all[begin+k].late, all[begin+k].waits = true, m.spec.IsSlow(i, j)
			}
			m.ofBag(s, i, j, slow)
		}
	}
	if s.Cut.Side != nil {
		add("mend", -1, "mend", func(r *run) { r.s.mend() })
	} else {
		m.ofCuts(fault)
	}
	if slices.ContainsFunc(all, func(e event) bool { return !e.waits && !e.late }) {
		before := len(all)
		if all = slices.DeleteFunc(all, func(e event) bool { return e.waits }); len(all) < before {
			m.seen("waits on a slow link")
		}
	}
	return all
}

type (
	adder  = func(kind string, value int, label string, take func(r *run))
	faulty = func(kind string, at [2]int, budget func(*spec.Budgets) *int, label string, take func(r *run))
)

// ofNode adds the events of node i that need no message: its own events, and faults such as
// its crash.
func (m *Model) ofNode(s *state, i int, add adder, fault faulty) {
	n := s.Nodes[i]
	if n.Life == crashed {
		add("restart", -1, fmt.Sprintf("n%d restart", i), func(r *run) {
			r.s.Nodes[i].restart(m.spec, i)
			r.on(i, spec.OnInit, 0)
		})
	}
	if n.Life == absent {
		add("script", -1, fmt.Sprintf("n%d script Join{}", i), func(r *run) {
			r.seen("join")
			r.s.Nodes[i].join()
			r.on(i, spec.OnInit, 0)
		})
	}
	if n.Life != up {
		return
	}
	if n.Paused {
		add("resume", -1, fmt.Sprintf("n%d resume", i), func(r *run) { r.s.Nodes[i].resume() })
	} else {
		m.ofSelf(s, i, add)
		fault("pause", [2]int{i, i}, func(b *spec.Budgets) *int { return &b.Pause }, fmt.Sprintf("n%d pause", i), func(r *run) { r.s.Nodes[i].pause() })
	}
	fault("crash", [2]int{i, i}, func(b *spec.Budgets) *int { return &b.Crash }, fmt.Sprintf("n%d crash", i), func(r *run) {
		r.die(i, crashed)
		r.survive(i)
	})
	fault("down", [2]int{i, i}, func(b *spec.Budgets) *int { return &b.Down }, fmt.Sprintf("n%d down", i), func(r *run) { r.die(i, down) })
	fault("wipe", [2]int{i, i}, func(b *spec.Budgets) *int { return &b.Wipe }, fmt.Sprintf("n%d wipe", i), func(r *run) {
		r.die(i, crashed)
		r.s.Nodes[i].wipe(r.spec, i)
	})
}

// ofSelf adds the events that node i causes by itself, such as timers and tasks.
func (m *Model) ofSelf(s *state, i int, add adder) {
	n := s.Nodes[i]
	switch v := firstOf(n.Script); {
	case v == nobody:
	case v == spec.Leaves:
		add("script", -1, fmt.Sprintf("n%d script Leave{}", i), func(r *run) {
			r.seen("leave")
			r.die(i, down)
		})
	case m.spec.Waiting(i, n.At, v):
		m.seen("opening waits")
	default:
		add("script", v, fmt.Sprintf("n%d script order(%d)", i, v), func(r *run) {
			r.s.Nodes[i].opening()
			r.on(i, spec.OnOrder, v)
		})
	}
	for deed := range 2 * spec.Values {
		if m.gathers(s, i, deed) {
			add("action", deed, fmt.Sprintf("n%d action deed(%d)", i, deed), func(r *run) {
				r.seen("gathered")
				r.on(i, spec.OnDeed, deed)
			})
		}
	}
	for _, o := range m.spec.Offers {
		if o.Node == i && o.At == n.At {
			add("action", o.Deed, fmt.Sprintf("n%d action deed(%d)", i, o.Deed), func(r *run) { r.on(i, spec.OnDeed, o.Deed) })
		}
	}
	if m.spec.Layered && n.Passed == 2 {
		add("action", -1, fmt.Sprintf("n%d action forget{}", i), func(r *run) { r.s.Nodes[i].forget() })
	}
	for _, v := range keys(n.Tasks) {
		add("task", v, fmt.Sprintf("n%d task chore(%d)", i, v), func(r *run) {
			r.s.Nodes[i].perform(v)
			r.on(i, spec.OnChore, v)
		})
	}
	for _, v := range keys(n.Timers) {
		early := m.busy(s, i) && s.Early >= 0
		if early && s.Early == 0 {
			m.seen("timer held back")
			continue
		}
		if m.spec.Paced() != nil && !n.Clock.first(v) {
			m.seen("timer out of order")
			continue
		}
		add("timer", v, fmt.Sprintf("n%d timer ring(%d)", i, v), func(r *run) {
			if early {
				r.s.fireEarly()
			}
			r.s.Nodes[i].fire(v, m.spec.Paced() != nil)
			r.on(i, spec.OnRing, v)
		})
	}
	if n.Flushing && m.flushed(s, i) {
		add("flushed", -1, fmt.Sprintf("n%d flushed", i), func(r *run) {
			r.s.Nodes[i].flushed()
			r.on(i, spec.OnFlushed, 0)
		})
	}
}

// gathers reports whether node i may take the action deed: its message is in the node's
// set, and no partition keeps it away.
func (m *Model) gathers(s *state, i, deed int) bool {
	for _, g := range m.spec.Gathers {
		if g.Node != i || g.Deed != deed || g.At != s.Nodes[i].At {
			continue
		}
		for j := range s.Nodes {
			if slices.Contains(s.Set[j][i], g.Word) && !s.Cut.bars(j, i) {
				return true
			}
		}
	}
	return false
}

const nobody = -9

// firstOf returns the first request of a script. If the script is empty, it returns nobody, which
// is no request.
func firstOf(script []int) int {
	if len(script) == 0 {
		return nobody
	}
	return script[0]
}

func keys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// busy reports whether a message is under way to or from a node.
func (m *Model) busy(s *state, i int) bool {
	for j := range s.Nodes {
		if len(s.TCP[i][j].Queue)+len(s.TCP[j][i].Queue)+len(s.UDP[i][j])+len(s.UDP[j][i])+len(s.Bag[i][j])+len(s.Bag[j][i]) > 0 {
			return true
		}
	}
	return false
}

// flushed reports whether all queues of a node are empty. Errors do not count.
func (m *Model) flushed(s *state, i int) bool {
	for j := range s.Nodes {
		if len(s.TCP[i][j].Queue) > 0 {
			return false
		}
	}
	return true
}

// die makes node i fail: its connections are reset; its timers, its tasks and the rest of
// its script are lost.
func (r *run) die(i int, as life) {
	for j := range r.s.Nodes {
		r.s.close(i, j)
	}
	r.s.Nodes[i] = r.s.Nodes[i].dead(r.spec, i, as)
}

// ofTCP adds the events of the messages from i to j on TCP, and of their connection.
func (m *Model) ofTCP(s *state, i, j int, add adder, fault faulty) {
	e := s.TCP[i][j]
	barred, listens := s.Cut.bars(i, j), s.Nodes[j].Life == up
	barred = barred || !e.Open && s.Cut.bars(j, i) // a request needs an answer
	switch {
	case !s.deliverable(i, j):
	case listens && !barred && s.Nodes[j].Paused:
		m.seen("waits for a paused node")
	case listens && !barred:
		v := e.Queue[0]
		if !m.spec.Layered && m.spec.Declined(j, s.Nodes[j].At, i, v) {
			m.seen("declined by tcp")
			break
		}
		label, value := fmt.Sprintf("word(%d)", v), v
		if m.spec.Layered {
			label, value = fmt.Sprintf("packet{Inner: word(%d)}", v), -1
		}
		add("message", value, fmt.Sprintf("n%d message %s from n%d by tcp", j, label, i), func(r *run) {
			r.seen("message by tcp")
			r.s.pop(i, j)
			if m.spec.Layered {
				r.s.Nodes[j].pass()
			}
			r.hear(j, i, v)
		})
	case !e.Open && s.Nodes[i].Paused: // nobody to receive it
	case !e.Open: // nobody can be reached there: all that is queued is lost
		add("refused", -1, fmt.Sprintf("n%d refused by n%d", i, j), func(r *run) {
			r.s.TCP[i][j].drop()
			r.on(i, spec.OnError, 1)
		})
	default:
		m.seen("waits across a partition")
	}
	if s.TCP[j][i].Error && !s.Nodes[i].Paused {
		add("error", -1, fmt.Sprintf("n%d error with n%d", i, j), func(r *run) {
			r.s.hear(i, j)
			r.on(i, spec.OnError, 0)
		})
	}
	if e.Asked && !s.Nodes[i].Paused && len(e.Queue) < m.spec.TCPBuffer {
		add("clear to send", -1, fmt.Sprintf("n%d clear to send to n%d", i, j), func(r *run) {
			r.s.TCP[i][j].asked()
			r.on(i, spec.OnClear, 0)
		})
	}
	if i < j && s.breakable(i, j) {
		if s.Cut.bars(i, j) || s.Cut.bars(j, i) {
			add("break", -1, fmt.Sprintf("n%d break with n%d", i, j), func(r *run) { r.s.tear(i, j) })
		}
		fault("reset", [2]int{i, j}, func(b *spec.Budgets) *int { return &b.Reset }, fmt.Sprintf("n%d reset with n%d", i, j), func(r *run) { r.s.tear(i, j) })
	}
}

// ofUDP adds the events of the datagrams from i to j.
func (m *Model) ofUDP(s *state, i, j int, add adder, fault faulty) {
	q := s.UDP[i][j]
	listens, awake := s.Nodes[j].Life == up && !s.Cut.bars(i, j), !s.Nodes[j].Paused
	without := func(r *run, k int) { r.s.arrive(i, j, k) }
	for k, v := range q {
		what := fmt.Sprintf("word(%d) from n%d", v, i)
		place := what
		if k > 0 {
			place = fmt.Sprintf("%s (place %d)", what, k+1)
		}
		accepts := awake && !m.spec.Declined(j, s.Nodes[j].At, i, v)
		switch {
		case k == 0 && !listens:
			add("refused", v, fmt.Sprintf("n%d unreached by %s", j, what), func(r *run) {
				r.seen("unreached")
				without(r, 0)
			})
		case k == 0 && accepts:
			add("message", v, fmt.Sprintf("n%d message %s by udp", j, what), func(r *run) {
				r.seen("message by udp")
				without(r, 0)
				r.hear(j, i, v)
			})
		case k > 0 && listens && accepts:
			fault("reorder", [2]int{i, j}, func(b *spec.Budgets) *int { return &b.Reorder }, fmt.Sprintf("n%d reorder %s", j, place), func(r *run) {
				without(r, k)
				r.hear(j, i, v)
			})
		}
		fault("lose", [2]int{i, j}, func(b *spec.Budgets) *int { return &b.Loss }, fmt.Sprintf("n%d lose %s", j, place), func(r *run) { without(r, k) })
		if len(q) < m.spec.UDPCapacity {
			fault("duplicate", [2]int{i, j}, func(b *spec.Budgets) *int { return &b.Dup }, fmt.Sprintf("n%d duplicate %s", j, place), func(r *run) {
				r.s.sent(i, j, v, m.spec.UDPCapacity)
			})
		}
	}
}

// ofSet adds the deliveries of the messages in sets, which stay for ever.
func (m *Model) ofSet(s *state, i, j int, add adder) {
	for _, v := range s.Set[i][j] {
		if s.Nodes[j].Life != up || s.Nodes[j].Paused || m.spec.Declined(j, s.Nodes[j].At, i, v) {
			continue
		}
		if s.Cut.bars(i, j) {
			m.seen("barred by set")
			continue
		}
		add("message", v, fmt.Sprintf("n%d message word(%d) from n%d by set", j, v, i), func(r *run) {
			r.seen("message by set")
			r.hear(j, i, v)
		})
	}
}

// ofBag adds the deliveries of the messages in bags. Each is delivered once, in any order, and waits until it
// can be.
func (m *Model) ofBag(s *state, i, j int, add adder) {
	for k, v := range s.Bag[i][j] {
		if k > 0 && s.Bag[i][j][k-1] == v { // an equal message is an event already
			continue
		}
		if s.Nodes[j].Life != up || s.Nodes[j].Paused || m.spec.Declined(j, s.Nodes[j].At, i, v) || s.Cut.bars(i, j) {
			m.seen("waits in a bag")
			continue
		}
		add("message", v, fmt.Sprintf("n%d message word(%d) from n%d by bag", j, v, i), func(r *run) {
			r.seen("message by bag")
			r.s.unbag(i, j, k)
			r.hear(j, i, v)
		})
	}
}

// nowhere is the place of an event that is at no node.
var nowhere = [2]int{-1, -1}

var faultsOf = map[string]string{"lose": "loss", "duplicate": "dup"} // by kind of event: the name of its fault, if that is another word

// limitOf returns the nodes and links to which the spec limits a fault, and whether it
// does.
func limitOf(s *spec.Spec, fault string) (places [][2]int, limited bool) {
	for _, l := range s.Only {
		if l.Fault == fault {
			return l.Places, true
		}
	}
	return nil, false
}

// allows reports whether a limited fault may happen at a place. A limit to a node allows the node and all of
// its links; a limit to a link allows this link, in both directions.
func allows(s *spec.Spec, kind string, at [2]int) bool {
	if name, other := faultsOf[kind]; other {
		kind = name
	}
	places, limited := limitOf(s, kind)
	if !limited || at == nowhere {
		return true
	}
	for _, p := range places {
		if p[0] == p[1] && (p[0] == at[0] || p[0] == at[1]) || p == at || p == [2]int{at[1], at[0]} {
			return true
		}
	}
	return false
}

// cutsOff reports whether a partition cuts off only nodes to which the fault is limited.
func cutsOff(s *spec.Spec, fault string, group []bool) bool {
	places, limited := limitOf(s, fault)
	for i, in := range group {
		if limited && in && !slices.Contains(places, [2]int{i, i}) {
			return false
		}
	}
	return true
}

func not(group []bool) (rest []bool) {
	for _, in := range group {
		rest = append(rest, !in)
	}
	return rest
}

// ofCuts adds the partitions that may happen, each of which divides the nodes into two
// groups.
func (m *Model) ofCuts(fault faulty) {
	n := m.spec.Nodes
	for side := 1; side < 1<<n-1; side++ {
		in, out := make([]bool, n), ""
		left := ""
		for i := range n {
			if in[i] = side&(1<<i) != 0; in[i] {
				left += fmt.Sprintf("n%d ", i)
			} else {
				out += fmt.Sprintf(" n%d", i)
			}
		}
		if in[0] && (cutsOff(m.spec, "partition", in) || cutsOff(m.spec, "partition", not(in))) {
			fault("partition", nowhere, func(b *spec.Budgets) *int { return &b.Partition }, "partition "+left+"|"+out, func(r *run) { r.s.Cut = cut{Side: in} })
		}
		if cutsOff(m.spec, "oneway", in) {
			fault("one-way partition", nowhere, func(b *spec.Budgets) *int { return &b.OneWay }, "one-way partition "+left+"cannot reach"+out, func(r *run) { r.s.Cut = cut{Side: in, OneWay: true} })
		}
	}
}

// hear delivers message v to a node.
func (r *run) hear(node, from, v int) {
	if r.spec.Hears() {
		r.s.Nodes[node].Heard[from] = v
	}
	r.on(node, spec.OnWord, v)
}

// on makes a node follow its rule for an occasion, such as the delivery of a message. value
// is the message, timer or the like.
func (r *run) on(node int, occasion string, value int) {
	var before *state
	if !r.opens && (r.spec.Stores() || r.spec.Midstep) {
		before = r.s.clone()
	}
	r.effects = nil
	for _, op := range r.spec.Ops(node, occasion, value, r.s.Nodes[node].At) {
		if r.do(node, op); r.broken {
			return
		}
	}
	n := &r.s.Nodes[node]
	n.Clock.settle()
	n.renumber()
	if before != nil {
		r.handled(node, before)
	}
}

// renumber replaces the node's two marks, which are readings of the monotone clock, by 1 and 2 in
// the same order. So states in which only the values of the marks differ are equal.
func (n *nodeState) renumber() {
	a, b := n.Marks[0], n.Marks[1]
	switch {
	case a == 0 || b == 0:
		n.Marks = [2]int{min(a, 1), min(b, 1)}
	case a < b:
		n.Marks = [2]int{1, 2}
	default:
		n.Marks = [2]int{2, 1}
	}
}

// before performs the operation that compares the node's two times. A time that was not
// read is before every other.
func (r *run) before(n *nodeState, op spec.Op, move func(int)) {
	at := func(x int) (point int, is bool) {
		if x == 2 {
			n.Clock.read(r.spec.Paced())
			return last, true
		}
		return time0 + x, n.Clock.There[time0+x]
	}
	a, isA := at(op.X)
	b, isB := at(op.To)
	if !isA || !isB {
		if isB {
			move(1)
		}
		return
	}
	yes, no := n.Clock.may(a, b)
	if yes && no {
		r.seen("a comparison is a choice")
		sides, weights := []int{0, 1}, op.Weights
		if weights != nil {
			sides = r.sides(weights)
		}
		k := sides[r.ask(len(sides), func(k int) string { return "" })]
		if yes = k == 1; weights != nil && r.spend(weights[k]) {
			r.seen("a comparison falls on a rare side")
		}
	} else {
		r.seen("a comparison is settled")
	}
	n.Clock.answer(a, b, yes)
	if yes {
		move(1)
	}
}

func (r *run) do(node int, op spec.Op) {
	n := &r.s.Nodes[node]
	move := func(by int) { n.move(by, r.spec) }
	if n.does(op) {
		return
	}
	switch op.Verb {
	case spec.Send:
		r.send(node, op, move)
	case spec.After:
		if r.spec.Paced() != nil {
			n.Clock.set(op.X, 2+2*op.To, r.spec.Paced())
		}
		r.does(effect{do: func() { r.s.Nodes[node].arm(op.X) }})
	case spec.Cancel:
		n.Clock.drop(ring0 + op.X)
		r.does(effect{do: func() { r.s.Nodes[node].disarm(op.X) }})
	case spec.Read:
		n.Clock.read(r.spec.Paced())
		n.Clock.copyTo(time0+op.X, last, op.To)
	case spec.Forget:
		n.Clock.drop(time0 + op.X)
	case spec.Before:
		r.before(n, op, move)
	case spec.Older:
		if n.Marks[0] < n.Marks[1] {
			move(1)
		}
	case spec.Scheduled:
		if n.Timers[op.X] {
			move(1)
		}
	case spec.Post:
		if n.Fuel > 0 {
			n.burn()
			r.does(effect{do: func() { r.s.Nodes[node].post(op.X) }})
		}
	case spec.Choose:
		move(r.ask(op.X, func(k int) string { return fmt.Sprintf("where to: %d", k) }))
	case spec.Weigh:
		r.weigh(op.Weights, move)
	case spec.Emit:
		r.does(effect{text: fmt.Sprintf("emit %d", op.X), do: func() { r.emit(op.X) }, cut: true, after: true})
	case spec.Reset:
		r.seen("reset by a handler")
		r.does(effect{do: func() { r.s.close(node, op.To) }, after: true})
	case spec.Ask:
		r.does(effect{do: func() { r.s.TCP[node][op.To].ask() }})
	case spec.Flush:
		r.does(effect{do: func() { r.s.Nodes[node].flush() }})
	case spec.Put, spec.Delete, spec.Append, spec.Truncate, spec.SyncKeys, spec.SyncFile:
		r.stores(node, op, move)
	case spec.Recall:
		move(n.Disk.letters())
	case spec.List:
		for _, v := range n.Disk.all().Keys {
			move(min(len(v), 1))
		}
	case spec.Say:
		r.seen("a line for the trace")
	case spec.Fail:
		r.broken = true
	default:
		panic("macemc bug: oracle: no verb " + op.Verb)
	}
}

func (r *run) send(node int, op spec.Op, move func(int)) {
	n := &r.s.Nodes[node]
	what := fmt.Sprintf("word(%d)", op.X)
	if op.Link == "tcp" && r.spec.Layered {
		what = fmt.Sprintf("packet{Inner: word(%d)}", op.X)
	}
	puts := func(do func()) {
		r.does(effect{text: fmt.Sprintf("send %s to n%d by %s", what, op.To, op.Link), do: do, cut: true, after: true})
	}
	if op.Link == "set" {
		puts(func() { r.s.include(node, op.To, op.X) })
		return
	}
	if n.Fuel == 0 {
		return
	}
	switch op.Link {
	case "bag":
		puts(func() { r.s.bag(node, op.To, op.X) })
	case "udp":
		puts(func() {
			if !r.s.sent(node, op.To, op.X, r.spec.UDPCapacity) {
				r.seen("datagram too many")
			}
		})
	default:
		if len(r.s.TCP[node][op.To].Queue) >= r.spec.TCPBuffer {
			r.seen("send refused")
			r.does(effect{do: func() {}})
			move(1)
			return
		}
		puts(func() { r.s.TCP[node][op.To].queue(op.X) })
	}
	n.burn()
}

// sides returns the sides on which a coin with these weights may fall. Sides of weight 0
// are possible while the budget of rare ones lasts.
func (r *run) sides(weights []int) (sides []int) {
	for k, w := range weights {
		if w > 0 || r.s.Left.Rare != 0 {
			sides = append(sides, k)
		}
	}
	return sides
}

// spend reports whether a side of this weight is rare, and if so, takes one from the
// budget.
func (r *run) spend(weight int) (rare bool) {
	if weight == 0 {
		r.s.payRare()
	}
	return weight == 0
}

func (r *run) weigh(weights []int, move func(int)) {
	sides := r.sides(weights)
	k := sides[r.ask(len(sides), func(k int) string { return fmt.Sprintf("how far: %d (weight %d)", sides[k], weights[sides[k]]) })]
	if r.spend(weights[k]) {
		r.seen("rare side")
	}
	move(k)
}

func (r *run) emit(fact int) {
	if !r.spec.Monitored || r.wrong != nil {
		return
	}
	r.s.count(fact)
	if r.spec.Limit && r.s.Facts[0] == 2 && r.s.Facts[1] == 1 {
		r.wrong = &wrong{"safety", "monitor"}
	}
}
