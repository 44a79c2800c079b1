package chromium

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	withBrowser = flag.Bool("browser", false, "open pages in Chromium (make browser)")
	shots       = flag.String("shots", "", "keep the screenshots of -browser in this `folder`")
)

// Browser drives Chromium by its debugging protocol, over a pair of pipes.
type Browser struct {
	t       testing.TB
	to      io.Writer
	from    *bufio.Reader
	session string
	id      int
	site    string   // the beginning of the URLs from which pages may load
	Said    []string // what the page wrote to the console or the log, and loads that failed or were not allowed
}

// Start starts a browser with a window of 1500 by 900 pixels. site is the beginning of a URL;
// what a page loads from elsewhere is noted in Said. Start skips the test unless the flag
// -browser is given and Chromium is installed.
func Start(t testing.TB, site string) *Browser {
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
	profile, err := os.MkdirTemp("", "chromium-*") // not the test's: a process of the browser may still write when the test ends
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
		"--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{in, out}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		to.Close()
		cmd.Process.Kill()
		cmd.Wait()
		os.RemoveAll(profile)
	})
	in.Close()
	out.Close()
	from.SetReadDeadline(time.Now().Add(time.Minute))
	b := &Browser{t: t, to: to, from: bufio.NewReader(from), site: site}
	target := b.Call("Target.createTarget", map[string]any{"url": "about:blank"})
	b.session = b.Call("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})["sessionId"].(string)
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.Call(domain+".enable", nil)
	}
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1500, "height": 900, "deviceScaleFactor": 1, "mobile": false})
	return b
}

type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result map[string]any
	Error  *struct{ Message string }
}

// Call sends a command of the debugging protocol to the browser, and returns its answer.
func (b *Browser) Call(method string, params map[string]any) map[string]any {
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

// next returns the next message of the browser, and notes in Said the errors that the page has
// logged.
func (b *Browser) next() message {
	b.t.Helper()
	text, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser says no more: %v", err)
	}
	var m message
	if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
		b.t.Fatal(err)
	}
	switch m.Method {
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening":
		b.Said = append(b.Said, m.Method+" "+string(m.Params))
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		json.Unmarshal(m.Params, &p)
		if !strings.HasPrefix(p.Request.URL, b.site) && !strings.HasPrefix(p.Request.URL, "data:") {
			b.Said = append(b.Said, "a request to "+p.Request.URL)
		}
	}
	return m
}

// Open opens a URL, and waits until it is loaded.
func (b *Browser) Open(url string) {
	b.t.Helper()
	b.Call("Page.navigate", map[string]any{"url": url})
	for b.next().Method != "Page.loadEventFired" {
	}
}

// Eval evaluates a JavaScript expression in the page.
func (b *Browser) Eval(expression string) any {
	b.t.Helper()
	r := b.Call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true})
	if thrown, is := r["exceptionDetails"]; is {
		b.t.Fatalf("%s: %v", expression, thrown)
	}
	return r["result"].(map[string]any)["value"]
}

// Shot saves a picture of the page in the folder of the flag -shots, if it is set.
func (b *Browser) Shot(name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	data := b.Call("Page.captureScreenshot", map[string]any{"format": "png"})["data"].(string)
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
