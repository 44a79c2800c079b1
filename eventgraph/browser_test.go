package eventgraph

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	withBrowser = flag.Bool("browser", false, "open the page of a graph in Chromium (make browser)")
	shots       = flag.String("shots", "", "keep the screenshots of -browser in this `folder`")
)

// browser drives Chromium by its debugging protocol, over a pair of pipes.
type browser struct {
	t       testing.TB
	to      io.Writer
	from    *bufio.Reader
	session string
	id      int
	said    []string // what the console, the log and the network have told
}

func startBrowser(t testing.TB) *browser {
	t.Helper()
	if !*withBrowser {
		t.Skip("opening a browser is not asked for; make browser does")
	}
	var name string
	for _, n := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if at, err := exec.LookPath(n); err == nil {
			name = at
			break
		}
	}
	if name == "" {
		t.Skip("there is no Chromium on this machine (apt install chromium)")
	}
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
		"--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{in, out}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		to.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	in.Close()
	out.Close()
	from.SetReadDeadline(time.Now().Add(time.Minute))
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
	target := b.call("Target.createTarget", map[string]any{"url": "about:blank"})
	b.session = b.call("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})["sessionId"].(string)
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil)
	}
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1500, "height": 900, "deviceScaleFactor": 1, "mobile": false})
	return b
}

type browserMessage struct {
	ID     int
	Method string
	Params json.RawMessage
	Result map[string]any
	Error  *struct{ Message string }
}

// call asks for something and waits for the answer.
func (b *browser) call(method string, params map[string]any) map[string]any {
	b.t.Helper()
	b.id++
	m := map[string]any{"id": b.id, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	text, err := json.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		if m := b.next(); m.ID == b.id {
			if m.Error != nil {
				b.t.Fatalf("%s: %s", method, m.Error.Message)
			}
			return m.Result
		}
	}
}

// next is the next message; it notes what a page should not say.
func (b *browser) next() browserMessage {
	b.t.Helper()
	text, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser says no more: %v", err)
	}
	var m browserMessage
	if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
		b.t.Fatal(err)
	}
	switch m.Method {
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening":
		b.said = append(b.said, m.Method+" "+string(m.Params))
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		json.Unmarshal(m.Params, &p)
		if !strings.HasPrefix(p.Request.URL, "file:") {
			b.said = append(b.said, "a request to "+p.Request.URL)
		}
	}
	return m
}

func (b *browser) open(name string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": "file://" + name})
	for b.next().Method != "Page.loadEventFired" {
	}
}

// eval is the value of an expression in the page.
func (b *browser) eval(expression string) any {
	b.t.Helper()
	r := b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true})
	if thrown, is := r["exceptionDetails"]; is {
		b.t.Fatalf("%s: %v", expression, thrown)
	}
	return r["result"].(map[string]any)["value"]
}

