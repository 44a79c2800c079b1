package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/catalog"
	"macemc/internal/chromium"
	"macemc/mdb"
	"macemc/sim"
)

// visitor is a browser that shows a page.
type visitor struct {
	*chromium.Browser
	t *testing.T
}

// visit opens a page and waits until its first step is shown.
func (v visitor) visit(url string) {
	v.t.Helper()
	v.Open(url)
	v.until(`document.body.dataset.ready === "yes"`)
}

// until waits until an expression holds.
func (v visitor) until(expression string) {
	v.t.Helper()
	if v.Eval(`new Promise((done) => { const began = performance.now(), look = () => (`+expression+`) ? done(true) : performance.now() - began > 20000 ? done(false) : setTimeout(look, 10); look(); })`) != true {
		v.t.Fatalf("%s never holds; the page is at %v and says %v", expression, v.Eval("document.body.dataset.at"), v.Eval(`document.getElementById("busy").textContent`))
	}
}

func (v visitor) is(expression string, want any) {
	v.t.Helper()
	if got := v.Eval(expression); fmt.Sprint(got) != fmt.Sprint(want) {
		v.t.Errorf("%s is %v; want %v", expression, got, want)
	}
}

// press presses a key, and waits until the page stands at a place.
func (v visitor) press(key, place string) {
	v.t.Helper()
	v.Eval(fmt.Sprintf(`document.dispatchEvent(new KeyboardEvent("keydown", {key: %q}))`, key))
	v.at(place)
}

func (v visitor) at(place string) {
	v.t.Helper()
	v.until(fmt.Sprintf(`document.body.dataset.at === %q && location.hash.startsWith("#%s")`, place, place))
}

func (v visitor) click(selector string) {
	v.t.Helper()
	v.Eval(fmt.Sprintf(`document.querySelector(%q).click()`, selector))
}

func (v visitor) tab(name, shows string) {
	v.t.Helper()
	v.click(fmt.Sprintf(`#tabs [data-tab=%s]`, name))
	v.until(fmt.Sprintf(`document.getElementById("panel").dataset.tab === %q && document.getElementById("panel").textContent.includes(%q)`, name, shows))
}

// small gives the window the size that the pictures in the documents have.
func (v visitor) small() {
	v.t.Helper()
	v.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1280, "height": 760, "deviceScaleFactor": 1, "mobile": false})
}

// said fails the test if the page has reported an error, or has loaded anything from elsewhere.
func (v visitor) said() {
	v.t.Helper()
	for _, s := range v.Said {
		v.t.Errorf("the page says: %s", s)
	}
}

func startVisitor(t *testing.T) visitor {
	t.Helper()
	return visitor{chromium.Start(t, "http://127.0.0.1:"), t}
}

