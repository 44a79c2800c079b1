package eventgraph

import (
	"fmt"
	"iter"
	"slices"

	"macemc/internal/contract"
	"macemc/sim"
	"macemc/trace"
)

// Marks are the title of a graph and the steps that it points out.
type Marks struct {
	Title    string // the result of the run, as a heading
	Critical int    // the critical step; 0 means none
	After    string // the words for the time after the critical step; "" means words that say there is no way back
	Again    int    // the first of the steps that the run repeats for ever after its end; 0 means that it repeats none
	Failed   int    // the step in which the run failed, or after which it had failed; 0 means none
	Why      string // the failure in that step, as a line
}

// States are the states of a run as text. A state is a list of lines, each with a path and
// a value; state 0 is the one after the starts of the nodes.
type States interface {
	// Edits yields, for each state, its difference from the state before: the number of
	// first and of last lines that are the same in both, and the lines between these.
	Edits() iter.Seq2[[2]int, [][2]string]
	// Told returns the nodes that went down in a step, and its other changes: a path, the old value and
	// the new one.
	Told(step int) (down []sim.Addr, changes [][3]string)
}

// Graph has the steps of a run, and which of them happened before which.
type Graph struct {
	Marks Marks

	code     func(step int) []Code // the lines of code of a step; nil if they are not known
	states   States                // the states of the run; nil if they are not known
	nodes    []sim.Addr
	bad      []string // by lane: how the node deviates if it is Byzantine, or ""
	lanes    map[sim.Addr]int
	points   []point // the starts of the nodes, then the steps
	starts   int
	messages []message
	kept     []bool // by point: whether the graph, which is a slice of another, shows it; nil means that all are shown
}

// name returns the name of the node of a lane, with a mark if the node is Byzantine.
func (g *Graph) name(lane int) string {
	if g.bad[lane] != "" {
		return g.nodes[lane].String() + "!"
	}
	return g.nodes[lane].String()
}

// title returns the name of the node of a lane, and how the node deviates if it is
// Byzantine.
func (g *Graph) title(lane int) string {
	if g.bad[lane] != "" {
		return fmt.Sprintf("%s (Byzantine: %s)", g.nodes[lane], g.bad[lane])
	}
	return g.nodes[lane].String()
}

// network is the lane of steps that happen to the network and at no node.
const network = -1

// none is the number of a point or message that does not exist.
const none = -1

// point is the start of a node, or a step.
type point struct {
	*trace.Step
	lane   int     // where it happened: network, or the index of the node
	text   string  // the event's identity, on one line
	took   []int   // the messages that it took from the network, or copied
	prev   int     // the point before it in its lane, or none
	causes []cause // causes other than the point before it in its lane
	did    []did
	coins  []string
}

// cause is an arrow to a point from one that happened before.
type cause struct {
	from    int
	kind    causeKind
	message int // the message, if the kind is causeMessage, or none
}

// causeKind is why a step happened after another.
type causeKind uint8

// The kinds of causes. Each comment says what the earlier step did.
const (
	causeMessage causeKind = iota + 1 // it sent the message that was delivered or lost
	causeTimer                        // it scheduled the timer
	causeTask                         // it posted the task
	causeCopy                         // it duplicated the datagram
	causeBroken                       // it broke the connection
	causeOpened                       // it opened the connection that broke
	causeDown                         // the node that could not be reached went down in it
	causeCut                          // it began the partition
	causeRoom                         // it made room in a buffer
	causeAhead                        // it took the message that was ahead in the queue
)

// causes describes each kind of cause: a word for an arrow, and a phrase about the step.
var causes = [...]struct{ word, of string }{
	causeMessage: {"message", "sent in step %d"},
	causeTimer:   {"timer", "set in step %d"},
	causeTask:    {"task", "posted in step %d"},
	causeCopy:    {"copy", "copied in step %d"},
	causeBroken:  {"broken", "the connection broke in step %d"},
	causeOpened:  {"opened", "the connection was opened in step %d"},
	causeDown:    {"down", "the node went down in step %d"},
	causeCut:     {"partition", "the partition began in step %d"},
	causeRoom:    {"room", "room was made in step %d"},
	causeAhead:   {"ahead", "what was ahead of it was taken in step %d"},
}

