package ensemble

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/happens"
	"macemc/internal/search"
	"macemc/internal/setting"
	"macemc/internal/world"
	"macemc/program"
	"macemc/sim"
	"macemc/trace"
)

// A Recording is a run of programs, in the form of a system whose nodes repeat that run and do nothing else.
type Recording struct {
	System *sim.System
	Path   *choose.Path // the path of the whole run, in System
}

// A happening is one step of a recorded run: what one node, or the network, did at one event.
type happening struct {
	at      time.Duration
	step    uint32 // the step of the tape, an instant of the run
	node    int    // -1 for the whole network
	life    int
	event   sim.Event       // what the node reacted to; zero for the start of its first life
	effects []program.Event // what it did
	lines   []canon.Line    // the node's state afterwards; nil if that did not change
}

// The values of a recording have the messages of the programs as text.

// tcp and udp are the messages of a recording, by how they were sent in the run. In the recording all of them
// may arrive in any order (they are sent by a bag), since in the run latencies decided about the order.
type tcp struct {
	Number int
	What   string
}

type udp tcp

func segment(e *program.Event) sim.Message {
	if e.Link == "udp" {
		return udp{e.Number, e.Text}
	}
	return tcp{e.Number, e.Text}
}

// asked is a signal of a recording: a request of the script.
type asked struct{ What string }

// broken is a signal of a recording: a connection for mail with a peer broke.
type broken struct{ Peer, How string }

// wakes is a signal of a recording: the node does something by itself, because of a timer or at the end of a
// computation.
type wakes struct{ At string }

// reset is a signal of a recording: the connections with a peer break.
type reset struct{ Peer string }

// clock is a signal of a recording: the node's clock begins to be wrong, or is set right.
type clock struct{ How string }

// stops is a signal of a recording: the context of the program is cancelled.
type stops struct{}

// judged is the last signal of a recording: the properties are judged.
type judged struct{ At string }

// recorder reads the log of a run and makes happenings of its entries.
type recorder struct {
	s       setting.Setting
	all     []*happening
	current map[int]*happening // by node, its latest happening, to which effects of the same instant are added
	lives   []int              // the latest life of each node; -1 before the first
	up      []bool
	sent    map[int]bool
	end     quiet // the entry of the log that names the violated property
	step    uint32
}

// record returns a recorder that has read the log of a failed run.
func record(s setting.Setting, log []json.RawMessage) (*recorder, error) {
	n := s.Params.Nodes
	r := &recorder{s: s, current: map[int]*happening{}, lives: make([]int, n), up: make([]bool, n), sent: map[int]bool{}}
	for i := range r.lives {
		r.lives[i] = -1
	}
	for _, raw := range log {
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, fmt.Errorf("the log of a run cannot be read: %w", err)
		}
		switch {
		case e.Event != nil:
			r.event(e.Event)
		case e.Quiet != nil:
			r.quiet(e.Quiet)
		}
	}
	return r, nil
}

func (r *recorder) index(host string) int {
	for i, a := range r.s.Params.Addrs() {
		if a.String() == host {
			return i
		}
	}
	return -1
}

func (r *recorder) addr(i int) (a sim.Addr) {
	if i >= 0 {
		a = r.s.Params.Addr(i)
	}
	return a
}

// add adds a happening at a node, caused by the event e.
func (r *recorder) add(at time.Duration, node int, e sim.Event) *happening {
	e.Node = r.addr(node)
	h := &happening{at: at, step: r.step, node: node, event: e}
	if node >= 0 {
		h.life = r.lives[node]
		r.current[node] = h
	}
	r.all = append(r.all, h)
	return h
}

// shows sets the state of the node after the happening.
func (h *happening) shows(lines []canon.Line) {
	if h.lines = lines; lines == nil {
		h.lines = []canon.Line{}
	}
}

// own adds a happening as an action of the node. Its cause is described by the signal what.
func (r *recorder) own(at time.Duration, node int, what sim.Signal) *happening {
	return r.add(at, node, sim.Event{Kind: sim.KindAction, Value: what})
}

