package eventgraph

// Row is the start of a node or a step, as a picture draws it.
type Row struct {
	Step   int    `json:"step"`             // 0 means a start
	Node   int    `json:"node"`             // its lane; -1 means the network's
	Peer   int    `json:"peer"`             // the other lane that takes part; -1 means none
	Kind   string `json:"kind"`             // the class of the event
	Text   string `json:"text"`             // the event, and that the node crashes within the step, if it does
	Beside string `json:"beside,omitempty"` // which messages it took and sent
	Sides  string `json:"sides,omitempty"`  // of a partition: a letter for each node, A or B
}

// Arrow is a message, or other news that went from one step to another.
type Arrow struct {
	Kind string `json:"kind"` // msg, over, lost, drop, under or news
	From int    `json:"from"` // the step that sent it
	To   int    `json:"to"`   // the step that it came to; -1 means none
	A    [2]int `json:"a"`    // the two lanes between which it begins; the same lane twice if it begins at a node
	B    [2]int `json:"b"`    // the same for its end
	Text string `json:"text,omitempty"`
}

// Band is a stretch of a lane, or of all lanes, during which something is out of the ordinary.
type Band struct {
	Kind string `json:"kind"` // away, gone, paused or cut
	Node int    `json:"node"` // -1 means all
	From int    `json:"from"` // a step
	To   int    `json:"to"`   // a step; -1 means the end
}

// Window is a part of a graph, from one step to another, for a screen that shows only a part of a long
// run.
type Window struct {
	Rows   []Row   `json:"rows"`
	Arrows []Arrow `json:"arrows"` // those that begin, end or pass there
	Bands  []Band  `json:"bands"`
}

// Picture is a graph with all of its arrows, from which windows are cut.
type Picture struct {
	g      *Graph
	arrows []Arrow
	bands  []Band
}

// Picture returns the graph with its arrows. Making it takes time in proportion to the whole graph; making a
// window of it takes time in proportion to the window and the number of arrows.
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
