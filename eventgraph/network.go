package eventgraph

import (
	"fmt"
	"strings"

	"macemc/internal/wording"
	"macemc/sim"
	"macemc/trace"
)

// builder builds the points of a graph from the steps of a trace, and follows each message, timer and
// connection.
type builder struct {
	g     *Graph
	write func(any) string

	last   []int          // the last point of each lane
	under  map[int]parcel // the messages under way, and those in a set, by number
	timers []map[string]effect
	tasks  []map[string][]effect
	room   map[channel]int // the last point that took a message from each queue
	opened map[pair]int
	broke  map[pair]breach
	down   []int // by lane: the point in which the node went down, or none
	cut    int   // the point in which the partition began, or none
}

// channel is one direction between two nodes, which are given by their lanes.
type channel struct {
	link     sim.Link
	from, to int
}

// parcel is a message under way. copied is the point in which a fault copied it, or none.
type parcel struct{ message, copied int }

// effect identifies an effect of a step: it is the one with index did in the list of the point.
type effect struct{ point, did int }

type pair struct{ a, b int }

// breach is a broken connection. at is the point in which it broke. deaf has the lanes of those of
// its two nodes that do not know of it yet.
type breach struct {
	at   int
	deaf map[int]bool
}

func pairOf(a, b int) pair { return pair{min(a, b), max(a, b)} }

func newBuilder(g *Graph, write func(any) string) *builder {
	n := len(g.nodes)
	b := &builder{
		g: g, write: write, cut: none,
		last: make([]int, n), down: make([]int, n),
		timers: make([]map[string]effect, n), tasks: make([]map[string][]effect, n),
		under: map[int]parcel{}, room: map[channel]int{},
		opened: map[pair]int{}, broke: map[pair]breach{},
	}
	for i := range n {
		b.last[i], b.down[i] = none, none
		b.timers[i], b.tasks[i] = map[string]effect{}, map[string][]effect{}
	}
	return b
}

// add adds the point of the next start or step of the run.
func (b *builder) add(s *trace.Step) {
	at := len(b.g.points)
	b.g.points = append(b.g.points, point{
		Step: s, lane: network, prev: none, text: clean(s.Shown(b.write)),
	})
	p := &b.g.points[at]
	for _, c := range s.Coins {
		p.coins = append(p.coins, clean(c.What))
	}
	if lane := b.g.lane(s.Node); lane >= 0 && !environments(s.Event) {
		p.lane, p.prev = lane, b.last[lane]
		b.last[lane] = at
	}
	b.consume(at, p)
	for i := range s.Effects {
		b.effect(at, p, &s.Effects[i])
	}
	for _, number := range s.Lost {
		b.drop(at, p, number)
	}
}

// consume records which messages the event of point at took from the network, and adds the causes
// of the event to p.
func (b *builder) consume(at int, p *point) {
	e := p.Event
	node, peer := b.g.lane(e.Node), b.g.lane(e.From)
	switch e.Kind {
	case sim.KindScript:
		if e.Leaves() {
			b.crash(at, p, node)
		} else if e.Joins() {
			b.down[node] = none
		}
	case 0, sim.KindAction, sim.KindPause, sim.KindResume: // events of the node itself, which have no message
	case sim.KindTask:
		b.ran(at, p, node)
	case sim.KindTimer:
		b.fired(at, p, node)
	case sim.KindMessage, sim.KindQuorum:
		b.receive(at, p, delivered)
	case sim.KindReorder:
		b.receive(at, p, overtook)
	case sim.KindLose:
		b.receive(at, p, lost)
	case sim.KindDuplicate:
		b.duplicate(at, p)
	case sim.KindClear:
		b.because(p, causeRoom, b.room, channel{sim.LinkTCP, node, peer})
	case sim.KindFlushed:
		for to := range b.g.nodes {
			b.because(p, causeRoom, b.room, channel{sim.LinkTCP, node, to})
		}
	case sim.KindError:
		if x, ok := b.broke[pairOf(node, peer)]; ok {
			p.causes = append(p.causes, cause{x.at, causeBroken, none})
		}
		b.heard(node, peer)
	case sim.KindRefused:
		if e.Link == sim.LinkTCP {
			b.absent(p, peer)
			return
		}
		b.receive(at, p, unreached)
		b.absent(p, node)
	case sim.KindBreak, sim.KindReset:
		b.breaks(at, p, node, peer)
		if e.Kind == sim.KindBreak {
			b.cause(p, b.cut, causeCut)
		}
	case sim.KindRestart:
		b.down[node] = none
	case sim.KindPartition, sim.KindOneWay:
		b.cut = at
	case sim.KindMend, sim.KindHeal:
		b.cause(p, b.cut, causeCut)
		b.cut = none
	default:
		if e.Kind.Fails() {
			b.crash(at, p, node)
			break
		}
		panic(fmt.Sprintf("macemc bug: eventgraph: a %s event is not known to the graph, so sim has a new kind", e.Kind))
	}
}

