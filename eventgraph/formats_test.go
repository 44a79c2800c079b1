package eventgraph

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"macemc/internal/recording"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

var withMermaid = flag.String("mermaid", "", "parse diagrams by the mermaid in this `folder`, which has node_modules (make mermaid)")

// samples returns drawings of every kind: with every mark, of two runs, with texts that contain markup, and of
// an empty run.
func samples(t testing.TB) map[string]drawing {
	all := map[string]drawing{}
	for name, p := range plays(t) {
		var states recording.Recording
		w := p.take(t, states.See)
		g := New(w.Run.Trace(), w.Walker().Text, Marks{Title: "the play " + name, Critical: 2, Failed: w.Run.Steps(), Why: "it failed"})
		g.states = &states
		all[name], all[name+" sliced"] = g, g.Slice(w.Run.Steps())
	}
	here, there := besidePlay(t)
	all["beside"] = Compare(here, there)
	for _, part := range []Part{{From: 1, To: 3}, {From: 4}, {To: 7}, {From: 9, To: 9}, {From: 100}} {
		all[fmt.Sprint("beside, of ", part.From, " to ", part.To)] = partOf{Compare(here, there), part}
	}
	var states recording.Recording
	w := hostilePlay(t).take(t, states.See)
	g := New(w.Run.Trace(), w.Walker().Text, Marks{Title: hostile, Failed: 2, Why: hostile})
	g.states = &states
	all["hostile"], all["hostile beside"] = g, Compare(g, here)
	all["nothing"] = New(&trace.Trace{}, w.Walker().Text, Marks{})
	all["long text"] = longText(t)
	all["endless"] = parsePlay(t, 2, "", "n0: loop n1 again\nn1: loop n1 me\nn0 script").graph(t, Marks{Failed: 1, Why: "it does not return"})
	return all
}

// partOf is a drawing that always draws this part.
type partOf struct {
	drawing
	part Part
}

func (d partOf) Text(w io.Writer, o TextOptions) error {
	o.From, o.To = d.part.From, d.part.To
	return d.drawing.Text(w, o)
}
func (d partOf) SVG(w io.Writer, _ Part) error     { return d.drawing.SVG(w, d.part) }
func (d partOf) HTML(w io.Writer, _ Part) error    { return d.drawing.HTML(w, d.part) }
func (d partOf) Mermaid(w io.Writer, _ Part) error { return d.drawing.Mermaid(w, d.part) }

// longText returns the graph of a run with a message of 120,000 characters.
func longText(t testing.TB) *Graph {
	p := parsePlay(t, 2, "", "n0 script\nn1 message")
	p.scripts["n0"] = []sim.Signal{say{strings.Repeat("long, ", 20_000)}}
	return p.graph(t, Marks{})
}