func (b *browser) shot(name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	data := b.call("Page.captureScreenshot", map[string]any{"format": "png"})["data"].(string)
	png, err := base64.StdEncoding.DecodeString(data)
	if err == nil {
		err = os.MkdirAll(*shots, 0o777)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o666)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// A page opens without an error and without a request, its slider moves, its
// filters filter, and nothing that a service writes is run.
func TestBrowser(t *testing.T) {
	b := startBrowser(t)
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
		b.open(file)
		if ready := b.eval("document.body.dataset.ready"); ready != "yes" {
			t.Errorf("%s: the script did not come to its end", name)
		}
	}
	is := func(expression string, want any) {
		t.Helper()
		if got := b.eval(expression); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v; want %v", expression, got, want)
		}
	}
	slide := func(to int) {
		b.eval(fmt.Sprintf(`{const s = document.getElementById("slider"); s.value = %d; s.dispatchEvent(new Event("input"))}`, to))
	}
	for name, p := range plays(t) {
		var states Recording
		w := p.take(t, states.See)
		g := New(w.Run.Trace(), w.Walker(), Marks{Title: "the play " + name, Critical: 2, Failed: w.Run.Steps(), Why: "it failed"})
		g.States = &states
		page(name, g)
		b.shot(name)
		is(`document.querySelectorAll("#graph .number").length`, min(w.Run.Steps(), 40))
	}

	here, there := besidePlay(t)
	page("beside", Compare(here, there))
	b.shot("beside")
	is(`document.getElementById("where").textContent`, "here: step 6 of 10, there: step – of 9") // the critical step
	slide(0)
	is(`document.getElementById("where").textContent`, "here: step 1 of 10, there: step 1 of 9")
	slide(7)
	is(`document.getElementById("where").textContent`, "here: step – of 10, there: step 7 of 9")
	is(`document.querySelectorAll("#graph .picked .hit")[0].getAttribute("data-row")`, 7)
	b.eval(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "End"}))`)
	is(`document.getElementById("where").textContent`, "here: step 10 of 10, there: step – of 9")
	b.eval(`{const s = document.getElementById("words"); s.value = "timer"; s.dispatchEvent(new Event("input"))}`)
	is(`document.querySelectorAll("#graph .number").length`, 4) // the timer, and who set it, in both
	b.eval(`{const s = document.getElementById("words"); s.value = ""; s.dispatchEvent(new Event("input"))}`)
	b.eval(`document.querySelectorAll("#nodes input").forEach((c, i) => { if (i != 0) c.click() })`)
	is(`document.getElementById("count").textContent`, "6 of 11 rows")

	p := hostilePlay(t)
	var states Recording
	w := p.take(t, states.See)
	g := New(w.Run.Trace(), w.Walker(), Marks{Title: hostile, Failed: w.Run.Steps(), Why: hostile})
	g.States = &states
	g.Code = func(int) []Code {
		return []Code{{hostile, []CodeLine{{1, hostile, true}, {}, {3, "\t" + hostile, false}}}}
	}
	page("hostile", g)
	is(`document.querySelectorAll("details.code pre.ran").length`, 1)
	b.shot("hostile")
	is(`window.evil`, "<nil>")
	is(`document.querySelectorAll("img, b:not(.run > b), script").length`, 2) // the data and the script

	began := time.Now()
	long := longRun(t, longSteps)
	long.Code = func(step int) (all []Code) {
		for i := range 5 {
			c := Code{Title: fmt.Sprint("function ", (step+i)%30)}
			for n := range 60 {
				c.Lines = append(c.Lines, CodeLine{n + 1, "\tif something.that.is(long) && another.thing(step) {", n%3 == 0})
			}
			all = append(all, c)
		}
		return all
	}
	page("long", long)
	t.Logf("the page of %d steps is made, written and opened in %s", longSteps, time.Since(began))
	if open := b.eval(`performance.getEntriesByType("navigation")[0].loadEventEnd`).(float64); open > 2000 {
		t.Errorf("the page of %d steps opens in %.0f ms", longSteps, open)
	} else {
		t.Logf("it opens in %.0f ms", open)
	}
	nodes := func(when string) {
		t.Helper()
		b.eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`)
		if n := b.eval(`document.querySelectorAll("*").length`).(float64); n > 5000 {
			t.Errorf("%s the page has %.0f elements", when, n)
		} else {
			t.Logf("%s the page has %.0f elements", when, n)
		}
	}
	nodes("at first")
	b.eval(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
	nodes("with all details")
	slide(1_000_000)
	is(`document.getElementById("where").textContent`, "step 10000 of 10000")
	is(`document.querySelector("#graph .picked .hit").getBoundingClientRect().bottom < innerHeight`, true)
	is(`document.querySelectorAll("#graph .number").length < 100`, true) // only what is in sight
	t.Logf("a step of the slider in a page of %d steps takes %.1f ms", longSteps, b.eval(`(() => {
		const s = document.getElementById("slider"), began = performance.now();
		for (let i = 0; i < 50; i++) { s.value = (i * 7919) % 10000; s.dispatchEvent(new Event("input")); document.body.offsetHeight; }
		return (performance.now() - began) / 50;
	})()`))
	nodes("after some moves")
	b.shot("long")
	folded := longRun(t, longSteps)
	folded.Marks.Critical = 4000
	page("folded", aPart{folded, Part{Most: 1000}})
	is(`document.getElementById("where").textContent`, "step 4000 of 10000")
	b.eval(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "Home"}))`)
	is(`document.getElementById("where").textContent`, "step 0 of 10000") // a start
	slide(201)
	is(`document.querySelector("#graph .left").textContent`, "⋮ steps 201 to 3599 left out")
	b.eval(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "End"}))`)
	is(`document.getElementById("where").textContent`, "step 10000 of 10000")
	b.shot("folded")

	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": "dark"}}})
	page("dark", Compare(here, there))
	b.shot("dark")
	for _, s := range b.said {
		t.Errorf("the page says: %s", s)
	}
}

// aPart is the page of a part of a graph, whatever part is asked for.
type aPart struct {
	*Graph
	part Part
}

func (p aPart) HTML(w io.Writer, _ Part) error { return p.Graph.HTML(w, p.part) }