func (b *builder) cause(p *point, from int, kind causeKind) {
	if from != none {
		p.causes = append(p.causes, cause{from, kind, none})
	}
}

func (b *builder) because(p *point, kind causeKind, of map[channel]int, c channel) {
	if from, ok := of[c]; ok {
		p.causes = append(p.causes, cause{from, kind, none})
	}
}

// absent adds a cause to p: the reason why the node of this lane could not be reached. It is the point in
// which the node went down, or else the point in which a partition began.
func (b *builder) absent(p *point, lane int) {
	if lane >= 0 && b.down[lane] != none {
		b.cause(p, b.down[lane], causeDown)
		return
	}
	b.cause(p, b.cut, causeCut)
}

// receive records that the event of point at took its messages off the network. how says what became of
// these messages, for example that they were delivered.
func (b *builder) receive(at int, p *point, how fate) {
	for _, number := range p.Took {
		x, known := b.under[number]
		if !known {
			continue
		}
		m := &b.g.messages[x.message]
		c := channel{m.link, m.from, m.to}
		if last, ok := b.room[c]; ok && b.g.points[last].lane == network { // else the order of the node says so
			p.causes = append(p.causes, cause{last, causeAhead, none})
		}
		b.came(at, p, x, how)
		if m.kept {
			continue
		}
		delete(b.under, number)
		m.copies--
		b.room[c] = at
		if _, opened := b.opened[pairOf(c.from, c.to)]; !opened && c.link == sim.LinkTCP && c.from != c.to {
			b.opened[pairOf(c.from, c.to)] = at
		}
	}
}

// came records that message x met the fate how in point at, and adds the sending of the message to the
// causes of this point, p.
func (b *builder) came(at int, p *point, x parcel, how fate) {
	m := &b.g.messages[x.message]
	m.ends = append(m.ends, end{at, how})
	p.took = append(p.took, x.message)
	p.causes = append(p.causes, cause{m.sent, causeMessage, x.message})
	if x.copied != none {
		p.causes = append(p.causes, cause{x.copied, causeCopy, x.message})
	}
}

func (b *builder) duplicate(at int, p *point) {
	for _, number := range p.Took {
		if x, known := b.under[number]; known {
			b.g.messages[x.message].copies++
			b.came(at, p, x, copied)
			b.under[p.Copy] = parcel{x.message, at}
		}
	}
}

// drop records that the message with this number was lost in point at, since its connection broke
// or its receiver could not be reached.
func (b *builder) drop(at int, p *point, number int) {
	x, known := b.under[number]
	if !known {
		return
	}
	m, how := &b.g.messages[x.message], broken
	if e := p.Event; e.Kind == sim.KindRefused && m.sent != at && m.to == b.g.lane(e.From) {
		how = unreached
	}
	delete(b.under, number)
	m.copies--
	m.ends = append(m.ends, end{at, how})
	b.room[channel{m.link, m.from, m.to}] = at
}

// breaks records that the connection between two nodes breaks in point at. Neither end is
// informed yet.
func (b *builder) breaks(at int, p *point, one, other int) {
	c := pairOf(one, other)
	if opened, ok := b.opened[c]; ok {
		p.causes = append(p.causes, cause{opened, causeOpened, none})
		delete(b.opened, c)
	}
	b.broke[c] = breach{at, map[int]bool{one: true, other: true}}
}

// closes records that node resets its connection to peer in point at, so that peer still has to be
// informed. If the connection was already broken, it adds that earlier break to the causes of p
// instead.
func (b *builder) closes(at int, p *point, node, peer int) {
	c := pairOf(node, peer)
	if x, ok := b.broke[c]; ok {
		p.causes = append(p.causes, cause{x.at, causeBroken, none})
		b.heard(node, peer)
	}
	if opened, ok := b.opened[c]; ok {
		p.causes = append(p.causes, cause{opened, causeOpened, none})
		delete(b.opened, c)
		b.broke[c] = breach{at, map[int]bool{peer: true}}
	}
}

