package finding

import (
	"slices"
	"strings"
	"testing"

	"macemc/internal/canon"
	"macemc/search"
	"macemc/sim"
)

// look is an outlook whose end has these lines, as path=value, and in which
// these deeds were done.
func look(end string, deeds ...deed) outlook {
	o := outlook{did: map[deed]bool{}, more: 5}
	for line := range strings.SplitSeq(end, "; ") {
		path, value, _ := strings.Cut(line, "=")
		o.end = append(o.end, canon.Line{Path: path, Value: value})
		switch place, what, _ := strings.Cut(path, " "); {
		case what == "timer":
			o.waits.Timers = append(o.waits.Timers, sim.Identify(place+" timer").Node)
		case strings.HasSuffix(what, "[0]"), place == "set":
			o.waits.UnderWay = true
		}
	}
	for _, d := range deeds {
		o.add(d)
	}
	return o
}

// What is told of dead ends is what all of them have and no live one has.
func TestAhead(t *testing.T) {
	params, err := system(t, "brokentree").Configure(3, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	tale := &tale{r: &search.Result{Params: params}}
	n0, n1 := params.Addr(0), params.Addr(1)
	gets := func(at sim.Addr, what string) deed { return deed{at, sim.KindMessage, false, what} }
	sends := func(at sim.Addr, what string) deed { return deed{at, sim.KindMessage, true, what} }
	a := &ahead{
		dead: []outlook{
			look("n0.x=1; n1.x=2; n1.y=3; n0 timer=t{}; n2.z=5", gets(n0, "ping")),
			look("n0.x=1; n1.x=2; n1.y=4; n0 timer=t{}", gets(n0, "ping")),
		},
		live: []outlook{
			look("n0.x=1; n1.x=7; n1.y=9; n1.new=8; n0 timer=t{}", gets(n0, "ping"), gets(n1, "pong"), sends(n0, "pong")),
			look("n0.x=1; n1.x=8; n1.y=9; n1.new=8", gets(n0, "ping"), gets(n1, "pong"), sends(n1, "pong"), gets(n0, "rare")),
		},
	}
	var rows []string
	for _, r := range a.agreed() {
		rows = append(rows, strings.Join(r, " "))
	}
	if want := []string{"`n1.new` – `8`", "`n1.x` `2` `7` or `8`"}; !slices.Equal(rows, want) {
		t.Errorf("the lines are %q, want %q", rows, want)
	}
	facts := append(a.stillness(tale), a.lacks()...)
	want := []string{
		"No timer is set at `n1` and `n2`.", "No message is under way.",
		"No node ever sends a `pong`; in every run that recovers one does.",
		"`n1` never receives a `pong`; in every run that recovers it does.",
	}
	if !slices.Equal(facts, want) {
		t.Errorf("the facts are %q, want %q", facts, want)
	}
	a.live = nil // dead from the start: there is nothing to compare with
	if len(a.agreed())+len(a.lacks()) > 0 {
		t.Errorf("without live walks there are %v and %v", a.agreed(), a.lacks())
	}
}

// Peers that disagree are told: one has taken the other, which has not heard of
// it. Names in messages, timers and words are nobody's knowledge.
func TestStrangers(t *testing.T) {
	params, err := system(t, "brokentree").Configure(3, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	tale := &tale{r: &search.Result{Params: params}}
	a := &ahead{
		dead: []outlook{
			look("n0.kids[n1]=true; n1.papa=nobody; n1 timer=ask{n0}; tcp n1->n0[0]=m{n0}; n2.papa=n0; n0.word=\"n22\"; n1.word=\"in0\""),
			look("n0.kids[n1]=true; n1.papa=n2; n2.papa=n0"),
		},
		live: []outlook{look("n0.kids[n1]=true; n0.kids[n2]=true; n1.papa=n0; n2.papa=n0"), look("n0.kids[n1]=true; n1.papa=n0; n2.papa=n0")},
	}
	want := []string{"`n0` knows of `n1`, which does not know of `n0`; where the run recovers, they know of each other."}
	if got := a.strangers(tale); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	a.dead[1] = look("n0.kids[n1]=true; n1.papa=n0; n2.papa=n0")
	if got := a.strangers(tale); len(got) > 0 {
		t.Errorf("one of the dead ends agrees, and %q", got)
	}
}

// What wakes nobody up is told as far as it is true of every dead end.
func TestStillness(t *testing.T) {
	params, err := system(t, "brokentree").Configure(2, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	tale := &tale{r: &search.Result{Params: params}}
	busy := deed{params.Addr(0), sim.KindTimer, false, "t"}
	for _, c := range []struct {
		want string
		dead []outlook
	}{
		{"Nothing can happen any more: no message is under way, no timer is set, no task waits.", []outlook{look("n0.x=1; tcp n0->n1=flags 001")}},
		{"No message is under way and no timer is set.", []outlook{look("n0.x=1", busy)}},
		{"No timer is set at any node.", []outlook{look("tcp n0->n1[0]=m{}", busy)}},
		{"No timer is set at any node.", []outlook{look("set n0->n1=m{}", busy)}},
		{"No timer is set at `n1`.", []outlook{look("udp n0->n1[0]=m{}; n0 timer=t{}", busy), look("n0.x=1", busy)}},
		{"No message is under way.", []outlook{look("n1 timer=t{}", busy), look("n0 timer=t{}", busy)}},
		{"", []outlook{look("n1 timer=t{}; tcp n0->n1[0]=m{}", busy), look("n0 timer=t{}", busy)}},
	} {
		if got := strings.Join((&ahead{dead: c.dead}).stillness(tale), " "); got != c.want {
			t.Errorf("%v: %q, want %q", c.dead, got, c.want)
		}
	}
}
