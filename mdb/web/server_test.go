package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/mdb"
)

// opened serves the page of a session on a file or a system, and returns its URL.
func opened(t testing.TB, o mdb.Opener, name string, lines ...string) string {
	t.Helper()
	if o.Find == nil {
		o.Find = catalog.Find
	}
	s, err := o.Open(name, mdb.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if _, err := s.Do(line); err != nil {
			t.Fatal(err)
		}
	}
	server := New(s, func() {})
	l := httptest.NewServer(server)
	t.Cleanup(func() {
		l.Close()
		s.Close()
	})
	return server.URL(l.Listener)
}

const example = "../../docs/examples/handshake-HS1"

// The page and its requests need the token and this machine's own name. All other requests are
// refused, and the answers have nothing of the run.
func TestServer(t *testing.T) {
	url := opened(t, mdb.Opener{}, example)
	base := url[:strings.Index(url, "/")+2] + strings.Split(url, "/")[2]
	token := strings.Split(url, "/")[3]
	if len(token) < 20 {
		t.Fatalf("the token is %q", token)
	}
	port := base[strings.LastIndexByte(base, ':'):]
	about := `{"op": "about"}`
	for _, c := range []struct {
		method, path, host, origin, kind, body string
		status                                 int
		says                                   string
	}{
		{"GET", "/" + token + "/", "", "", "", "", 200, "<!DOCTYPE html>"},
		{"GET", "/" + token + "/page.js", "localhost" + port, "", "", "", 200, "use strict"},
		{"GET", "/" + token + "/page.css", "", "", "", "", 200, "--bg"},
		{"POST", "/" + token + "/ask", "", base, "application/json", about, 200, `"system":"handshake with HS1"`},
		{"POST", "/" + token + "/ask", "", "", "application/json", `{"op": "abut"}`, 200, `did you mean about?`},
		{"GET", "/", "", "", "", "", 404, "nothing here"},
		{"GET", "/" + token[1:] + "/", "", "", "", "", 404, "nothing here"},
		{"GET", "/" + strings.ToLower(token) + "/", "", "", "", "", 404, "nothing here"},
		{"GET", "/" + token + "/server.go", "", "", "", "", 404, "not found"},
		{"POST", "/ask", "", "", "application/json", about, 404, "nothing here"},
		{"GET", "/" + token + "/", "evil.example" + port, "", "", "", 403, "127.0.0.1"}, // a name that was made to resolve to this machine
		{"GET", "/" + token + "/", "127.0.0.1.evil.example" + port, "", "", "", 403, "127.0.0.1"},
		{"GET", "/" + token + "/", "127.0.0.1", "", "", "", 403, "127.0.0.1"},
		{"POST", "/" + token + "/ask", "", "http://evil.example", "application/json", about, 403, "127.0.0.1"},
		{"POST", "/" + token + "/ask", "", "null", "application/json", about, 403, "127.0.0.1"},
		{"POST", "/" + token + "/ask", "", base, "text/plain", about, 405, "application/json"}, // what a form may send
		{"GET", "/" + token + "/ask", "", "", "application/json", "", 405, "POST"},
		{"POST", "/" + token + "/", "", "", "", "", 405, "only read"},
		{"POST", "/" + token + "/ask", "", "", "application/json", strings.Repeat(" ", requestMost+1), 400, "not read"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, base+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		for key, value := range map[string]string{"Origin": c.origin, "Content-Type": c.kind} {
			if value != "" {
				r.Header.Set(key, value)
			}
		}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(got.Body)
		got.Body.Close()
		if got.StatusCode != c.status || !strings.Contains(string(text), c.says) || c.status != 200 && strings.Contains(string(text), "handshake") {
			t.Errorf("%s %s to %q from %q: status %d, want %d: %.100s", c.method, c.path, c.host, c.origin, got.StatusCode, c.status, text)
		}
		if p := got.Header.Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") || strings.Contains(p, "unsafe") || strings.Contains(p, "http") {
			t.Errorf("%s: the policy is %q", c.path, p)
		}
	}
}

// A page listens on the loopback interface alone.
func TestListen(t *testing.T) {
	l, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		t.Errorf("it listens at %s", ip)
	}
}

// A request whose browser has gone away is stopped, and the next one is answered.
func TestGone(t *testing.T) {
	s, err := mdb.Opener{Find: catalog.Find}.Open("../../docs/examples/randtree-RT13", mdb.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	server := New(s, func() {})
	gone, leave := context.WithCancel(t.Context())
	leave()
	if answer := string(server.answer(gone, []byte(`{"op": "curve", "more": 3}`))); !strings.Contains(answer, `"error":"stopped"`) {
		t.Errorf("a request that nobody waits for is answered %s", answer)
	}
	if answer := string(server.answer(t.Context(), []byte(`{"op": "curve", "more": 2}`))); !strings.Contains(answer, `"well"`) {
		t.Errorf("the next is answered %s", answer)
	}
}

// The page has nothing that its policy would have to permit besides its own files.
func TestPage(t *testing.T) {
	for _, bad := range []string{"style=", "onclick", "<script>", "http:", "https:", "javascript:"} {
		if strings.Contains(string(pageHTML), bad) {
			t.Errorf("page.html has %s", bad)
		}
	}
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "https:", `setAttribute("style"`} {
		if strings.Contains(string(pageJS), bad) {
			t.Errorf("page.js has %s", bad)
		}
	}
}
