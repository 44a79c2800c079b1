package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"macemc/mdb"
	"macemc/mdb/wire"
)

var (
	//go:embed page.html
	pageHTML []byte
	//go:embed page.css
	pageCSS []byte
	//go:embed page.js
	pageJS []byte
)

// policy is the Content-Security-Policy of the page. It allows the page only to run its script, load
// its style and images, and send requests to this server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Server serves the page of a session, and answers its requests one after the other.
type Server struct {
	token string
	ended func() // called after a request has ended the session

	turn  sync.Mutex // held by the request that uses the session
	wire  *wire.Wire
	asked atomic.Pointer[context.Context] // the context of the request that uses the session
}

// New returns a server for a session. A request whose browser has gone away is stopped.
func New(s *mdb.Session, ended func()) *Server {
	server := &Server{token: rand.Text(), ended: ended}
	s.Watch(server.gone, nil)
	server.wire = wire.New(s)
	return server
}

// gone reports whether the browser has closed the connection of the present request.
func (s *Server) gone() bool {
	ctx := s.asked.Load()
	return ctx != nil && (*ctx).Err() != nil
}

// Listen returns a listener on the loopback interface. If port is 0, it uses any free port.
func Listen(port int) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", fmt.Sprint(port)))
}

// URL returns the address of the page on a listener. It has the token, without which nothing is
// served.
func (s *Server) URL(l net.Listener) string {
	return "http://" + l.Addr().String() + "/" + s.token + "/"
}

// ServeHTTP answers requests for the page and requests of the page.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for key, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		w.Header().Set(key, value)
	}
	if !here(r) {
		http.Error(w, "this page is at 127.0.0.1 and localhost only", http.StatusForbidden)
		return
	}
	token, file, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		http.Error(w, "there is nothing here; open the address that macemc has printed, with all of its letters", http.StatusNotFound)
		return
	}
	file, is := files[file]
	switch {
	case !is:
		http.NotFound(w, r)
	case file == "ask":
		s.ask(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "the page is only read", http.StatusMethodNotAllowed)
	default:
		s.file(w, file)
	}
}

// here reports whether a request names this machine itself, with the port at which it arrived, and
// comes from this page. A stranger's domain whose name resolves to this machine is rejected.
func here(r *http.Request) bool {
	addr, is := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !is {
		return false
	}
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil || r.Host != "127.0.0.1:"+port && r.Host != "localhost:"+port {
		return false
	}
	origin := r.Header.Get("Origin")
	return origin == "" || origin == "http://"+r.Host
}

// files maps the paths of URLs, behind the token, to the files of the page; ask is the path
// of requests.
var files = map[string]string{"": "page.html", "page.css": "page.css", "page.js": "page.js", "ask": "ask"}

func (s *Server) file(w http.ResponseWriter, name string) {
	kind, text := "text/html", pageHTML
	switch name {
	case "page.css":
		kind, text = "text/css", pageCSS
	case "page.js":
		kind, text = "text/javascript", pageJS
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	_, _ = w.Write(text)
}

// requestMost is the largest size of a request in bytes.
const requestMost = 1 << 20

// ask answers a request of mdb/wire.
func (s *Server) ask(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "ask by POST, with a body of application/json", http.StatusMethodNotAllowed)
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, requestMost))
	if err != nil {
		http.Error(w, fmt.Sprintf("the request is not read: %s", err), http.StatusBadRequest)
		return
	}
	answer := s.answer(r.Context(), text)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer)
}

func (s *Server) answer(ctx context.Context, text []byte) []byte {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.asked.Store(&ctx)
	answer := s.wire.Answer(text)
	if s.wire.Ended() {
		s.ended()
	}
	return answer
}
