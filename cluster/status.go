package cluster

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strings"
	"time"

	"macemc/internal/jobs"
	"macemc/internal/search"
)

// statusPage serves the status of a coordinator, as a page at / and as JSON at /status.json. It
// takes no requests that change anything.
type statusPage struct {
	url    string
	token  string // If it is not "", a request must have it as its password.
	now    func() jobs.Status
	roster *roster
	line   []string // the command line of the search
	server http.Server
}

// status has the contents of the page, as they are encoded in JSON.
type status struct {
	Command    []string     `json:"command"`
	Progress   string       `json:"progress"` // as the terminal shows it
	Phase      search.Phase `json:"phase"`
	Done       int          `json:"done"`
	Of         int          `json:"of"` // the number at which the phase is complete; 0 if it is unknown
	Seconds    float64      `json:"seconds"`
	States     int          `json:"states"`
	Steps      int          `json:"steps"`
	Walks      int          `json:"walks"` // of the whole search, those of earlier processes included
	Findings   []string     `json:"findings"`
	Goroutines int          `json:"goroutines"`
	Workers    []member     `json:"workers"`
	Counts     tally        `json:"since_start"`
}

// serveStatus begins to serve the status page of job j. It returns nil if the flags ask for none.
// An address off the loopback needs a token.
func (s *settings) serveStatus(j jobs.Job, now func() jobs.Status, roster *roster) (*statusPage, error) {
	if s.status == "" {
		return nil, nil
	}
	secret, err := s.secret()
	if err != nil {
		return nil, err
	}
	host, port, err := address("--status", s.status, secret != "", "--token-file")
	if err != nil {
		return nil, err
	}
	p := &statusPage{token: secret, now: now, roster: roster, line: j.Args}
	l, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(max(0, port))))
	if err != nil {
		return nil, fmt.Errorf("--status %s: %w; is another coordinator there?", s.status, err)
	}
	p.url = "http://" + l.Addr().String() + "/"
	if s.cert != "" {
		config, err := s.tls()
		if err != nil {
			l.Close()
			return nil, err
		}
		config.ClientCAs = nil // browsers have no certificates: the token is what lets them in
		l, p.url = tls.NewListener(l, config), "https://"+l.Addr().String()+"/"
	}
	p.server = http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

// end stops serving the page. A nil page is allowed.
func (p *statusPage) end() {
	if p != nil {
		_ = p.server.Close()
	}
}

// ServeHTTP answers a request for the page or its JSON.
func (p *statusPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for key, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		w.Header().Set(key, value)
	}
	switch {
	case p.token == "" && !local(r.Host):
		http.Error(w, "this page is at 127.0.0.1 and localhost only", http.StatusForbidden)
	case p.token != "" && !p.admits(r):
		w.Header().Set("WWW-Authenticate", `Basic realm="macemc: any name, and the token as the password"`)
		http.Error(w, "this page needs the token as the password", http.StatusUnauthorized)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "this page is only read", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		var text bytes.Buffer
		if err := page.Execute(&text, p.status()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(text.Bytes())
	case r.URL.Path == "/status.json":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(p.status())
	default:
		http.NotFound(w, r)
	}
}

// local reports whether host, from the Host header of a request, is the loopback interface. If a browser shows
// a page of another domain, and that domain resolves to this machine, the header has the domain, and local
// returns false.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (p *statusPage) admits(r *http.Request) bool {
	_, password, _ := r.BasicAuth()
	return subtle.ConstantTimeCompare([]byte(password), []byte(p.token)) == 1
}

func (p *statusPage) status() status {
	of := p.now()
	members, counts := p.roster.now()
	out := status{
		Command: p.line, Progress: cmp.Or(of.Line, "beginning"), Phase: of.Phase, Done: of.Done, Of: of.Of, Seconds: of.Elapsed.Seconds(),
		States: of.States, Steps: of.Steps, Walks: of.Walks, Findings: append([]string{}, of.Findings...), Workers: members, Counts: counts,
	}
	for _, m := range members {
		out.Goroutines += m.Goroutines
	}
	return out
}

const style = `body{font:15px sans-serif;margin:2em}table{border-collapse:collapse}td,th{padding:.2em 1em .2em 0;text-align:right}td:first-child,th:first-child{text-align:left}`

// policy is the Content-Security-Policy of the page: its own style, and nothing else.
var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// page is the template of the status page, which reloads itself every two seconds.
var page = template.Must(template.New("status").Funcs(template.FuncMap{
	"join": strings.Join,
	"ago":  func(t time.Time) string { return time.Since(t).Round(time.Second / 10).String() },
}).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>macemc: {{.Progress}}</title>
<style>` + style + `</style></head><body>
<h1>{{.Progress}}</h1>
<p><code>macemc {{join .Command " "}}</code></p>
<h2>findings</h2>
{{if .Findings}}<ul>{{range .Findings}}<li>{{.}}</li>{{end}}</ul>{{else}}<p>none so far</p>{{end}}
<h2>workers</h2>
<table><tr><th>worker</th><th>goroutines</th><th>spans</th><th>walks</th><th>walks/s</th><th>last heard</th></tr>
{{range .Workers}}<tr><td>{{.Name}}</td><td>{{.Goroutines}}</td><td>{{.Spans}}</td><td>{{.Walks}}</td><td>{{printf "%.0f" .Rate}}</td><td>{{ago .Heard}} ago</td></tr>
{{else}}<tr><td>none: the walks wait for one</td></tr>
{{end}}</table>
{{with .Counts}}<h2>since this coordinator began</h2>
<table><tr><td>walks of workers</td><td>{{.Walks}}</td></tr>
<tr><td>spans of walks</td><td>{{.Spans}}</td></tr>
<tr><td>spans that got lost, and were published again</td><td>{{.Lost}}</td></tr>
<tr><td>spans that were delivered again</td><td>{{.Redelivered}}</td></tr>
<tr><td>workers that left</td><td>{{.Gone}}</td></tr>
<tr><td>walks in quarantine</td><td>{{range .Quarantined}}{{.}} {{else}}none{{end}}</td></tr></table>
{{end}}<p>This page renews itself. The same for programs: <a href="/status.json">status.json</a></p>
</body></html>
`))
