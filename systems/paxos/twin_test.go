package paxos

import (
	"fmt"
	"math/bits"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
)

// The same rules as plain values, searched in the simplest way: for each ballot, counted from
// 1, the acceptors that READ is under way to, the answers, and the values that are written.
// Number
type twin struct {
	acceptors [3]struct{ promised, ballot, value int8 }
	ballots   [4]ballot
	learnt    int8
}

type ballot struct {
	begun, written, learnt bool
	votes, accepts         uint8 // senders of answers and of heard ACCEPTs, or their number
	highest, value         int8  // of the answers so far
	reads, writes          uint8 // under way, by acceptor
	writes_                int8  // the value of what is under way by writes and accepted; nobody keeps it besides
	answers                [3]struct{ there, ballot, value int8 }
	accepted               uint8 // ACCEPTs under way, by acceptor
}

type rules struct {
	proposers        int8
	number, consumed bool
}

// vote returns what is remembered after one more answer, and whether there are enough answers now.
func (r rules) vote(votes uint8, from int) (uint8, bool) {
	if r.number {
		return votes + 1, votes+1 == 2
	}
	votes |= 1 << from
	return votes, bits.OnesCount8(votes) == 2
}

func (r rules) next(s twin, to func(twin)) {
	yield := func(t twin) {
		for n := range t.ballots {
			if b := &t.ballots[n]; b.writes|b.accepted == 0 {
				b.writes_ = 0
			}
		}
		to(t)
	}
	for n := int8(1); n <= r.proposers; n++ {
		b := &s.ballots[n]
		if !b.begun {
			t := s
			t.ballots[n].begun, t.ballots[n].reads = true, 7
			yield(t)
		}
		for a := range 3 {
			bit := uint8(1) << a
			if b.reads&bit != 0 {
				t := s
				to := &t.ballots[n]
				to.reads &^= bit
				if acceptor := &t.acceptors[a]; n > acceptor.promised {
					acceptor.promised = n
					to.answers[a].there, to.answers[a].ballot, to.answers[a].value = 1, acceptor.ballot, acceptor.value
				}
				yield(t)
			}
			if answer := b.answers[a]; answer.there != 0 && (!b.written || r.consumed) {
				t := s
				to := &t.ballots[n]
				to.answers[a].there, to.answers[a].ballot, to.answers[a].value = 0, 0, 0
				if !b.written {
					if answer.ballot > to.highest {
						to.highest, to.value = answer.ballot, answer.value
					}
					var enough bool
					if to.votes, enough = r.vote(to.votes, a); enough {
						if to.writes_ = n; to.highest > 0 {
							to.writes_ = to.value
						}
						to.written, to.votes, to.highest, to.value, to.writes = true, 0, 0, 0, 7
					}
				}
				yield(t)
			}
			if b.writes&bit != 0 {
				t := s
				t.ballots[n].writes &^= bit
				if acceptor := &t.acceptors[a]; n >= acceptor.promised {
					acceptor.promised, acceptor.ballot, acceptor.value = n, n, b.writes_
					t.ballots[n].accepted |= bit
				}
				yield(t)
			}
			if b.accepted&bit != 0 && (!b.learnt || r.consumed) {
				t := s
				to := &t.ballots[n]
				to.accepted &^= bit
				if !b.learnt {
					var enough bool
					if to.accepts, enough = r.vote(to.accepts, a); enough {
						to.learnt, to.accepts, t.learnt = true, 0, b.writes_
					}
				}
				yield(t)
			}
		}
	}
}

func (r rules) count(t *testing.T) (states, transitions int) {
	known := map[twin]bool{{}: true}
	todo := []twin{{}}
	for len(todo) > 0 {
		var later []twin
		for _, s := range todo {
			r.next(s, func(to twin) {
				if transitions++; s.learnt != 0 && s.learnt != to.learnt {
					t.Fatalf("%+v learns another value", s)
				}
				if !known[to] {
					known[to] = true
					later = append(later, to)
				}
			})
		}
		todo = later
	}
	return len(known), transitions
}

// With quorums a search has the same counts as an independent program has for the same rules.
func TestQuorums(t *testing.T) {
	for _, c := range []struct {
		settings            []string
		states, transitions int
		only                []string // the properties that are checked; nil means all
	}{
		{nil, 27_662, 94_394, nil},
		{[]string{"proposers=3"}, 7_779_084, 38_227_812, []string{"no two values are learnt"}},
	}[:long.Of(1, 2)] {
		params, err := System.Configure(0, append(c.settings, "answers=quorum"), nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := search.Search(System, search.Options{Params: params, Effort: 1 << 40, NoWalks: true, Reduce: search.ReduceNone, Conditions: sim.Conditions{Faults: &sim.Faults{}, Properties: c.only}})
		if err != nil {
			t.Fatal(err)
		}
		if s := res.Stats; s.States != c.states || s.Transitions != c.transitions || res.Safety.State != search.StateExhausted || c.only == nil && res.Liveness.State != search.StateExhausted {
			t.Errorf("%v: %d states, %d transitions, want %d and %d; %s, %s", c.settings, s.States, s.Transitions, c.states, c.transitions, res.Safety.State, res.Liveness.State)
		}
	}
}

// A search has the same counts as the simple one, and as others have published.
func TestTwin(t *testing.T) {
	for _, c := range []struct {
		rules
		states, transitions int // published
		long                bool
	}{
		{rules{1, false, false}, 0, 0, false},
		{rules{2, false, false}, 95_261, 405_425, true},
		{rules{2, true, false}, 91_104, 392_669, true},
		{rules{2, false, true}, 101_408, 518_682, true},
	} {
		if c.long && !*long.On {
			continue
		}
		settings := []string{fmt.Sprint("proposers=", c.proposers), "count=senders", "late=stay"}
		if c.number {
			settings[1] = "count=number"
		}
		if c.consumed {
			settings[2] = "late=consumed"
		}
		t.Run(fmt.Sprint(settings), func(t *testing.T) {
			states, transitions := c.count(t)
			params, err := System.Configure(0, settings, nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := search.Search(System, search.Options{Params: params, Effort: 1 << 40, NoWalks: true, Conditions: sim.Conditions{Faults: &sim.Faults{}}})
			if err != nil {
				t.Fatal(err)
			}
			if res.Finding != nil || res.Safety.State != search.StateExhausted || res.Liveness.State != search.StateExhausted {
				t.Fatalf("%s, %s, %v", res.Safety.State, res.Liveness.State, res.Finding)
			}
			if s := res.Stats; s.States != states || s.Transitions != transitions || c.states > 0 && (c.states != states || c.transitions != transitions) {
				t.Errorf("%d states, %d transitions; the twin counts %d and %d; published are %d and %d",
					s.States, s.Transitions, states, transitions, c.states, c.transitions)
			}
		})
	}
}

// is nothing.