// The page of a finding: every view, a branch by a click on a stub, the live run laid
// over, the curve with its fall, a link that comes back, a trace.
func TestBrowser(t *testing.T) {
	v := startVisitor(t)
	url := opened(t, mdb.Opener{Tool: "macemc"}, example)
	v.visit(url)
	v.at("trunk/4") // the critical step
	v.is(`document.querySelectorAll("#rows .row").length`, 5)
	v.is(`document.querySelectorAll("#rows .cause").length`, 4)
	v.until(`document.getElementById("sampled").textContent.includes("40 fresh ones from each of 5 of 5 states, with")`)
	v.is(`document.querySelector("#curve .fall").textContent`, "◆ step 4: 100 % → 0 %")
	v.until(`document.querySelectorAll("#rows .row.critical .to-live").length === 2`)
	v.press("k", "trunk/3")
	v.tab("choices", "n1 lose confirm{} from n0  ← this run")
	v.until(`document.querySelector("#panel .alt.taken .dot.to-dead:not(.seems)") === null || true`)
	v.tab("state", `n1.state"answering"`)
	v.tab("compare", "udp n1->n0[0]welcome{}")
	v.press("1", "trunk/3")
	v.press("End", "trunk/4")
	v.Eval(`{ const s = document.querySelector("#overlay"); s.click(); }`)
	v.until(`document.querySelectorAll("#rows .row.live").length === 2`)
	v.is(`document.querySelectorAll("#rows .row.only").length`, 1)
	v.is(`location.hash`, "#trunk/4;live")
	v.Shot("overlay")
	v.Eval(`document.querySelector("#overlay").click()`)

	v.click(`#rows .critical .alts button[data-alt="2"]`) // the datagram is copied instead
	v.at("b1/4")
	v.tab("tree", "b1from 3, 4 steps, not live")
	v.Eval(`document.getElementById("line").value = "name copied"; document.getElementById("prompt").requestSubmit()`)
	v.at("copied/4")
	v.Eval(`document.getElementById("line").value = "walk live"; document.getElementById("prompt").requestSubmit()`)
	v.until(`document.body.dataset.at.startsWith("copied/") && document.getElementById("panel").textContent.includes("the state is live")`)
	link := v.Eval(`location.href`).(string)
	v.tab("tree", "copiedfrom 3,")
	v.until(`document.getElementById("sampled").textContent.includes("5 of 5 states") === false && document.getElementById("sampled").textContent.includes(" states, with")`) // the curve has grown with the branch
	v.Eval(`document.getElementById("line").value = "nonsense"; document.getElementById("prompt").requestSubmit()`)
	v.until(`document.querySelector("#panel .wrong")?.textContent.includes('there is no command "nonsense"')`)
	v.Open("about:blank")
	v.visit(link)
	v.is(`document.body.dataset.at`, link[strings.Index(link, "#")+1:])

	v.Eval(`globalThis.saved = ""; URL.createObjectURL = (blob) => { blob.text().then((t) => globalThis.saved = t); return "#"; }; document.getElementById("perfetto").click()`)
	v.until(`globalThis.saved !== "" && JSON.parse(globalThis.saved).traceEvents.some((e) => e.ph === "f")`)
	v.said()
}

// The page of a path that the code does not take any more says so at its top, with the files that
// show the run as it was.
func TestBrowserParted(t *testing.T) {
	v := startVisitor(t)
	path, err := choose.Open(filepath.Join(example, "error.path"))
	if err != nil {
		t.Fatal(err)
	}
	path.Steps[3].Event.What = "n1 lose goodbye{} from n0"
	folder := t.TempDir()
	var b strings.Builder
	if _, err := path.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"error.path": b.String(), "graph.html": "", "report.md": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v.small()
	v.visit(opened(t, mdb.Opener{Tool: "macemc"}, folder))
	v.is(`document.getElementById("parted").textContent`, "The code has changed since this run was recorded: it is followed to step 3 of 4, and parts there from what was recorded. In the folder of the finding "+
		filepath.Join(folder, "graph.html")+" and "+filepath.Join(folder, "report.md")+" show the run as it was.")
	v.is(`document.querySelector("#says b").textContent`, "recorded as dead: “both are connected”")
	v.is(`(() => { const box = document.getElementById("parted").getBoundingClientRect(); return box.height > 10 && box.bottom < 300; })()`, true)
	v.visit(opened(t, mdb.Opener{Tool: "macemc"}, example))
	v.is(`document.getElementById("parted").hidden`, true)
	v.said()
}

// The page of a finding that fails shows how many walks avoid the failure.
func TestBrowserFailure(t *testing.T) {
	v := startVisitor(t)
	v.small()
	v.visit(opened(t, mdb.Opener{Tool: "macemc"}, "../../docs/examples/randtree-RT15"))
	v.at("trunk/14")
	v.is(`document.querySelectorAll("#rows .failing .tag.bad").length`, 1)
	v.tab("choices", "avoids the failure")
	v.until(`/step 14: \d+ % → \d+ %/.test(document.querySelector("#curve .fall")?.textContent)`)
	v.until(`document.getElementById("sampled").textContent.includes("of walks that go on without a failure within 200 steps, of 40 fresh ones from each of 17 of 17 states, with")`)
	v.until(`document.querySelectorAll("#rows .failing .to-dead.seems").length > 0 && document.querySelectorAll("#rows .to-live").length > 30`)
	v.Shot("failure")
	v.is(`document.documentElement.scrollWidth <= innerWidth`, true)
	v.said()
}