func (k causeKind) String() string { return causes[k].word }

// did is one effect of a step.
type did struct {
	kind     trace.EffectKind
	text     string // the effect in the form for people
	identity string // the effect in the form of paths
	to       int    // the lane of the node to which the effect sends something, or none
	message  int    // the message that was sent, or none
	fate     string // what happened later to the message, timer or task, in words; "" if nothing unusual did, or the effect made none
}

// New builds the graph of a run. It calls text to write the values in the graph.
func New(ran *trace.Trace, text func(any) string, marks Marks) *Graph {
	marks.Title, marks.Why = clean(marks.Title), clean(marks.Why)
	g := &Graph{Marks: marks, starts: len(ran.Starts)}
	g.lay(ran)
	b := newBuilder(g, text)
	for i := range ran.Starts {
		b.add(&ran.Starts[i])
	}
	for i := range ran.Steps {
		b.add(&ran.Steps[i])
	}
	b.end()
	return g
}

// lay assigns a lane to each node that occurs in the trace.
func (g *Graph) lay(ran *trace.Trace) {
	g.lanes = map[sim.Addr]int{}
	meet := func(a sim.Addr) {
		if _, met := g.lanes[a]; !met && !a.IsZero() {
			g.lanes[a] = 0
			g.nodes = append(g.nodes, a)
		}
	}
	for _, steps := range [][]trace.Step{ran.Starts, ran.Steps} {
		for i := range steps {
			meet(steps[i].Node)
			meet(steps[i].Event.From)
			for _, e := range steps[i].Effects {
				meet(e.To)
			}
		}
	}
	slices.SortFunc(g.nodes, sim.Addr.Compare)
	g.bad = make([]string, len(g.nodes))
	for i, a := range g.nodes {
		g.lanes[a] = i
		for _, b := range ran.Byzantine {
			if b.Node == a {
				g.bad[i] = b.Kind()
			}
		}
	}
}

// With adds the states of the run, for pictures that show changes, and the lines of code of each step, for
// pages. Either may be nil, if it is not known.
func (g *Graph) With(states States, code func(step int) []Code) *Graph {
	if states != nil {
		g.states = states
	}
	if code != nil {
		g.code = code
	}
	return g
}

// Nodes returns the nodes of the run, in order.
func (g *Graph) Nodes() []sim.Addr { return g.nodes }

// Steps returns how many steps the run has.
func (g *Graph) Steps() int { return len(g.points) - g.starts }

// didMost is the largest number of effects of a step that are shown: a handler that loops may have very
// many.
const didMost = 100

// shown returns the effects of a point that are drawn, and the number of the others.
func (p *point) shown() (did []did, rest int) {
	if len(p.did) > didMost {
		return p.did[:didMost], len(p.did) - didMost
	}
	return p.did, 0
}

// doings appends a line for each coin and each effect of the point to lines. If an effect has a fate, such as
// "lost at 7", its line ends with fated(fate).
func (p *point) doings(lines []string, fated func(string) string) []string {
	for _, c := range p.coins {
		lines = append(lines, "choose "+c)
	}
	did, rest := p.shown()
	for _, d := range did {
		text := d.text
		if d.fate != "" {
			text += "  " + fated(d.fate)
		}
		lines = append(lines, text)
	}
	if rest > 0 {
		lines = append(lines, fmt.Sprintf("... and %d more", rest))
	}
	return lines
}

// number returns the number of a point's step, or 0 for the start of a node.
func (g *Graph) number(p int) int { return max(0, p-g.starts+1) }

// point returns the point of the step with a number. Number 0 stands for the start of the
// node with this lane. It returns none if the trace has no such step.
func (g *Graph) point(number int, lane int) int {
	p, end := g.starts+number-1, len(g.points)
	if number == 0 {
		p, end = lane, g.starts
	}
	if number < 0 || p < 0 || p >= end {
		return none
	}
	return p
}

// lane returns the lane of a node, or network if no node has the address.
func (g *Graph) lane(a sim.Addr) int {
	if i, ok := g.lanes[a]; ok {
		return i
	}
	return network
}

// environments reports whether event e happens to the network, and so at no node.
func environments(e sim.Event) bool { return e.Kind != 0 && contract.Row(&e).Aside() }
