package sim

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/kinds"
)

// TestFaultsWhere checks that a limit of faults to nodes or links is parsed, written back, and applied to events.
func TestFaultsWhere(t *testing.T) {
	n := addrOf
	events := map[string]Event{
		"crash n0": {Node: n(0), Kind: KindCrash}, "crash n1": {Node: n(1), Kind: KindCrash},
		"lose n0 from n1": {Node: n(0), From: n(1), Kind: KindLose}, "lose n1 from n0": {Node: n(1), From: n(0), Kind: KindLose},
		"lose n1 from n2":       {Node: n(1), From: n(2), Kind: KindLose},
		"partition n0 n1 | n2":  {Kind: KindPartition, Value: Split{3}},
		"partition n0 n2 | n1":  {Kind: KindPartition, Value: Split{5}},
		"n2 cannot reach":       {Kind: KindOneWay, Value: Split{4}},
		"n0 n1 cannot reach n2": {Kind: KindOneWay, Value: Split{3}},
		"n0 timer":              {Node: n(0), Kind: KindTimer},
	}
	for text, never := range map[string]string{
		"crash=2@n1":                 "crash n0",
		"loss=1@n0":                  "lose n1 from n2",
		"loss=all@n2-n1":             "lose n0 from n1,lose n1 from n0",
		"crash=1@n0,loss=1@n0-n1+n0": "crash n1,lose n1 from n2",
		"partition=1@n2,oneway=1@n2": "n0 n1 cannot reach n2,partition n0 n2 | n1",
		"crash=1,down=1@n1,reset=1":  "",
	} {
		f, err := ParseFaults(text)
		if err != nil {
			t.Fatal(err)
		}
		if f.String() != text {
			t.Errorf("%s is written as %s", text, f)
		}
		where, err := f.Where(3)
		if err != nil {
			t.Fatal(err)
		}
		for name, e := range events {
			want := true
			for _, no := range strings.Split(never, ",") {
				want = want && no != name
			}
			if where(e) != want {
				t.Errorf("%s: %s may happen: %v", text, name, !want)
			}
		}
	}
	if where, err := (Faults{Crash: 1}).Where(3); where != nil || err != nil {
		t.Error("faults without limits are limited")
	}
	if !(Faults{Only: "crash@n1"}).IsZero() {
		t.Error("limits of nothing are faults")
	}
}

// TestFaultsWhereRefuses checks the errors for limits that no fault can have.
func TestFaultsWhereRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"crash=1@":         `the fault crash is limited to ""; write crash=1@n1+n2 for nodes`,
		"crash=1@1":        `the fault crash is limited to "1"; write crash=1@n1+n2 for nodes`,
		"crash=1@n0-n1":    `the fault crash is limited to "n0-n1", a link; it happens to nodes: write crash=1@n1+n2`,
		"loss=1@n0-n0":     `the fault loss is limited to "n0-n0"; write loss=1@n1+n2 for nodes, loss=1@n0-n1 for a link`,
		"loss=1@n0+client": `the fault loss is limited to "client"; write loss=1@n1+n2 for nodes, loss=1@n0-n1 for a link`,
		"rare=1@n0":        `the fault rare cannot be limited to nodes or links; write rare=1`,
		"loss=x@n0":        `the budget of loss is "x"; write loss=1, or loss=all`,
	} {
		if _, err := ParseFaults(text); fmt.Sprint(err) != want {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
	for _, name := range kinds.Budgets { // a fault of links is limited to links
		switch name {
		case "reset", "loss", "dup", "reorder":
			if _, err := ParseFaults(name + "=1@n0-n1"); err != nil {
				t.Error(err)
			}
		default:
			if _, err := ParseFaults(name + "=1@n0-n1"); err == nil {
				t.Errorf("%s is limited to a link", name)
			}
		}
	}
	f, err := ParseFaults("loss=1@n0-n7")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Where(3); fmt.Sprint(err) != "the fault loss is limited to n0-n7, and there are 3 nodes, counted from n0" {
		t.Error(err)
	}
}
