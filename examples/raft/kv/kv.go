// Command kv is a small replicated store on the servers of package raft: what was
// checked there runs here, and only the map is new. Three servers run in this process,
// on real sockets of the loopback interface, each with an API:
//
//	go run ./kv
//	curl -X PUT -d green http://127.0.0.1:8080/colour
//	curl http://127.0.0.1:8082/colour
//
// A read goes through the log, as a write does: so it sees every write that had
// been answered before.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"macemc/examples/raft"
	"macemc/live"
	"macemc/sim"
)

// command is the value that is replicated.
type command struct {
	ID    string // of the request: a command that is applied twice counts once
	Op    string // get or put
	Key   string
	Value string `json:",omitempty"`
}

// replica is the map of one server.
type replica struct {
	mu     sync.Mutex
	values map[string]string
	done   map[string]bool // requests that were applied
}

// stores are the replicas, and the servers below them.
type stores struct {
	host     *live.Host
	replicas []*replica
}

// start runs n servers. The folder dir keeps their data; if it is "", the data is in memory.
func start(n int, c live.Config) (*stores, error) {
	p, err := raft.System.Configure(n, []string{"proposals=0"}, nil)
	if err != nil {
		return nil, err
	}
	s := &stores{}
	for range n {
		s.replicas = append(s.replicas, &replica{})
	}
	c.Params, c.Facts = p, s.applied
	s.host, err = live.Start(raft.System, c)
	return s, err
}

// applied is called with each fact of each server, on the server's own goroutine. If the fact says
// that the server has applied a command, applied changes the server's map.
func (s *stores) applied(at sim.Addr, fact any) {
	index, text, ok := raft.Applied(fact)
	if !ok {
		return
	}
	r := s.replicas[at.Index()]
	r.mu.Lock()
	defer r.mu.Unlock()
	if index == 1 { // a new life applies its log from the first
		r.values, r.done = map[string]string{}, map[string]bool{}
	}
	var c command
	if text == "" || json.Unmarshal([]byte(text), &c) != nil || r.done[c.ID] {
		return
	}
	r.done[c.ID] = true
	if c.Op == "put" {
		r.values[c.Key] = c.Value
	}
}

// do replicates command c through server i, and waits until that server has applied it. It returns
// the value that the command's key had right afterwards. is reports whether the key had one.
func (s *stores) do(ctx context.Context, i int, c command) (value string, is bool, err error) {
	c.ID = rand.Text()
	text, err := json.Marshal(c)
	if err != nil {
		return "", false, err
	}
	_, err = s.host.Node(i).Ask(ctx, raft.Propose(string(text)), func(fact any) bool {
		_, done, ok := raft.Applied(fact)
		if !ok || done != string(text) {
			return false
		}
		r := s.replicas[i] // as of this command: nothing else is applied meanwhile
		r.mu.Lock()
		defer r.mu.Unlock()
		value, is = r.values[c.Key]
		return true
	})
	return value, is, err
}

// api returns the HTTP handler of the store at server i.
func (s *stores) api(i int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
		defer cancel()
		c := command{Op: "get", Key: r.URL.Path}
		switch r.Method {
		case http.MethodGet:
		case http.MethodPut:
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10_000)) // it has to fit into a datagram
			if err != nil {
				http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
				return
			}
			c.Op, c.Value = "put", string(body)
		default:
			http.Error(w, "there are GET and PUT", http.StatusMethodNotAllowed)
			return
		}
		switch value, is, err := s.do(ctx, i, c); {
		case errors.Is(err, context.DeadlineExceeded):
			http.Error(w, "no majority of servers has answered; whether it was done is not known", http.StatusServiceUnavailable)
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		case c.Op == "put":
			w.WriteHeader(http.StatusNoContent)
		case !is:
			http.NotFound(w, r)
		default:
			_, _ = io.WriteString(w, value)
		}
	})
}
