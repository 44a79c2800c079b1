package eventgraph

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"macemc/internal/chromium"
	"macemc/internal/recording"
)

// A page opens without an error and without a request, its slider moves, its
// filters filter, and nothing that a service writes is run.
func TestBrowser(t *testing.T) {
	b := chromium.Start(t, "file:")
	page := func(name string, d interface {
		HTML(io.Writer, Part) error
	}) {
		t.Helper()
		file := filepath.Join(t.TempDir(), name+".html")
		f, err := os.Create(file)
		if err == nil {
			err = d.HTML(f, Part{})
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		b.Open("file://" + file)
		if ready := b.Eval("document.body.dataset.ready"); ready != "yes" {
			t.Errorf("%s: the script did not come to its end", name)
		}
	}
	is := func(expression string, want any) {
		t.Helper()
		if got := b.Eval(expression); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v; want %v", expression, got, want)
		}
	}
	slide := func(to int) {
		b.Eval(fmt.Sprintf(`{const s = document.getElementById("slider"); s.value = %d; s.dispatchEvent(new Event("input"))}`, to))
	}
	for name, p := range plays(t) {
		var states recording.Recording
		w := p.take(t, states.See)
		g := New(w.Run.Trace(), w.Walker().Text, Marks{Title: "the play " + name, Critical: 2, Failed: w.Run.Steps(), Why: "it failed"})
		g.states = &states
		page(name, g)
		b.Shot(name)
		is(`document.querySelectorAll("#graph .number").length`, min(w.Run.Steps(), 40))
	}

	here, there := besidePlay(t)
	page("beside", Compare(here, there))
	b.Shot("beside")
	is(`document.getElementById("where").textContent`, "here: step 6 of 10, there: step – of 9") // the critical step
	slide(0)
	is(`document.getElementById("where").textContent`, "here: step 1 of 10, there: step 1 of 9")
	slide(7)
	is(`document.getElementById("where").textContent`, "here: step – of 10, there: step 7 of 9")
	is(`document.querySelectorAll("#graph .picked .hit")[0].getAttribute("data-row")`, 7)
	b.Eval(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "End"}))`)
	is(`document.getElementById("where").textContent`, "here: step 10 of 10, there: step – of 9")
	b.Eval(`{const s = document.getElementById("words"); s.value = "timer"; s.dispatchEvent(new Event("input"))}`)
	is(`document.querySelectorAll("#graph .number").length`, 4) // the timer, and the step that set it, in both
	b.Eval(`{const s = document.getElementById("words"); s.value = ""; s.dispatchEvent(new Event("input"))}`)
	b.Eval(`document.querySelectorAll("#nodes input").forEach((c, i) => { if (i != 0) c.click() })`)
	is(`document.getElementById("count").textContent`, "6 of 11 rows")

	p := hostilePlay(t)
	var states recording.Recording
	w := p.take(t, states.See)
	g := New(w.Run.Trace(), w.Walker().Text, Marks{Title: hostile, Failed: w.Run.Steps(), Why: hostile})
	g.states = &states
	g.code = func(int) []Code {
		return []Code{{hostile, hostile, []CodeLine{{1, hostile, true}, {}, {3, "\t" + hostile, false}}}}
	}
	page("hostile", g)
	is(`document.querySelectorAll("details.code pre.ran").length`, 1)
	b.Shot("hostile")
	is(`window.evil`, "<nil>")
	is(`document.querySelectorAll("img, b:not(.run > b), script").length`, 2) // the data and the script

	began := time.Now()
	long := longRun(t, longSteps)
	long.code = func(step int) (all []Code) {
		for i := range 5 {
			c := Code{Func: fmt.Sprint("function ", (step+i)%30)}
			for n := range 60 {
				c.Lines = append(c.Lines, CodeLine{n + 1, "\tif something.that.is(long) && another.thing(step) {", n%3 == 0})
			}
			all = append(all, c)
		}
		return all
	}
	page("long", long)
	t.Logf("the page of %d steps is made, written and opened in %s", longSteps, time.Since(began))
	if open := b.Eval(`performance.getEntriesByType("navigation")[0].loadEventEnd`).(float64); open > 2000 {
		t.Errorf("the page of %d steps opens in %.0f ms", longSteps, open)
	} else {
		t.Logf("it opens in %.0f ms", open)
	}
	nodes := func(when string) {
		t.Helper()
		b.Eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`)
		if n := b.Eval(`document.querySelectorAll("*").length`).(float64); n > 5000 {
			t.Errorf("%s the page has %.0f elements", when, n)
		} else {
			t.Logf("%s the page has %.0f elements", when, n)
		}
	}
	nodes("at first")
	b.Eval(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
	nodes("with all details")
	slide(1_000_000)
	is(`document.getElementById("where").textContent`, "step 10000 of 10000")
	is(`document.querySelector("#graph .picked .hit").getBoundingClientRect().bottom < innerHeight`, true)
	is(`document.querySelectorAll("#graph .number").length < 100`, true) // only what is in sight
	t.Logf("a step of the slider in a page of %d steps takes %.1f ms", longSteps, b.Eval(`(() => {
		const s = document.getElementById("slider"), began = performance.now();
		for (let i = 0; i < 50; i++) { s.value = (i * 7919) % 10000; s.dispatchEvent(new Event("input")); document.body.offsetHeight; }
		return (performance.now() - began) / 50;
	})()`))
	nodes("after some moves")
	b.Shot("long")
	folded := longRun(t, longSteps)
	folded.Marks.Critical = 4000
	page("folded", aPart{folded, Part{Most: 1000}})
	is(`document.getElementById("where").textContent`, "step 4000 of 10000")
	b.Eval(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "Home"}))`)
	is(`document.getElementById("where").textContent`, "step 0 of 10000") // a start
	slide(201)
	is(`document.querySelector("#graph .left").textContent`, "⋮ steps 201 to 3599 left out")
	b.Eval(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "End"}))`)
	is(`document.getElementById("where").textContent`, "step 10000 of 10000")
	b.Shot("folded")

	b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": "dark"}}})
	page("dark", Compare(here, there))
	b.Shot("dark")
	for _, s := range b.Said {
		t.Errorf("the page says: %s", s)
	}
}

// aPart is a graph that always draws this part, whatever part is asked for.
type aPart struct {
	*Graph
	part Part
}

func (p aPart) HTML(w io.Writer, _ Part) error { return p.Graph.HTML(w, p.part) }