func (r *recorder) event(e *program.Event) {
	r.step = e.Step
	i, peer := r.index(e.Host), r.index(e.Peer)
	if i < 0 && e.Host != "" {
		return // a host that is no node
	}
	switch e.Kind {
	case happens.Start:
		r.lives[i]++
		r.up[i] = true
		if r.lives[i] > 0 {
			r.add(e.At, i, sim.Event{Kind: sim.KindRestart})
		} else {
			r.add(e.At, i, sim.Event{})
		}
	case happens.Crash:
		r.add(e.At, i, sim.Event{Kind: sim.KindCrash})
		r.up[i] = false
		delete(r.current, i)
	case happens.Stop:
		r.own(e.At, i, stops{})
	case happens.Arrive:
		r.arrives(e, i, peer)
	case happens.Reset:
		if r.up[i] {
			r.own(e.At, i, reset{e.Peer})
		}
	case happens.Clock:
		if r.up[i] {
			r.own(e.At, i, clock{e.Text})
		}
	case happens.Partition:
		var side uint64
		for _, name := range strings.Fields(e.Text) {
			if k := r.index(name); k >= 0 {
				side |= 1 << k
			}
		}
		if side&1 != 0 { // the first side has node 0
			r.add(e.At, -1, sim.Event{Kind: sim.KindPartition, Value: sim.Split{Side: side}})
		} else {
			r.add(e.At, -1, sim.Event{Kind: sim.KindPartition, Value: sim.Split{Side: (1<<r.s.Params.Nodes - 1) &^ side}})
		}
	case happens.Heal:
		r.add(e.At, -1, sim.Event{Kind: sim.KindMend})
	default:
		r.does(e, i, peer)
	}
}

func (r *recorder) arrives(e *program.Event, i, peer int) {
	switch {
	case !r.up[i]:
	case e.Link == "script":
		r.own(e.At, i, asked{e.Text})
	case e.Number == 0:
		r.own(e.At, i, broken{e.Peer, e.Text})
	case peer >= 0 && r.sent[e.Number]:
		delete(r.sent, e.Number)
		r.add(e.At, i, sim.Event{Kind: sim.KindMessage, From: r.addr(peer), Link: sim.LinkBag, Value: segment(e)})
	}
}

// does adds an effect to what the i-th node did in this instant. If the node has no happening in this instant
// yet, does first adds one. peer is the number of the other node, or -1 if the effect concerns none.
func (r *recorder) does(e *program.Event, i, peer int) {
	if !r.up[i] || e.Kind == happens.Send && peer < 0 {
		return
	}
	h := r.current[i]
	if h == nil || h.at != e.At {
		h = r.own(e.At, i, wakes{e.At.String()})
	}
	if e.Kind == happens.Send {
		r.sent[e.Number] = true
	}
	h.effects = append(h.effects, *e)
}

func (r *recorder) quiet(q *quiet) {
	for i := range r.lives {
		lines, is := q.States[r.addr(i).String()]
		if !is || !r.up[i] {
			continue
		}
		h := r.current[i]
		if h == nil || h.at != q.At {
			h = r.own(q.At, i, wakes{q.At.String()})
		}
		h.shows(lines)
	}
	if q.Violated != "" {
		r.end = *q
	}
}

// player is a node of a recording: it repeats what one node did in the recorded run.
type player struct {
	State map[string]string // the fields of the program's state, as the program showed them

	self     sim.Addr
	life, at int // the life that runs, and the index of its next happening
	last     int // the number, from 1, of the latest happening in the whole recording
	tape     *played
}

// played has the happenings that the nodes of a recording play. It is not part of their states.
type played struct {
	of    [][][]*happening // by node and life
	steps map[*happening]int
	end   int
	addrs []sim.Addr
}

func (n *player) Init(env sim.Env)                               { n.plays(env) }
func (n *player) Deliver(env sim.Env, _ sim.Addr, _ sim.Message) { n.plays(env) }
func (n *player) Handle(env sim.Env, _ sim.Signal)               { n.plays(env) }

// next returns the happening that the node plays next, or nil if there is none.
func (n *player) next() *happening {
	if n.tape == nil {
		return nil
	}
	all := n.tape.of[n.self.Index()]
	if n.life >= len(all) || n.at >= len(all[n.life]) {
		return nil
	}
	return all[n.life][n.at]
}

// Offers offers the next happening if it is an action: see recorder.own.
func (n *player) Offers(offer func(sim.Signal)) {
	if h := n.next(); h != nil && h.event.Kind == sim.KindAction {
		offer(h.event.Value)
	}
}

// Accepts reports whether m is the message that, according to the recording, the node receives next.
func (n *player) Accepts(_ sim.Addr, m sim.Message) bool {
	h := n.next()
	return h != nil && h.event.Kind == sim.KindMessage && h.event.Value == m
}

func (n *player) plays(env sim.Env) {
	h := n.next()
	if h == nil {
		return
	}
	n.at++
	n.last = n.tape.steps[h]
	if h.lines != nil {
		n.State = map[string]string{}
		for _, l := range h.lines {
			n.State[l.Path] = l.Value
		}
	}
	for _, e := range h.effects {
		switch e.Kind {
		case happens.Send:
			i := slices.IndexFunc(n.tape.addrs, func(a sim.Addr) bool { return a.String() == e.Peer })
			env.Bag().Send(n.tape.addrs[i], segment(&e))
		case happens.Sync:
			env.Logf("sync")
		case happens.Emit:
			env.Logf("emit %s", e.Text)
		default:
			env.Logf("%s", e.Text)
		}
	}
}

