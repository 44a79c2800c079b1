package sim

import (
	"encoding/json"
	"maps"
	"testing"

	"macemc/internal/sight"
)

// A node that stores addresses by encoding/json reads back the same ones, those that are keys
// of maps among them; a text that is no address is an error.
func TestAddrAsText(t *testing.T) {
	type record struct {
		Leader, None Addr
		Seen         map[Addr]int
	}
	want := record{addrOf(2), Addr{}, map[Addr]int{addrOf(0): 7, addrOf(sight.NodesMost - 1): 1}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got record
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Leader != want.Leader || got.None != want.None || !maps.Equal(got.Seen, want.Seen) {
		t.Errorf("of %v as JSON, %s, %v is read back", want, text, got)
	}
	for _, text := range []string{"", "n", "n-1", "n+1", "n01", "1", "x1", "nn1", "n1 ", "n99999999"} {
		before := addrOf(1)
		if a := before; a.UnmarshalText([]byte(text)) == nil || a != before {
			t.Errorf("the text %q is read as the address %s, want an error", text, a)
		}
	}
}