// heard records that a node knows of the break of its connection to peer, or need not be informed
// of it any more. Once this is so at both ends, heard forgets the break.
func (b *builder) heard(node, peer int) {
	c := pairOf(node, peer)
	if x, ok := b.broke[c]; ok {
		if delete(x.deaf, node); len(x.deaf) == 0 {
			delete(b.broke, c)
		}
	}
}

func (b *builder) crash(at int, p *point, node int) {
	for peer := range b.g.nodes {
		b.closes(at, p, node, peer)
	}
	for _, x := range b.timers[node] {
		b.became(x, "gone at %d", at)
	}
	for _, list := range b.tasks[node] {
		for _, x := range list {
			b.became(x, "gone at %d", at)
		}
	}
	clear(b.timers[node])
	clear(b.tasks[node])
	b.down[node] = at
}

// became records what became of the timer or the task that effect x set or posted. what is a text such as
// "fires at %d", in which the number of the step of point at takes the place of %d.
func (b *builder) became(x effect, what string, at int) {
	b.g.points[x.point].did[x.did].fate = fmt.Sprintf(what, b.g.number(at))
}

func (b *builder) fired(at int, p *point, node int) {
	text := b.text(p.Event.Value)
	x, ok := b.timers[node][text]
	if !ok {
		b.cause(p, b.g.point(p.Cause(), node), causeTimer)
		return
	}
	delete(b.timers[node], text)
	b.became(x, "fires at %d", at)
	b.cause(p, x.point, causeTimer)
}

func (b *builder) ran(at int, p *point, node int) {
	text := b.text(p.Event.Value)
	list := b.tasks[node][text]
	if len(list) == 0 {
		b.cause(p, b.g.point(p.Cause(), node), causeTask)
		return
	}
	b.tasks[node][text] = list[1:]
	b.became(list[0], "runs at %d", at)
	b.cause(p, list[0].point, causeTask)
}

// effect adds effect e of the step to p, which is point at of the graph, and follows the message,
// the timer or the task that e begins or ends.
func (b *builder) effect(at int, p *point, e *trace.Effect) {
	d := did{kind: e.Kind, text: clean(e.Shown(b.write)), identity: clean(e.Text(b.write)), to: b.g.lane(e.To), message: none}
	node, name := p.lane, effect{at, len(p.did)}
	switch e.Kind {
	case trace.EffectSend, trace.EffectRefused:
		d.message = len(b.g.messages)
		m := b.sent(at, p, e)
		b.g.messages = append(b.g.messages, m)
	case trace.EffectAfter:
		text := b.text(e.Value)
		if old, ok := b.timers[node][text]; ok {
			b.became(old, "set again at %d", at)
		}
		b.timers[node][text] = name
	case trace.EffectCancel:
		text := b.text(e.Value)
		if old, ok := b.timers[node][text]; ok {
			b.became(old, "cancelled at %d", at)
		}
		delete(b.timers[node], text)
	case trace.EffectPost:
		text := b.text(e.Value)
		b.tasks[node][text] = append(b.tasks[node][text], name)
	case trace.EffectCrash, trace.EffectDown:
		b.crash(at, p, node)
	case trace.EffectReset:
		b.closes(at, p, node, d.to)
	}
	p.did = append(p.did, d)
}

// sent returns the message that effect e sends.
func (b *builder) sent(at int, p *point, e *trace.Effect) message {
	m := message{from: p.lane, to: b.g.lane(e.To), link: e.Link, shown: clean(wording.Shown(b.write, e.Value)), sent: at, same: none}
	first, there := b.under[int(e.Number)]
	switch {
	case e.Kind == trace.EffectRefused || e.Lost:
		m.dropped = true
	case p.Cut:
		m.cut = true
	case there:
		m.kept, m.same = true, first.message
	default:
		if m.kept = e.Link == sim.LinkSet; !m.kept {
			m.copies = 1
		}
		b.under[int(e.Number)] = parcel{len(b.g.messages), none}
	}
	return m
}

// end is called after the last step. For each effect that sent a message it writes down what became
// of the message.
func (b *builder) end() {
	for i := range b.g.points {
		for k := range b.g.points[i].did {
			if d := &b.g.points[i].did[k]; d.message != none {
				d.fate = strings.TrimRight(fmt.Sprintf("#%d %s", d.message+1, b.g.fate(d.message)), " ")
			}
		}
	}
}

func (b *builder) text(v any) string { return clean(b.write(v)) }