// recording returns the recording: the system, and the path through it. violated is the property that the run
// violates, and message explains it.
func (r *recorder) recording(violated, message string) (*Recording, error) {
	at := len(r.up) - 1
	for at > 0 && !r.up[at] {
		at--
	}
	if last := r.last(); last >= 0 && r.up[last] {
		at = last
	}
	if !r.up[at] {
		return nil, fmt.Errorf("no node is running at the end of the run, so it cannot be shown as a path")
	}
	end := r.end.At
	n := len(r.all)
	if end == 0 && n > 0 {
		end = r.all[n-1].at
	}
	if n == 0 || r.all[n-1].at != end || r.all[n-1].node != at { // otherwise the last happening is at the end already, and at this node
		r.own(end, at, judged{end.String()})
	}
	tape := &played{of: make([][][]*happening, len(r.lives)), steps: map[*happening]int{}, addrs: r.s.Params.Addrs()}
	for k, h := range r.all {
		tape.steps[h] = k + 1
		tape.end = k + 1
		if h.node < 0 || h.event.Kind == sim.KindCrash {
			continue
		}
		lives := &tape.of[h.node]
		for len(*lives) <= h.life {
			*lives = append(*lives, nil)
		}
		(*lives)[h.life] = append((*lives)[h.life], h)
	}
	sys := system(r.s, tape, violated, message)
	path, err := r.path(sys, violated)
	return &Recording{sys, path}, err
}

// last returns the number of the node that had the latest happening, or -1 if no node had one.
func (r *recorder) last() int {
	for _, h := range slices.Backward(r.all) {
		if h.node >= 0 {
			return h.node
		}
	}
	return -1
}

// recorded returns the faults of a recording. A node that went down for good counts as crashed.
func recorded(s setting.Setting) sim.Faults {
	f := s.Stated(s.Sys)
	if f.Crash == sim.Unlimited || f.Down == sim.Unlimited {
		f.Crash = sim.Unlimited
	} else {
		f.Crash += f.Down
	}
	f.Down = 0
	return f
}

// system returns the system of a recording. If tape is nil, its nodes do nothing; such a system is for the
// report of a search that found nothing.
func system(s setting.Setting, tape *played, violated, message string) *sim.System {
	of := s.Sys
	sys := &sim.System{Name: of.Name, Doc: of.Doc, Nodes: of.Nodes, Params: of.Params, Bugs: of.Bugs, Tolerates: recorded(s),
		New:    func(_ sim.Params, self sim.Addr) sim.Node { return &player{self: self, tape: tape} },
		Opaque: []string{"ensemble.player.self", "ensemble.player.life", "ensemble.player.at", "ensemble.player.last", "ensemble.player.tape"},
	}
	sys.Clone = func(_ sim.Params, _ sim.Addr, n sim.Node) sim.Node {
		copied := *n.(*player)
		return &copied
	}
	sys.Crash = func(_ sim.Params, self sim.Addr, dead sim.Node) sim.Node {
		return &player{self: self, tape: tape, life: dead.(*player).life + 1}
	}
	names := append(Built(), violated)
	for _, p := range of.Properties {
		names = append(names, p.Name)
	}
	for i, name := range names {
		if name == "" || slices.Contains(names[:i], name) {
			continue
		}
		sys.Properties = append(sys.Properties, sim.Always(name, func(v sim.View[*player]) bool {
			if name != violated || tape == nil {
				return true
			}
			for _, n := range v.Nodes() {
				if n.last == tape.end {
					return false
				}
			}
			return true
		}, func(sim.View[*player]) string { return message }))
	}
	return sys
}

// path runs sys, the system of the recording, and returns the path of that run.
func (r *recorder) path(sys *sim.System, violated string) (*choose.Path, error) {
	conditions := setting.Setting{Sys: sys, Params: r.s.Params}
	faults := recorded(r.s)
	conditions.Faults = &faults
	header := conditions.Header(true)
	walker, err := contract.Walker(sys)
	if err != nil {
		return nil, err
	}
	wanted := &choose.Path{Header: header}
	for _, h := range r.all {
		if h.event.Kind != 0 {
			wanted.Steps = append(wanted.Steps, choose.Step{Event: choose.Choice{Kind: choose.Event, Of: 1, What: h.event.Text(walker.Text, r.s.Params.Nodes)}})
		}
	}
	p, err := search.NewPlayer(sys, wanted)
	if err != nil {
		return nil, err
	}
	answers := choose.NewReplay(wanted)
	answers.ByIdentity = true
	taken := choose.NewRecord(answers)
	progress, _ := p.Start(taken)
	for range wanted.Steps {
		if progress != world.Stepped {
			return nil, fmt.Errorf("the run cannot be shown as a path: %w", p.Err())
		}
		progress, _ = p.Step(taken)
	}
	path := taken.Path()
	path.Header = header
	path.Add("verdict", trace.VerdictSafety.String())
	path.Add("violates", violated)
	return path, nil
}
