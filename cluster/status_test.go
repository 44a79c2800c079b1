package cluster

import (
	"encoding/json"
	"fmt"
	"io"
	"macemc/internal/jobs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// get asks the status page for something, by a request that edit may change, and returns the status and the body.
func (g *rig) get(path string, edit func(*http.Request)) (int, string) {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.ctx, http.MethodGet, strings.TrimSuffix(g.c.status.url, "/")+path, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	if edit != nil {
		edit(req)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// The status page has the search's progress and findings as the command has them, and what the
// workers did; as a page, all of it is text.
func TestStatusPage(t *testing.T) {
	t.Parallel()
	p := brisk
	p.ack = time.Minute // no worker counts as gone, however slow this machine is
	g := newRig(t, clean(t, 1500), settings{status: "127.0.0.1:0", pace: p})
	if code, text := g.get("/", nil); code != http.StatusOK || !strings.Contains(text, "none: the walks wait for one") {
		t.Errorf("before any worker came: %d %s", code, text)
	}
	var taken, stored atomic.Int64
	g.worker(2, func(at, _ string) {
		switch at {
		case "taken":
			taken.Add(1)
		case "stored":
			stored.Add(1)
		}
	})
	if !g.said.hears(g.ctx.Done(), "has 2 goroutines") {
		t.Fatal("the worker did not come")
	}
	g.search()
	code, text := g.get("/status.json", nil)
	var got status
	if err := json.Unmarshal([]byte(text), &got); err != nil || code != http.StatusOK {
		t.Fatalf("%d %v: %s", code, err, text)
	}
	if len(got.Workers) != 1 {
		t.Fatalf("workers: %+v", got.Workers)
	}
	w := got.Workers[0]
	if got.Goroutines != 2 || w.Goroutines != 2 || w.Walks != got.Counts.Walks || w.Walks < w.Spans || w.Spans != got.Counts.Spans || w.Spans < int(stored.Load()) || w.Spans > int(taken.Load()) || w.Rate <= 0 {
		t.Errorf("the worker took %d spans and stored the results of %d: %s", taken.Load(), stored.Load(), text)
	}
	if got.Progress != "<b>halfway</b>" || len(got.Findings) != 1 || got.Seconds != 3 {
		t.Errorf("the search's progress is missing: %s", text)
	}
	code, text = g.get("/", nil)
	for _, part := range []string{`http-equiv="refresh"`, "&lt;b&gt;halfway&lt;/b&gt;", "&lt;script&gt;alert(1)", w.Name, fmt.Sprintf("<td>%d</td>", w.Walks)} {
		if code != http.StatusOK || !strings.Contains(text, part) {
			t.Errorf("the page lacks %s: %d %s", part, code, text)
		}
	}
	if strings.Contains(text, "<script") || strings.Contains(text, "<b>") {
		t.Errorf("text of the search became a part of the page: %s", text)
	}
	for what, c := range map[string]struct {
		path string
		edit func(*http.Request)
		want int
	}{
		"another name of this machine": {"/", func(r *http.Request) { r.Host = "evil.example:80" }, http.StatusForbidden},
		"a change":                     {"/", func(r *http.Request) { r.Method = http.MethodPost }, http.StatusMethodNotAllowed},
		"another page":                 {"/other", nil, http.StatusNotFound},
	} {
		if code, text := g.get(c.path, c.edit); code != c.want {
			t.Errorf("%s: %d, want %d: %s", what, code, c.want, text)
		}
	}
}

// Beyond the loopback interface the status page needs a token, and requires it in each request.
func TestStatusPageNeedsToken(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := (&settings{status: "0.0.0.0:0"}).serveStatus(jobs.Job{}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "--status 0.0.0.0:0 is open to other machines; give --token-file") {
		t.Errorf("without a token: %v", err)
	}
	p, err := (&settings{status: "0.0.0.0:0", token: file}).serveStatus(jobs.Job{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.end()
	g := newRig(t, clean(t, 1), settings{status: "127.0.0.1:0", token: file})
	for password, want := range map[string]int{"": http.StatusUnauthorized, "0123456789abcdeF": http.StatusUnauthorized, "0123456789abcdef": http.StatusOK} {
		if code, _ := g.get("/status.json", func(r *http.Request) { r.SetBasicAuth("me", password) }); code != want {
			t.Errorf("password %q: %d, want %d", password, code, want)
		}
	}
	if code, _ := g.get("/", nil); code != http.StatusUnauthorized {
		t.Errorf("without any password: %d", code)
	}
}
