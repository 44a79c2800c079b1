package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"macemc/history"
	"macemc/live"
)

// patience is the time after which the test fails.
const patience = 30 * time.Second

// try repeats a request until it is answered. Requests get no answer while a leader is elected.
func try(t *testing.T, api http.Handler, method, key, body string) string {
	t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(method, key, strings.NewReader(body)))
		if w.Code < 300 {
			text, _ := io.ReadAll(w.Body)
			return string(text)
		}
		if w.Code == http.StatusNotFound {
			return "nothing"
		}
	}
	t.Fatalf("%s %s is never answered", method, key)
	return ""
}

// What is written by one server is read by the others, also when each of them was killed
// and came back, and when all of them were.
func TestStore(t *testing.T) {
	dir := t.TempDir()
	c := live.Config{Dir: dir} // with timers ten times as fast, a loaded machine elects no leader for 30 s
	s, err := start(3, c)
	if err != nil {
		t.Fatal(err)
	}
	if got := try(t, s.api(1), "GET", "/colour", ""); got != "nothing" {
		t.Errorf("before it is written, the colour is %q", got)
	}
	for i := range 3 {
		try(t, s.api(i), "PUT", "/colour", fmt.Sprint("green", i))
		for k := range 3 {
			if got := try(t, s.api(k), "GET", "/colour", ""); got != fmt.Sprint("green", i) {
				t.Errorf("n%d says %q after %d", k, got, i)
			}
		}
		if err := s.host.Kill(i); err != nil {
			t.Fatal(err)
		}
		if err := s.host.Restart(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.host.Stop(); err != nil {
		t.Fatal(err)
	}
	if s, err = start(3, c); err != nil {
		t.Fatal(err)
	}
	if got := try(t, s.api(0), "GET", "/colour", ""); got != "green2" {
		t.Errorf("after all were stopped, the colour is %q", got)
	}
	if err := s.host.Stop(); err != nil {
		t.Fatal(err)
	}
}

// What clients of all servers read and write at once is linearizable, also while servers
// are killed and come back: each operation took effect at one moment between its call and
// its answer. A client whose write was not answered, so that it may have taken effect or
// not, only reads from then on.
func TestLinearizable(t *testing.T) {
	s, err := start(3, live.Config{Pace: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	const clients = 4
	var mu sync.Mutex
	told := history.NewLog(clients)
	var all sync.WaitGroup
	until := time.Now().Add(1500 * time.Millisecond)
	for c := range clients {
		all.Go(func() {
			writes := true
			for k := 0; time.Now().Before(until); k++ {
				key := fmt.Sprint("/", k%3)
				method, value, op := "GET", "", any(history.Get{Key: key})
				if writes && (c+k)%2 == 0 {
					value = fmt.Sprint(c, " ", k)
					method, op = "PUT", history.Put{Key: key, Value: value}
				}
				mu.Lock()
				id := told.Call(c, "kv", op)
				mu.Unlock()
				w := httptest.NewRecorder()
				s.api(c%3).ServeHTTP(w, httptest.NewRequest(method, key, strings.NewReader(value)))
				mu.Lock()
				switch {
				case w.Code >= 300 && w.Code != http.StatusNotFound:
					if method == "GET" {
						told.Forget(id)
					} else {
						writes = false
					}
				case method == "GET" && w.Code < 300:
					told.Return(id, w.Body.String())
				default:
					told.Return(id, nil)
				}
				mu.Unlock()
			}
		})
	}
	for i := range 3 {
		time.Sleep(400 * time.Millisecond)
		if err := errors.Join(s.host.Kill(i), s.host.Restart(i)); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	if err := s.host.Stop(); err != nil {
		t.Error(err)
	}
	t.Logf("%d operations have returned", told.Returned())
	if err := told.Check(history.Map()); err != nil {
		t.Error(err)
	}
}
