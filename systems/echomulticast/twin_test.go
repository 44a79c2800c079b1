package echomulticast

import (
	"fmt"
	"math/bits"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// twin has the rules of the system as plain values, and is searched in the simplest way. A set of receivers is
// a number with a bit for each. No two messages under way are equal.
type twin struct {
	begun     [2]bool     // by initiator, honest ones first
	initials  [2][3]uint8 // under way, by initiator and text
	echoes    [2][3]uint8 // under way
	got       [2][3]uint8 // signatures that the initiator has
	committed [2][3]bool  //
	commits   [2][3]uint8 // under way
	by        [2][3]uint8 // whose signatures they carry, while one is under way
	signed    [4][2]int8  // by honest receiver and initiator
	delivered [4][2]int8  //
}

// setting has the numbers of nodes in the order of the paper: honest receivers and initiators, then Byzantine
// ones.
type setting struct {
	hr, hi, br, bi int
	both, stay     bool
}

func (s setting) quorum() int {
	n := s.hr + s.br
	return (n+max((n-1)/3, s.br))/2 + 1
}

// gets returns the receivers to which a text is sent.
func (s setting) gets(initiator, text int) (to uint8) {
	for r := range s.hr + s.br {
		bad := initiator >= s.hi
		if !bad && text == 1 || bad && (s.both || r >= s.hr || 1+r%2 == text) {
			to |= 1 << r
		}
	}
	return to
}

func (s setting) next(t twin, yield func(twin)) {
	for i := range s.hi + s.bi {
		bad := i >= s.hi
		if !t.begun[i] {
			n := t
			n.begun[i] = true
			for text := 1; text <= 2; text++ {
				n.initials[i][text] = s.gets(i, text)
			}
			yield(n)
		}
		for text := 1; text <= 2; text++ {
			for r := range s.hr + s.br {
				bit := uint8(1) << r
				if t.initials[i][text]&bit != 0 {
					n := t
					n.initials[i][text] &^= bit
					switch {
					case r >= s.hr && bad:
						n.echoes[i][text] |= bit
					case r >= s.hr:
						n.echoes[i][2] |= bit
					case n.signed[r][i] == 0:
						n.signed[r][i] = int8(text)
						n.echoes[i][text] |= bit
					}
					yield(n)
				}
				done := t.committed[i][text] || !bad && t.committed[i][1]
				if t.echoes[i][text]&bit != 0 && !(done && s.stay) {
					n := t
					n.echoes[i][text] &^= bit
					if !done && (bad || text == 1) {
						n.got[i][text] |= bit
						if bits.OnesCount8(n.got[i][text]) >= s.quorum() {
							n.by[i][text], n.got[i][text], n.committed[i][text] = n.got[i][text], 0, true
							n.commits[i][text] = s.gets(i, text)
							if bad {
								n.commits[i][text] &= 1<<s.hr - 1
							}
						}
					}
					yield(n)
				}
				if t.commits[i][text]&bit != 0 {
					n := t
					n.commits[i][text] &^= bit
					if r < s.hr && n.delivered[r][i] == 0 {
						n.delivered[r][i] = int8(text)
					}
					if n.commits[i][text] == 0 {
						n.by[i][text] = 0
					}
					yield(n)
				}
			}
		}
	}
}

func (s setting) count(t *testing.T) (states, transitions int) {
	known := map[twin]bool{{}: true}
	for todo := []twin{{}}; len(todo) > 0; {
		var later []twin
		for _, at := range todo {
			s.next(at, func(to twin) {
				transitions++
				if known[to] {
					return
				}
				known[to] = true
				later = append(later, to)
				for i := range 2 {
					for r := range s.hr {
						if a, b := to.delivered[0][i], to.delivered[r][i]; a != 0 && b != 0 && a != b {
							t.Fatalf("%+v disagrees", to)
						}
					}
				}
			})
		}
		todo = later
	}
	return len(known), transitions
}

func (s setting) params(t *testing.T, bugs ...string) sim.Params {
	t.Helper()
	settings := []string{fmt.Sprint("receivers=", s.hr), fmt.Sprint("initiators=", s.hi), fmt.Sprint("bad-receivers=", s.br), fmt.Sprint("bad-initiators=", s.bi)}
	if s.both {
		settings = append(settings, "strategy=both")
	}
	if s.stay {
		settings = append(settings, "late=stay")
	}
	p, err := System.Configure(0, settings, bugs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// whole returns the numbers of states and transitions of a system that has no failure.
func whole(t *testing.T, sys *sim.System, p sim.Params, engine search.Engine) (states, transitions int) {
	t.Helper()
	res, err := search.Search(sys, search.Options{Params: p, Engine: engine, Effort: 1 << 40, NoWalks: true})
	if err != nil {
		t.Fatal(err)
	}
	if res.Finding != nil || res.Safety.State != search.StateExhausted {
		t.Fatalf("%s, %v", res.Safety.State, res.Finding)
	}
	return res.Stats.States, res.Stats.Transitions
}

func TestTwin(t *testing.T) {
	for _, s := range []setting{
		{hr: 3, br: 1, bi: 1}, {hr: 2, hi: 1, bi: 1}, {hr: 3, br: 1, bi: 1, stay: true}, {hr: 3, br: 1, bi: 1, both: true},
		{hr: 3, hi: 1, br: 1}, {hr: 2, hi: 1, bi: 1, both: true, stay: true}, {hr: 2, hi: 1, br: 2, bi: 1}, {hr: 3, hi: 1, br: 1, bi: 1},
	} {
		if s.hr+s.hi+s.br+s.bi == 6 && !*long.On {
			continue
		}
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			states, transitions := s.count(t)
			if a, b := whole(t, System, s.params(t), search.EngineMemo); a != states || b != transitions {
				t.Errorf("%d states, %d transitions; the twin counts %d and %d", a, b, states, transitions)
			}
		})
	}
}

// A system whose New makes the Byzantine nodes as ordinary ones has the same states.
func TestByzantineAsOrdinaryNodes(t *testing.T) {
	ordinary := *System
	ordinary.Byzantine = nil
	ordinary.New = func(p sim.Params, self sim.Addr) sim.Node {
		if r := roleOf(p, self); r == byzantineReceiver || r == byzantineInitiator {
			return newByzantine(p, self)
		}
		return newHonest(p, self)
	}
	for _, s := range []setting{{hr: 3, br: 1, bi: 1}, {hr: 2, hi: 1, bi: 1}} {
		for _, engine := range []search.Engine{search.EngineMemo, search.EngineLocal, search.EngineReference} {
			if engine == search.EngineReference && s.hr == 3 && !*long.On {
				continue // it takes every run again from its start
			}
			states, transitions := whole(t, &ordinary, s.params(t), engine)
			if a, b := whole(t, System, s.params(t), engine); a != states || b != transitions {
				t.Errorf("%+v, %s: %d states, %d transitions; with ordinary nodes %d and %d", s, engine, a, b, states, transitions)
			}
		}
	}
}

// The setting (2,1,2,1) of the paper has more Byzantine receivers than a third.
func TestWrongAgreement(t *testing.T) {
	p := setting{hr: 2, hi: 1, br: 2, bi: 1}.params(t, string(EM1))
	res, err := search.Search(System, search.Options{Params: p, Depth: 15, Paths: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f := res.Finding; f == nil || f.Verdict != trace.VerdictSafety || f.Property != "agreement" {
		t.Errorf("found %v", f)
	}
}
