package macetime

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// TestPlain checks that Plain separates a reading from a word beside it by a blank, which Go's Sprint does not write beside a
// string.
func TestPlain(t *testing.T) {
	clock := Of(0)
	clock.Read()
	now := clock.Read()
	for text, want := range map[string]string{
		fmt.Sprint(now.Add(4*time.Second), "leased"):                "t1+4s leased",
		fmt.Sprint("until", now.Sub(1500*time.Millisecond), "held"): "until t1-1.5s held",
		fmt.Sprint(Time{}, "asked"):                                 "none asked",
		fmt.Sprintf("until %s, or %s.", now, clock.Count()):         "until t1, or r1.",
		fmt.Sprintf("(%s)", now.Add(90*time.Minute)):                "(t1+1h30m0s)",
		"no time": "no time",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if text, is := Written(fmt.Sprint(now.Add(4*time.Second), "leased")); !is || text != "t1+4s" {
		t.Errorf("the reading in it is %q, %t", text, is)
	}
}

// TestNoEncoding checks that encoding/json returns an error for a reading, where it would write {} and lose the instant.
func TestNoEncoding(t *testing.T) {
	clock := Of(0)
	clock.Read()
	for _, value := range []any{clock.Read(), clock.Count(), map[string]Time{"until": {}}} {
		if text, err := json.Marshal(value); err == nil {
			t.Errorf("%v as JSON is %s, want an error", value, text)
		}
	}
}
