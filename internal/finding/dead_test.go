package finding

import (
	"slices"
	"strings"
	"testing"

	"macemc/internal/account"
	"macemc/sim"
)

// What all dead ends have in common, in words.
func TestFacts(t *testing.T) {
	params, err := system(t, "brokentree").Configure(3, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := params.Addrs()
	a := &account.Ahead{
		Still:     n[1:],
		Lacks:     []account.Deed{{Kind: sim.KindMessage, Sent: true, What: "pong"}, {Node: n[1], Kind: sim.KindMessage, What: "ask"}},
		Strangers: [][2]sim.Addr{{n[0], n[1]}},
		Agreed:    []account.Agreed{{Path: "n1.new", Live: []string{"8"}}, {Path: "n1.x", Dead: []string{"2"}, Live: []string{"7", "8"}}},
	}
	want := []string{
		"No timer is set at `n1` and `n2`.", "No message is under way.",
		"No node ever sends a `pong`; in every run that recovers one does.",
		"`n1` never receives an `ask`; in every run that recovers it does.",
		"`n0` knows of `n1`, which does not know of `n0`; where the run recovers, they know of each other.",
	}
	if got := facts(a, 3); !slices.Equal(got, want) {
		t.Errorf("the facts are %q, want %q", got, want)
	}
	var rows []string
	for _, r := range agreed(a) {
		rows = append(rows, strings.Join(r, " "))
	}
	if want := []string{"`n1.new` – `8`", "`n1.x` `2` `7` or `8`"}; !slices.Equal(rows, want) {
		t.Errorf("the lines are %q, want %q", rows, want)
	}
}

// What wakes nobody up is told as far as it is true of every dead end.
func TestStillness(t *testing.T) {
	params, err := system(t, "brokentree").Configure(2, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := params.Addrs()
	for want, a := range map[string]account.Ahead{
		"Nothing can happen any more: no message is under way, no timer is set, no task waits.": {Quiet: true, Still: n},
		"No message is under way and no timer is set.":                                          {Still: n},
		"No timer is set at any node.":                                                          {Still: n, UnderWay: true},
		"No timer is set at `n1`.":                                                              {Still: n[1:], UnderWay: true},
		"No message is under way.":                                                              {},
		"":                                                                                      {UnderWay: true},
	} {
		if got := strings.Join(stillness(&a, 2), " "); got != want {
			t.Errorf("%+v: %q, want %q", a, got, want)
		}
	}
}
