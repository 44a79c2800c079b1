package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"macemc/live"
)

// patience is after how long the test is given up.
const patience = 30 * time.Second

// try asks until it is answered: while a leader is elected, nobody is.
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
	c := live.Config{Dir: dir, Pace: 0.1}
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
