package wording

import (
	"testing"

	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/sim"
)

// TestIdentify checks that Identify reads what sim.Event.Text writes, for every kind of event.
func TestIdentify(t *testing.T) {
	walker, err := canon.New(canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range contract.Kinds() {
		for _, link := range []sim.Link{sim.LinkTCP, sim.LinkUDP} {
			e := sim.Event{Kind: k, Node: addrs[12], From: addrs[3], Link: link, Value: "join: heal n1 timer"}
			want := Identity{Kind: k}
			switch k {
			case sim.KindPartition, sim.KindOneWay:
				e.Value = sim.Split{}
			case sim.KindMend, sim.KindHeal:
			default:
				want.Node = e.Node
			}
			text := e.Text(walker.Text, 13)
			got := Identify(text)
			if got.Kind != want.Kind || got.Node != want.Node {
				t.Errorf("%q is read as a %s at %s, want a %s at %s", text, got.Kind, got.Node, want.Kind, want.Node)
			}
		}
	}
	for text, want := range map[string]Identity{
		"n0 timer join{}":                {Node: addrs[0], Kind: sim.KindTimer, What: "join{}"},
		"n1 message hi{} from n0 by tcp": {Node: addrs[1], Kind: sim.KindMessage, What: "hi{} from n0 by tcp"},
		"heal":                           {Kind: sim.KindHeal},
		"n0 heal":                        {},
		"timer join{}":                   {},
		"n01 timer join{}":               {},
		"n0":                             {},
		"":                               {},
	} {
		if got := Identify(text); got != want {
			t.Errorf("%q is read as %+v, want %+v", text, got, want)
		}
	}
}

// TestAlike checks that Alike returns the same for messages that differ only in their contents, such as a term.
func TestAlike(t *testing.T) {
	for text, want := range map[string]string{
		`n1 message wire("\x01 from (2)") from n0 by udp`:   "n1 message wire from n0 by udp",
		`n1 message vote{term: 2} from n0 by tcp (place 3)`: "n1 message vote from n0 by tcp (place 3)",
		`n0 timer propose{command: "c1"}`:                   "n0 timer propose",
		`n0 crash`:                                          "n0 crash",
		`n0 | n1 n2`:                                        "n0 | n1 n2",
	} {
		if got := Alike(text); got != want {
			t.Errorf("%s is like %q, want %q", text, got, want)
		}
	}
}
