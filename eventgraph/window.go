package eventgraph

// Row is the start of a node or a step, as a picture draws it.
type Row struct {
	Step   int    `json:"step"`             // the number of the step; 0 means the start of a node
	Node   int    `json:"node"`             // the index of its node; -1 means the network
	Peer   int    `json:"peer"`             // the index of the other node that takes part; -1 means none
	Kind   string `json:"kind"`             // the class of the event in style.css
	Text   string `json:"text"`             // the event, with a remark if the node crashes within the step
	Beside string `json:"beside,omitempty"` // the numbers of the messages that it took and sent
	Sides  string `json:"sides,omitempty"`  // for a partition: a letter for each node, A or B
}

// Arrow is a message that went from one step to another, or the news that a connection
// broke.
type Arrow struct {
	Kind string `json:"kind"` // its class in style.css: msg, over, lost, drop, under or news
	From int    `json:"from"` // the step in which it begins
	To   int    `json:"to"`   // the step in which it ends; -1 means none
	A    [2]int `json:"a"`    // the two lanes between which it begins; the same lane twice if it begins at a node
	B    [2]int `json:"b"`    // the two lanes between which it ends, in the same way
	Text string `json:"text,omitempty"`
}

// Band is a time during which something is out of the ordinary: a node is down or paused,
// or there is a partition.
type Band struct {
	Kind string `json:"kind"` // away (the node may restart), gone, paused or cut
	Node int    `json:"node"` // the index of the node; -1 means all nodes
	From int    `json:"from"` // the first step
	To   int    `json:"to"`   // the last step; -1 means the end of the run
}

// Window is the part of a graph between two steps, for a screen that shows a part of a long
// run.
type Window struct {
	Rows   []Row   `json:"rows"`
	Arrows []Arrow `json:"arrows"` // the arrows that begin, end or pass there
	Bands  []Band  `json:"bands"`
}

// Picture is a graph with all of its arrows, from which windows are cut.
type Picture struct {
	g      *Graph
	arrows []Arrow
	bands  []Band
}

// Picture returns the graph with its arrows, from which Window cuts windows. The time for Picture grows with
// the whole graph; the time for a window grows with the window and the number of all arrows.
func (g *Graph) Picture() *Picture {
	var arrows []Arrow
	for _, f := range g.flights() {
		arrows = append(arrows, g.arrow(f))
	}
	var bands []Band
	for _, s := range g.spans() {
		bands = append(bands, g.band(s))
	}
	return &Picture{g, arrows, bands}
}

func (g *Graph) arrow(f flight) Arrow {
	to, text := -1, ""
	if f.to != none {
		to = g.number(f.to)
	}
	if f.message != none {
		text = cut(g.messages[f.message].shown, labelMost)
	}
	return Arrow{f.kind, g.number(f.from), to, [2]int{f.a.one, f.a.other}, [2]int{f.b.one, f.b.other}, text}
}

func (g *Graph) band(s span) Band {
	to := -1
	if s.to != none {
		to = g.number(s.to)
	}
	return Band{s.kind, s.lane, g.number(s.from), to}
}

// Window returns the steps from one to another, both included; the starts are step 0.
func (p *Picture) Window(from, to int) Window {
	w := Window{Rows: []Row{}, Arrows: []Arrow{}, Bands: []Band{}}
	first := 0
	if from > 0 {
		first = p.g.starts + from - 1
	}
	for at := first; at < len(p.g.points) && p.g.number(at) <= to; at++ {
		w.Rows = append(w.Rows, p.g.row(at))
	}
	for _, a := range p.arrows {
		if end := max(a.From, a.To); a.From <= to && end >= from {
			w.Arrows = append(w.Arrows, a)
		}
	}
	for _, b := range p.bands {
		if b.From <= to && (b.To < 0 || b.To >= from) {
			w.Bands = append(w.Bands, b)
		}
	}
	return w
}

func (g *Graph) row(at int) Row {
	p, where := &g.points[at], g.place(at)
	node, peer, sides := where.one, g.lane(p.Event.From), ""
	if where.one != where.other {
		peer = where.other
	}
	if p.lane == network && p.Event.Node.IsZero() {
		node = network
	}
	if all := g.sides(at); all != nil {
		sides = sideLetters(all)
	}
	text := cut(p.text, textMost)
	if p.CrashedWithin() != "" {
		text += ", crashes within"
	}
	return Row{g.number(at), node, peer, p.kind(), text, g.beside(at), sides}
}

// Story describes a step in lines: its message, its coins, its effects and the fates of these.
func (g *Graph) Story(step int) []string {
	if p := g.point(step, network); step > 0 && p != none {
		return g.story(p)
	}
	return nil
}

// Cone returns, in order, a step and all steps that happened before it by a chain of causes.
func (g *Graph) Cone(step int) []int { return g.Slice(step).steps() }