func drawnBy(t testing.TB, draw func(io.Writer, Part) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := draw(&b, Part{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A drawing as text is at most as wide as its option says. It contains nothing that controls a terminal, and
// with the option ASCII only ASCII.
func TestText(t *testing.T) {
	for name, d := range samples(t) {
		for _, o := range []TextOptions{{}, {Width: 60}, {Width: 200, Part: Part{Whole: true}}, {ASCII: true}} {
			var b strings.Builder
			if err := d.Text(&b, o); err != nil {
				t.Fatal(err)
			}
			if b.Len() > 20_000 {
				t.Errorf("%s: the text has %d bytes", name, b.Len())
			}
			for i, line := range strings.Split(b.String(), "\n") {
				if n := columnsOf(line); n > max(o.Width, 60) && (o.Width > 0 || n > widthDefault) {
					t.Errorf("%s, width %d: line %d has %d columns: %s", name, o.Width, i+1, n, line)
				}
				for _, r := range line {
					if !unicode.IsGraphic(r) || o.ASCII && r >= utf8.RuneSelf {
						t.Errorf("%s, %+v: line %d has %q: %s", name, o, i+1, r, line)
						break
					}
				}
			}
		}
	}
}

// An SVG is well-formed XML, runs and loads nothing, and shows texts of a service as text.
func TestSVG(t *testing.T) {
	for name, d := range samples(t) {
		svg := drawnBy(t, d.SVG)
		tokens := xml.NewDecoder(strings.NewReader(svg))
		for {
			token, err := tokens.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			if e, is := token.(xml.StartElement); is {
				switch e.Name.Local {
				case "svg", "style", "g", "title", "rect", "line", "path", "circle", "text", "tspan":
				default:
					t.Errorf("%s: the picture has an element %s", name, e.Name.Local)
				}
				for _, a := range e.Attr {
					if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Name.Local, "href") {
						t.Errorf("%s: %s has an attribute %s", name, e.Name.Local, a.Name.Local)
					}
				}
			}
		}
		if len(svg) > 100_000 {
			t.Errorf("%s: the picture has %d bytes", name, len(svg))
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || strings.Contains(svg, "%!") {
			t.Errorf("%s: a coordinate is none", name)
		}
	}
}

// A page has two scripts: its data as JSON, and the script that its policy permits.
func TestHTML(t *testing.T) {
	data := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)
	for name, d := range samples(t) {
		html := drawnBy(t, d.HTML)
		if len(html) > 200_000 {
			t.Errorf("%s: the page has %d bytes", name, len(html))
		}
		if n := strings.Count(html, "<script"); n != 2 {
			t.Errorf("%s: the page has %d scripts", name, n)
		}
		if !strings.Contains(html, hashed(pageJS)) || strings.Contains(html, "http://") && strings.Count(html, "http://") != 1 || strings.Contains(html, "https://") {
			t.Errorf("%s: the page's policy does not name its script, or the page names another place", name)
		}
		var p page
		found := data.FindStringSubmatch(html)
		if found == nil {
			t.Fatalf("%s: the page has no data", name)
		}
		if err := json.Unmarshal([]byte(found[1]), &p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, run := range p.Runs {
			for _, point := range run.Points {
				for _, s := range point[3:] {
					if s < 0 || s >= len(p.Strings) {
						t.Errorf("%s: a point names a text that is not there", name)
					}
				}
			}
		}
	}
}

// Graphviz accepts the output of DOT.
func TestDOT(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("there is no Graphviz on this machine (apt install graphviz)")
	}
	for name, d := range samples(t) {
		g, is := d.(*Graph)
		if !is {
			continue
		}
		cmd := exec.Command(dot, "-Tsvg")
		cmd.Stdin = strings.NewReader(drawnBy(t, g.DOT))
		var told bytes.Buffer
		cmd.Stderr = &told
		svg, err := cmd.Output()
		if err != nil || told.Len() > 0 {
			t.Errorf("%s: dot says %v: %s", name, err, told.String())
		}
		if strings.HasPrefix(name, "hostile") && !bytes.Contains(svg, []byte("&lt;img src=x onerror=")) {
			t.Errorf("%s: dot does not show the text as it is", name)
		}
	}
}

// Mermaid's own parser accepts the output of Mermaid.
func TestMermaid(t *testing.T) {
	folder := t.TempDir()
	var files []string
	for name, d := range samples(t) {
		diagram := drawnBy(t, d.Mermaid)
		for i, line := range strings.Split(diagram, "\n") {
			if strings.ContainsAny(strings.ReplaceAll(line, "<br/>", ""), "`<>&%\\") && !strings.Contains(line, ">>") || strings.Contains(line, "$$") {
				t.Errorf("%s: line %d has what Markdown or Mermaid may take for more than text: %s", name, i+1, line)
			}
		}
		file := filepath.Join(folder, strings.ReplaceAll(name, " ", "-")+".mmd")
		if err := os.WriteFile(file, []byte(diagram), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if *withMermaid == "" {
		t.Skip("parsing by Mermaid is not asked for; make mermaid does")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node on this machine")
	}
	script := filepath.Join(*withMermaid, "parse.mjs")
	if err := os.WriteFile(script, []byte(mermaidParse), 0o666); err != nil {
		t.Fatal(err)
	}
	told, err := exec.Command(node, append([]string{script}, files...)...).CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, told)
	}
	if n := strings.Count(string(told), ": sequence\n"); n != len(files) {
		t.Errorf("Mermaid has parsed %d diagrams of %d:\n%s", n, len(files), told)
	}
}

const mermaidParse = `
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";
globalThis.window = new JSDOM("").window;
globalThis.document = window.document;
const { default: mermaid } = await import("mermaid");
for (const file of process.argv.slice(2)) {
  try {
    console.log(file + ": " + (await mermaid.parse(readFileSync(file, "utf8"))).diagramType);
  } catch (e) {
    console.log(file + ": " + e.message);
    process.exitCode = 1;
  }
}
`

// Before agrees with a search through all chains of causes.
func TestBefore(t *testing.T) {
	for name, d := range samples(t) {
		g, is := d.(*Graph)
		if !is {
			continue
		}
		n := len(g.points)
		reach := make([][]bool, n)
		for p := range g.points {
			reach[p] = make([]bool, n)
			from := []int{g.points[p].prev}
			for _, c := range g.points[p].causes {
				from = append(from, c.from)
			}
			for _, q := range from {
				if q == none {
					continue
				}
				if q >= p {
					t.Errorf("%s: point %d comes of %d, which is not earlier", name, p, q)
				}
				reach[p][q] = true
				for k := range reach[q] {
					reach[p][k] = reach[p][k] || reach[q][k]
				}
			}
		}
		for a := g.starts; a < n; a++ {
			for b := g.starts; b < n; b++ {
				if got := g.Before(g.number(a), g.number(b)); got != reach[b][a] {
					t.Errorf("%s: Before(%d, %d) is %t", name, g.number(a), g.number(b), got)
				}
			}
		}
	}
}

// The fates of messages agree with another count: every delivery in the trace takes a message that the step
// sent which the trace names.
func TestFates(t *testing.T) {
	for name, p := range plays(t) {
		w := p.take(t, func(*world.World) {})
		g := New(w.Run.Trace(), w.Walker().Text, Marks{})
		under := 0
		for _, l := range w.Text.Lines() {
			if strings.HasPrefix(l.Path, "tcp ") && strings.HasSuffix(l.Path, "]") || strings.HasPrefix(l.Path, "udp ") {
				under++
			}
		}
		copies := 0
		for _, m := range g.messages {
			copies += m.copies
		}
		if copies != under {
			t.Errorf("%s: %d messages are under way at the end; the graph has %d", name, under, copies)
		}
		for i := range g.points {
			at := &g.points[i]
			switch at.Event.Kind {
			case sim.KindMessage, sim.KindQuorum, sim.KindReorder, sim.KindLose, sim.KindDuplicate:
				if sent := g.sentAt(at); len(sent) == 0 || !slices.Equal(sent, at.Causes) {
					t.Errorf("%s: step %d took messages of the steps %v; the trace says %v", name, at.Index, sent, at.Causes)
				}
			}
		}
	}
}

// A failure may depend on the states of several nodes at the same time, without a message between them. Then
// Depends keeps only the steps that lead to these states.
func TestDepends(t *testing.T) {
	p := parsePlay(t, 4, "", `
n0: after t
n1: tcp n3 a
n2: log nothing
n3: log nothing
n2 script
n0 script
n1 script
n3 script
n0 timer
n3 message`)
	g := p.graph(t, Marks{Failed: 6, Why: "n0 was called twice, and n3 has heard of n1"})
	tries := 0
	fails := func(steps []int) bool {
		tries++
		part := p
		part.events = nil
		for _, n := range steps {
			part.events = append(part.events, p.events[n-1])
		}
		seen := map[string]string{}
		for _, l := range part.take(t, func(*world.World) {}).Text.Lines() {
			seen[l.Path] = l.Value
		}
		return seen["n0.Seen"] == "2" && seen["n3.Seen"] >= "1" && seen["n1.Seen"] == "1"
	}
	depends := func(fails func([]int) bool) string {
		slice, enough := g.Depends(6, fails)
		return fmt.Sprint(slice.steps(), enough)
	}
	if got := depends(fails); got != "[2 3 4 5 6] true" {
		t.Errorf("the failure depends on %s", got)
	}
	if tries > 12 {
		t.Errorf("%d runs were tried", tries)
	}
	if got := depends(func([]int) bool { return false }); got != "[3 4 6] false" {
		t.Errorf("what cannot be tried depends on %s", got)
	}
	if got := depends(func([]int) bool { return true }); got != "[3 4 6] true" {
		t.Errorf("what always fails depends on %s", got)
	}
}

// A picture without a page has plain colours first, since only browsers know variables, and after them the dark
// ones.
func TestPictureColours(t *testing.T) {
	light, dark, two := strings.Cut(pictureCSS, "@media (prefers-color-scheme: dark) {")
	if !two || strings.Contains(pictureCSS, "var(") || !strings.Contains(light, ".graph .fly { fill: none; stroke-width: 1.6; stroke: #0969da; }") {
		t.Errorf("the style of a picture is\n%s", pictureCSS)
	}
	if !strings.Contains(dark, ".graph .fly { stroke: #58a6ff; }") || strings.Contains(dark, ".name") {
		t.Errorf("that of a dark page is\n%s", dark)
	}
	here, there := besidePlay(t)
	shape := regexp.MustCompile(`<(rect|text|tspan|circle|path|line)[^<>]*>`)
	for _, text := range []string{drawnBy(t, here.SVG), drawnBy(t, Compare(here, there).SVG)} {
		if strings.Contains(text, "var(") {
			t.Error("a picture has a variable")
		}
		for _, of := range shape.FindAllString(text, -1) { // a program that does not read the style draws it in black
			if !strings.Contains(of, ` stroke="`) || !strings.Contains(of, ` fill="`) && !strings.Contains(of, "<line") && !strings.Contains(of, ` stroke="#`) && !strings.Contains(of, "<tspan") {
				t.Errorf("without the style it has no colour: %s", of)
			}
		}
		if !strings.Contains(text, `<circle class="dot"`) || !strings.Contains(text, ` r="5.5" fill="#0969da" stroke="#ffffff" stroke-width="1.5"/>`) {
			t.Errorf("the dot of a message is not blue:\n%s", text)
		}
	}
}

// Text that is too long beside a row goes on below it, and its row is higher.
func TestPictureWraps(t *testing.T) {
	g := longRun(t, 30)
	g.points[len(g.points)-2].text = strings.Repeat("word ", 60)
	text := drawnBy(t, g.SVG)
	if n := strings.Count(text, `y="`) - strings.Count(drawnBy(t, longRun(t, 30).SVG), `y="`); n != 2 {
		t.Errorf("a label of 300 letters has %d lines more", n)
	}
}

// A picture of a long run keeps the beginning, the critical step and the end.
func TestMost(t *testing.T) {
	g := longRun(t, 2000)
	g.Marks.Critical = 700
	part := Part{Most: 100, Whole: true}
	var shown []int
	var said []string
	g.each(part, func(p int) { shown = append(shown, g.number(p)) }, func(s stretch) { said = append(said, s.text(g)) })
	for _, n := range []int{1, 20, 660, 700, 720, 1981, 2000} {
		if !slices.Contains(shown, n) {
			t.Errorf("step %d is left out", n)
		}
	}
	if want := []string{"steps 21 to 659 left out", "steps 721 to 1980 left out"}; len(shown) > 110 || !slices.Equal(said, want) {
		t.Errorf("%d points are drawn, and it says %q", len(shown), said)
	}
}

// sentAt returns the steps that sent the messages which a point took.
func (g *Graph) sentAt(p *point) (steps []int) {
	for _, id := range p.took {
		steps = append(steps, g.number(g.messages[id].sent))
	}
	return steps
}