// The views of a finding with faults, for people who look at them: -shots.
func TestBrowserLooks(t *testing.T) {
	v := startVisitor(t)
	v.small()
	t.Chdir("../..") // the page shows the command that opens the file again
	url := opened(t, mdb.Opener{Tool: "macemc"}, "docs/examples/randtree-RT13")
	v.visit(url)
	sampled := `document.getElementById("sampled").textContent.includes("states, with")`
	v.until(sampled)
	v.until(`document.querySelectorAll("#rows .row .to-live").length >= 40`)
	v.Shot("critical")
	v.tab("choices", "recovers")
	v.Shot("choices")
	v.Eval(`document.querySelector("#causes").click()`)
	v.until(`location.hash.includes("causes")`)
	v.Shot("causes")
	v.Eval(`document.querySelector("#causes").click()`)
	v.Eval(`document.querySelector("#overlay").click()`)
	v.until(`document.querySelectorAll("#rows .row.live").length > 0`)
	v.tab("compare", "differ")
	v.Shot("live")
	v.Eval(`document.querySelector("#overlay").click()`)
	v.is(`document.documentElement.scrollWidth <= innerWidth`, true)
	v.press("k", "trunk/11")
	v.Eval(`document.getElementById("line").value = "walk 6"; document.getElementById("prompt").requestSubmit()`)
	v.at("b1/17")
	v.Eval(`document.getElementById("line").value = "name lucky; branch trunk 5; walk 8 seed 3"; document.getElementById("prompt").requestSubmit()`)
	v.at("b2/13")
	v.tab("tree", "lucky")
	v.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": "dark"}}})
	v.until(sampled)
	v.Shot("branches")
	v.said()
}

const hostile = `<img src=x onerror="window.evil=1"></script><script>window.evil=1</script> & "quotes" ` + "\u202e\x1b[31m\u2028 ${1} `"

type say struct{ Text string }

type talker struct{ Heard []string }

func (n *talker) start(env sim.Env, s say) {
	env.Logf("%s", s.Text)
	env.UDP().Send(env.Peers()[0], s)
}
func (n *talker) hear(env sim.Env, _ sim.Addr, s say) { n.Heard = append(n.Heard, s.Text) }

// Text of a service is shown as text wherever it stands in the page.
func TestBrowserHostile(t *testing.T) {
	v := startVisitor(t)
	sys := &sim.System{
		Name: "hostile", Doc: "A node that says markup.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New: func(sim.Params, sim.Addr) sim.Node {
			return sim.Handle(sim.OnSignal((*talker).start), sim.OnMessage((*talker).hear)).Node(&talker{})
		},
		Script: func(_ sim.Params, self sim.Addr, _ int) []sim.Signal { return []sim.Signal{say{hostile}} },
		Properties: []sim.Property{
			sim.Eventually(hostile, func(v sim.View[*talker]) bool { return false }, func(v sim.View[*talker]) string { return hostile }),
		},
	}
	url := opened(t, mdb.Opener{Find: func(string) (*sim.System, error) { return sys, nil }}, "hostile", "walk 3", "prev", "walk 2 seed 4")
	v.visit(url + "#trunk/2")
	for _, tab := range []string{"choices", "state", "compare", "tree", "said", "step"} {
		v.tab(tab, "")
	}
	v.Eval(`document.getElementById("line").value = "show; properties; state; alternatives"; document.getElementById("prompt").requestSubmit()`)
	v.until(`document.querySelectorAll("#panel .said pre").length > 3`)
	v.Shot("hostile")
	v.is(`window.evil`, "<nil>")
	v.is(`document.querySelectorAll("img, script:not([src])").length`, 0)
	v.is(`document.getElementById("panel").textContent.includes("<img src=x")`, true)
	v.said()
}

