package search

import (
	"regexp"
	"strings"
	"testing"

	"macemc/internal/search/testdata/foreign"
	"macemc/sim"
)

// guestVoter is a node around a foreign core, a part from another package that holds functions, a
// cache and a logger.
type guestVoter struct{ core *foreign.Core }

type castVote struct{}

func (v *guestVoter) Init(sim.Env) {}

func (v *guestVoter) Handle(env sim.Env, _ sim.Signal) {
	for _, p := range env.Peers() {
		env.TCP().Send(p, &foreign.Vote{Value: 1})
	}
	v.core.Step(env.Self().Index(), &foreign.Vote{Value: 1})
}

func (v *guestVoter) Deliver(_ sim.Env, from sim.Addr, m sim.Message) {
	v.core.Step(from.Index(), m.(*foreign.Vote))
}

// plainVoter has the same states as a guestVoter, without the parts of the foreign core that make
// copies and hashes of it impossible.
type plainVoter struct {
	Votes [3]bool
	Won   bool
	Waits int
}

type plainVote struct{ Value int }

func (v *plainVoter) Init(sim.Env) {}

func (v *plainVoter) Handle(env sim.Env, _ sim.Signal) {
	for _, p := range env.Peers() {
		env.TCP().Send(p, plainVote{1})
	}
	v.step(env.Self().Index())
}

func (v *plainVoter) Deliver(_ sim.Env, from sim.Addr, _ sim.Message) { v.step(from.Index()) }

func (v *plainVoter) step(from int) {
	if v.Won {
		v.Waits = min(v.Waits+1, waitsMost)
		return
	}
	v.Votes[from] = true
	n := 0
	for _, is := range v.Votes {
		n += count(is)
	}
	v.Won = n > 1
}

const waitsMost = 1

func votes(of func() sim.Node) *sim.System {
	return &sim.System{
		Name: "votes", Doc: "Each node votes, and two votes win.",
		New:    func(sim.Params, sim.Addr) sim.Node { return of() },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{castVote{}} },
	}
}

// advice matches the part of a message that says which line to add to a field of System: one for a
// field of a node, or one for the field's type.
var advice = regexp.MustCompile(`add "([^"]+)"(?: to System\.(\w+)(?:, or "([^"]+)" if all)?)`)

// said returns the error or message of a search, or "" if there is none.
func said(res *Result, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case res.Finding != nil:
		return res.Finding.Message
	default:
		return res.Stats.Uncopied
	}
}

// advised searches up to ten times, until the message says which line to add: a search in which the
// order of a map matters may report that instead.
func advised(sys *sim.System) (res *Result, text string) {
	for range 10 {
		var err error
		res, err = Search(sys, Options{NoWalks: true})
		if text = said(res, err); text == "" || advice.MatchString(text) {
			break
		}
	}
	return res, text
}

// TestAdvice searches a system, adds the line that the message asks for, and repeats this until
// there is no message. Then the memo engine must find the states of the plain system.
func TestAdvice(t *testing.T) {
	want, err := Search(votes(func() sim.Node { return &plainVoter{} }), Options{NoWalks: true})
	if err != nil || want.Safety.State != StateExhausted {
		t.Fatal(want, err)
	}
	for _, byType := range []bool{false, true} {
		sys := votes(func() sim.Node { return &guestVoter{foreign.New(waitsMost, false)} })
		for added := 0; ; added++ {
			res, text := advised(sys)
			if text == "" {
				if res.Stats.Engine != string(EngineMemo) || res.Stats.States != want.Stats.States || res.Stats.Transitions != want.Stats.Transitions {
					t.Errorf("with %v and %v it comes to %+v; want %+v", sys.Opaque, sys.Immutable, res.Stats, want.Stats)
				}
				if most := map[bool]int{false: 11, true: 8}[byType]; added > most {
					t.Errorf("%d lines were needed: %v, %v", added, sys.Opaque, sys.Immutable)
				}
				break
			}
			line := advice.FindStringSubmatch(text)
			if line == nil || added > 12 {
				t.Fatalf("with %v and %v no line is told in: %s", sys.Opaque, sys.Immutable, text)
			}
			rule := line[1]
			if byType && line[3] != "" {
				rule = line[3]
			}
			if line[2] == "Opaque" {
				sys.Opaque = append(sys.Opaque, rule)
			} else {
				sys.Immutable = append(sys.Immutable, rule)
			}
		}
	}
}

// TestCopyUnlikeItsNode: if System.Immutable names a function that does change a part of the node,
// the message names that part.
func TestCopyUnlikeItsNode(t *testing.T) {
	for _, engine := range []Engine{EngineMemo, EngineLocal} {
		sys := votes(func() sim.Node { return &guestVoter{foreign.New(waitsMost, true)} })
		sys.Opaque = []string{"foreign.Core.step", "foreign.Core.done", "lru.Cache.stop", "sync.Pool", "log.Logger", "foreign.Vote.key"}
		sys.Immutable = []string{"foreign.Core.backoff", "lru.Cache.onEvict", "foreign.Vote"}
		text := said(Search(sys, Options{NoWalks: true, Engine: engine}))
		for _, part := range []string{"a copy of ", "n0.core.seen.evicted", "System.Immutable"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is not in: %s", engine, part, text)
			}
		}
	}
}

// TestSharedWithAnotherField: two runs lead to states in which a field points to the same object as
// another field, or to one of its own; the message says so.
func TestSharedWithAnotherField(t *testing.T) {
	sys := votes(func() sim.Node { return &guestVoter{foreign.New(waitsMost, false)} })
	sys.Opaque = []string{"foreign.Core.step", "foreign.Core.done", "lru.Cache", "sync.Pool", "log.Logger", "foreign.Vote.key"}
	sys.Immutable = []string{"foreign.Core.backoff"}
	_, text := advised(sys)
	for _, part := range []string{"core.winner is shared with another field, ", `if a foreign.Vote never changes once it is made, add "foreign.Vote" to System.Immutable`} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in: %s", part, text)
		}
	}
}
