package eventgraph

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

var (
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// HTML writes the graph as one self-contained page: the space-time diagram, a slider over
// its steps, and the details of each step and state.
func (g *Graph) HTML(w io.Writer, part Part) error {
	part.Whole = true
	d := newPage()
	run := d.add("", g)
	g.each(part, func(p int) {
		d.Rows = append(d.Rows, []int{run.put(p)})
	}, func(s stretch) {
		if part.Most > 0 { // otherwise it was asked for
			d.Folds[len(d.Rows)] = s.text(g)
			d.Rows = append(d.Rows, []int{none})
		}
	})
	run.finish()
	return d.write(w, g.Marks.Title)
}

// HTML writes the two runs as one page, side by side.
func (b *Beside) HTML(w io.Writer, part Part) error {
	d := newPage()
	here, there := d.add("here", b.Here), d.add("there", b.There)
	for p := range min(b.Here.starts, b.There.starts) {
		if part.has(0) && (b.Here.points[p].happened() || b.There.points[p].happened()) {
			d.Rows = append(d.Rows, []int{here.put(p), there.put(p)})
		}
	}
	_, rows, _ := b.apart(part, len(b.rows))
	for _, r := range rows {
		if b.split(r) {
			d.Split = len(d.Rows)
		}
		d.Rows = append(d.Rows, []int{here.put(r.here), there.put(r.there)})
	}
	here.finish()
	there.finish()
	return d.write(w, b.Here.Marks.Title)
}

// page is the data of a page in the form that its script reads. Texts are stored once, and referred to by
// their index in strings.
type page struct {
	Strings []string       `json:"strings"`
	Runs    []*pageRun     `json:"runs"`
	Rows    [][]int        `json:"rows"`  // for each row, the point of each run; -1 means none
	Split   int            `json:"split"` // the row in which two runs part, or -1 if there is one run
	Folds   map[int]string `json:"folds"` // for rows without points: the text about the steps that are left out there
	Geo     geometry       `json:"geo"`
	Pieces  [][]int        `json:"pieces"` // the pieces of source: a title, and for each line its number, whether it ran, and its text

	known  map[string]int
	pieces map[string]int
}

// geometry has the measures of the SVG, which the script of the page needs for drawing.
type geometry struct {
	Row    float64 `json:"row"`
	Margin float64 `json:"margin"`
	Letter float64 `json:"letter"`
	Dot    float64 `json:"dot"`
	Label  int     `json:"label"`
}

type pageRun struct {
	Name     string         `json:"name"`
	Title    string         `json:"title"`
	Why      string         `json:"why"`
	Critical int            `json:"critical"`
	Failed   int            `json:"failed"`
	Again    int            `json:"again,omitempty"`
	Steps    int            `json:"steps"`
	Nodes    []string       `json:"nodes"`
	Bad      []string       `json:"bad,omitempty"` // for each node: how it deviates if it is Byzantine
	Points   [][]int        `json:"points"`        // for each point: number, lane, other lane, kind, text, the text beside it, and the lines of its story
	Flights  [][]int        `json:"flights"`       // for each arrow: kind, first and last point, and the places of both ends, as two lanes each
	Spans    [][]int        `json:"spans"`         // for each span: kind, lane, first and last point
	Sides    map[int]string `json:"sides"`         // for the point at which a partition begins: its sides, a letter for each node
	Code     map[int][]int  `json:"code"`          // for each step: the indices of its pieces of source
	Edits    [][]int        `json:"edits"`         // for each state: the numbers of first and last lines that are those of the state before, then path and value of each line between

	d  *page
	g  *Graph
	at map[int]int // by point of the graph: its index in Points
}

func newPage() *page {
	return &page{
		Split: none, known: map[string]int{}, pieces: map[string]int{}, Pieces: [][]int{}, Folds: map[int]string{}, Rows: [][]int{},
		Geo: geometry{rowHigh, margin, letter, dotRadius, labelMost},
	}
}

// textMost is the largest number of bytes of one text in a page.
const textMost = 2000

func (d *page) str(s string) int {
	s = cut(s, textMost)
	i, ok := d.known[s]
	if !ok {
		i = len(d.Strings)
		d.known[s] = i
		d.Strings = append(d.Strings, s)
	}
	return i
}

func (d *page) add(name string, g *Graph) *pageRun {
	r := &pageRun{
		Name: name, Title: g.Marks.Title, Why: g.Marks.Why, Critical: g.Marks.Critical, Again: g.Marks.Again, Steps: g.Steps(),
		Points: [][]int{}, Flights: [][]int{}, Spans: [][]int{}, Edits: [][]int{}, Sides: map[int]string{}, Code: map[int][]int{},
		d: d, g: g, at: map[int]int{},
	}
	if g.Marks.Why != "" {
		r.Failed = g.Marks.Failed
	}
	for _, a := range g.nodes {
		r.Nodes = append(r.Nodes, a.String())
	}
	if slices.ContainsFunc(g.bad, func(kind string) bool { return kind != "" }) {
		r.Bad = g.bad
	}
	d.Runs = append(d.Runs, r)
	return r
}

// put adds point p of the graph, and returns its index in Points.
func (r *pageRun) put(p int) int {
	if p == none {
		return none
	}
	g, at := r.g, &r.g.points[p]
	where := g.place(p)
	other := g.lane(at.Event.From)
	if where.one != where.other {
		other = where.other
	}
	lane := where.one
	if at.lane == network && at.Event.Node.IsZero() {
		lane = network
	}
	point := []int{g.number(p), lane, other, r.d.str(at.kind()), r.d.str(at.text), r.d.str(g.beside(p))}
	for _, line := range g.story(p) {
		point = append(point, r.d.str(line))
	}
	r.code(g.number(p))
	r.at[p] = len(r.Points)
	if sides := g.sides(p); sides != nil {
		r.Sides[r.at[p]] = sideLetters(sides)
	}
	r.Points = append(r.Points, point)
	return r.at[p]
}

func sideLetters(sides []bool) string {
	b := make([]byte, len(sides))
	for i, is := range sides {
		b[i] = 'B'
		if is {
			b[i] = 'A'
		}
	}
	return string(b)
}

// finish adds the arrows, the spans and the states of the run to the data of the page. They refer to points,
// so all points must have been added before.
func (r *pageRun) finish() {
	where := func(p int) int {
		if at, ok := r.at[p]; ok && p != none {
			return at
		}
		return none
	}
	for _, f := range r.g.flights() {
		from, to := where(f.from), where(f.to)
		if from == none && to == none {
			continue
		}
		if f.to != none && to == none {
			to = len(r.Points) + 1 // it is somewhere, but not in the page
		}
		r.Flights = append(r.Flights, []int{r.d.str(f.kind), from, to, f.a.one, f.a.other, f.b.one, f.b.other})
	}
	for _, s := range r.g.spans() {
		r.Spans = append(r.Spans, []int{r.d.str(s.kind), s.lane, r.after(s.from), r.after(s.to)})
	}
	if states := r.g.states; states != nil {
		for same, lines := range states.Edits() {
			edit := []int{same[0], same[1]}
			for _, l := range lines {
				edit = append(edit, r.d.str(clean(l[0])), r.d.str(clean(l[1])))
			}
			r.Edits = append(r.Edits, edit)
		}
	}
}

// after returns the index, in Points, of point p, or of the first point after it that is in
// the page.
func (r *pageRun) after(p int) int {
	for ; p != none && p < len(r.g.points); p++ {
		if at, ok := r.at[p]; ok {
			return at
		}
	}
	return none
}

// write writes the page. Its content security policy permits only its own script, and no
// request.
func (d *page) write(w io.Writer, title string) error {
	data, err := json.Marshal(d) // which escapes <, > and &
	if err != nil {
		return fmt.Errorf("the page cannot be written: %w", err)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	css := styleCSS + pageCSS
	fmt.Fprintf(b, pageHead, hashed(pageJS), hashed(css), escape(cut(title, titleMost)), css, escape(title))
	b.Write(data)
	fmt.Fprintf(b, pageFoot, pageJS)
	return b.Flush()
}

// hashed returns the hash of a script or style in the form in which a content security
// policy permits it.
func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '%s'; style-src '%s'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>%s</style>
</head>
<body>
<header>
<h1>%s</h1>
<div class="controls">
<button id="back" title="one step back">&#9664;</button>
<input id="slider" type="range" min="0" max="0" value="0" aria-label="step">
<button id="forth" title="one step on">&#9654;</button>
<output id="where"></output>
<span id="jumps"></span>
<input id="words" type="search" placeholder="only what says ..." aria-label="only what says">
<span id="nodes"></span>
<span id="count"></span>
</div>
</header>
<main>
<div id="view" tabindex="0"><svg id="names" class="graph"></svg><svg id="graph" class="graph"></svg></div>
<aside id="side"></aside>
</main>
<script type="application/json" id="data">`

const pageFoot = `</script>
<script>%s</script>
</body>
</html>
`