// longSteps is the number of steps of a run that the page must be able to show.
const longSteps = 10_000

// longPath writes a run of the given number of steps, with a critical step in its middle by its
// header.
func longPath(t *testing.T, o mdb.Opener) string {
	t.Helper()
	s, err := o.Open("jointree", mdb.Settings{Nodes: 4})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "long.path")
	if _, err := s.Do(fmt.Sprintf("walk %d; save %s", longSteps, name)); err != nil {
		t.Fatal(err)
	}
	path, err := choose.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	path.Set("verdict", "dead")
	path.Set("critical", fmt.Sprint(longSteps/2))
	file, err := os.Create(name)
	if err == nil {
		_, err = path.WriteTo(file)
		file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// The page of a run of 10,000 steps loads little to open, and has at most 5,000 nodes wherever
// it is looked at. How long it takes to open and to move is logged.
func TestBrowserLong(t *testing.T) {
	v := startVisitor(t)
	o := mdb.Opener{Find: catalog.Find, Tool: "macemc"}
	name := longPath(t, o)
	began := time.Now()
	url := opened(t, o, name)
	served := time.Since(began)
	v.visit(url)
	opened := v.Eval(`performance.now()`).(float64)
	t.Logf("a run of %d steps: the session opens in %s, and its page is told in %.0f ms", longSteps, served.Round(time.Millisecond), opened)
	// Whether a page opens in two seconds depends on the machine; what it loads for it does not.
	loaded := v.Eval(`performance.getEntriesByType("resource").filter((e) => e.startTime < performance.now()).reduce((n, e) => n + e.transferSize, 0)`).(float64)
	asked := v.Eval(`performance.getEntriesByType("resource").length`).(float64)
	t.Logf("it loads %.0f bytes in %.0f requests for that", loaded, asked)
	if loaded > 500_000 || asked > 60 {
		t.Errorf("to open, the page loads %.0f bytes in %.0f requests", loaded, asked)
	}
	most := 0.0
	nodes := func(when string) {
		t.Helper()
		n := v.Eval(`document.querySelectorAll("*").length`).(float64)
		if most = max(most, n); n > 5000 {
			t.Errorf("%s the page has %.0f nodes", when, n)
		}
	}
	nodes("at first")
	for _, tab := range []string{"choices", "state", "compare", "tree", "step"} {
		v.tab(tab, "")
		nodes("with " + tab)
	}
	v.Eval(`document.querySelector("#causes").click()`)
	v.until(`location.hash.includes("causes")`)
	nodes("with causes only")
	v.Eval(`document.querySelector("#causes").click()`)
	v.press("End", "trunk/10000")
	v.press("Home", "trunk/0")
	v.press("PageDown", v.Eval(`"trunk/" + Math.max(1, Math.floor(document.getElementById("view").clientHeight / 26) - 2)`).(string))
	v.press("c", "trunk/5000")
	drawn, told := 0.0, 0.0
	const moves = 40
	for i := range moves {
		v.press("j", fmt.Sprintf("trunk/%d", 5001+i))
		drawn += v.Eval(`Number(document.body.dataset.moved)`).(float64) / moves
		told += v.Eval(`Number(document.body.dataset.told)`).(float64) / moves
	}
	t.Logf("a move is drawn in %.1f ms and told in %.1f ms, on average of %d; the page never had more than %.0f nodes", drawn, told, moves, most)
	v.Eval(`(async () => { const view = document.getElementById("view"); for (let i = 0; i < 60; i++) { view.scrollTop = i * 4333; await new Promise(requestAnimationFrame); } })()`)
	nodes("after scrolling")
	v.press("c", "trunk/5000")
	v.until(`document.querySelectorAll("#rows .row.here .alts button").length > 0`)
	v.Eval(`new Promise((done) => setTimeout(done, 4000))`)
	v.Shot("long")
	v.said()
}
