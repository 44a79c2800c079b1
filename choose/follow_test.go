package choose

import (
	"fmt"
	"strings"
	"testing"
)

// asks makes a question from a line. Its alternatives are the events in the line or, after a ?, the sides of a
// coin. An alternative marked with ! is rare.
func asks(line string) *Question {
	q := &Question{Kind: Event}
	why := ""
	if coin, rest, ok := strings.Cut(line, "?"); ok {
		q.Kind, why, line = Coin, coin, rest
	}
	var all []string
	for w := range strings.FieldsSeq(line) {
		w, rare := strings.CutSuffix(w, "!")
		all = append(all, w)
		run := Run{N: 1, Weight: 1}
		if rare {
			run.Weight = 0
		}
		q.Runs = append(q.Runs, run)
	}
	q.N, q.Alternatives = len(all), named{why, all}
	return q
}

type named struct {
	why string
	all []string
}

func (n named) Why() string              { return n.why }
func (n named) Alternative(i int) string { return n.all[i] }

// TestFollow checks that possible steps are followed in order and by identity, that a step which is not possible
// is skipped, and that a coin which is not recorded falls on its first side that is not rare.
func TestFollow(t *testing.T) {
	side := func(what string) []Choice { return []Choice{{Kind: Coin, What: "side: " + what}} }
	f := NewFollow(side("tails"), []Step{
		{Event: Choice{What: "a"}}, {Event: Choice{What: "b", Pick: 2}, Coins: side("tails")}, {Event: Choice{What: "gone"}},
		{Event: Choice{What: "mend"}}, {Event: Choice{What: "c"}},
	})
	var got []string
	for _, line := range []string{
		"side? heads tails", "x y a", "side? heads! edge tails", "b y", "side? heads tails", "other? heads! tails", "x mend", "c", "x",
	} {
		q := asks(line)
		if k := f.Answer(q); k < 0 {
			got = append(got, "no")
		} else {
			got = append(got, q.Alternatives.Alternative(k))
		}
	}
	if text := strings.Join(got, " "); text != "tails a edge b tails tails mend c no" || f.Err() != ErrEnd {
		t.Errorf("it answered %s, and says %v", text, f.Err())
	}
	if text := strings.Join(whats(f.Path()), " "); text != "side: tails, a, side: edge, b, side: tails, other: tails, mend, c," {
		t.Errorf("its path is %s", text)
	}
	if taken := f.Taken(); len(taken) != 4 || taken[2] != 3 {
		t.Errorf("it has taken %v", taken)
	}
}

func whats(p *Path) (all []string) {
	add := func(c Choice) { all = append(all, c.What+",") }
	for _, c := range p.Start {
		add(c)
	}
	for _, s := range p.Steps {
		add(s.Event)
		for _, c := range s.Coins {
			add(c)
		}
	}
	return all
}

// TestFollowLike checks that an event of the same form replaces a step that is not possible.
func TestFollowLike(t *testing.T) {
	f := NewFollow(nil, []Step{{Event: Choice{What: "vote2"}}, {Event: Choice{What: "vote3"}}, {Event: Choice{What: "gone1"}}, {Event: Choice{What: "vote9"}}})
	f.Like = func(what string) string { return strings.TrimRight(what, "0123456789") }
	var got []string
	for _, line := range []string{"vote1 vote2", "x vote1 vote4", "x vote8"} {
		q := asks(line)
		got = append(got, q.Alternatives.Alternative(f.Answer(q)))
	}
	if text := strings.Join(got, " "); text != "vote2 vote1 vote8" {
		t.Errorf("it answered %s", text)
	}
}

// TestFollowNearest checks that, if a step or the side of a coin is not possible, the most similar one of the same
// form is taken instead.
func TestFollowNearest(t *testing.T) {
	f := NewFollow(nil, []Step{{Event: Choice{What: "vote{term=3,log=7}"}, Coins: []Choice{{Kind: Coin, What: "keeps: log(3,7,9)"}}}})
	f.Like = func(what string) string { return what[:strings.IndexAny(what, "{(")] }
	var got []string
	for _, line := range []string{"ask{term=3,log=7} vote{term=2,log=1} vote{term=2,log=7}", "keeps? none() log(1,2) log(2,7,9)"} {
		q := asks(line)
		got = append(got, q.Alternatives.Alternative(f.Answer(q)))
	}
	if text := strings.Join(got, " "); text != "vote{term=2,log=7} log(2,7,9)" {
		t.Errorf("it answered %s", text)
	}
}

// wide is a coin with very many sides. It counts how often the text of a side was asked
// for.
type wide struct{ asked *int }

func (wide) Why() string { return "identity" }

func (w wide) Alternative(i int) string {
	*w.asked++
	return fmt.Sprint(i)
}

// TestWideCoins checks that the recorded side of a coin with very many sides is looked for only near its old number.
func TestWideCoins(t *testing.T) {
	const n = 1 << 30
	path := func(pick int, id string) *Path {
		return &Path{Steps: []Step{{
			Event: Choice{Kind: Event, Of: 1, What: "e"},
			Coins: []Choice{{Kind: Coin, Of: n, Pick: pick, What: id}},
		}}}
	}
	for _, c := range []struct {
		pick int
		id   string
		want int
	}{{n / 2, fmt.Sprint("identity: ", n/2), n / 2}, {n / 2, fmt.Sprint("identity: ", n/2+3), n/2 + 3}, {5, "another: 5", 0}} {
		asked := 0
		f := NewFollow(nil, path(c.pick, c.id).Steps)
		f.Answer(&Question{Kind: Event, N: 1, Runs: []Run{{1, 1}}, Alternatives: named{all: []string{"e"}}})
		if got := f.Answer(&Question{Kind: Coin, N: n, Runs: []Run{{n, 1}}, Alternatives: wide{&asked}}); got != c.want || asked > 2*maxPossible {
			t.Errorf("%q at %d is followed by side %d after %d looks, want side %d", c.id, c.pick, got, asked, c.want)
		}
		asked = 0
		r := NewReplay(path(c.pick, c.id))
		r.Answer(&Question{Kind: Event, N: 1, Runs: []Run{{1, 1}}, Alternatives: named{all: []string{"e"}}})
		if got := r.Answer(&Question{Kind: Coin, N: n, Runs: []Run{{n, 1}}, Alternatives: wide{&asked}}); asked > 3*maxPossible {
			t.Errorf("%q at %d is replayed by side %d after %d looks", c.id, c.pick, got, asked)
		}
	}
}

// sent are events with the steps that sent them, as in "vote1@3": the message vote1, which step 3 sent.
type sent struct{ named }

func (s sent) Alternative(i int) string {
	what, _, _ := strings.Cut(s.all[i], "@")
	return what
}

func (s sent) Cause(i int) (n int) {
	_, of, _ := strings.Cut(s.all[i], "@")
	fmt.Sscan(of, &n)
	return n
}

// TestFollowCauses checks that, of several messages with the same form, Follow takes the one that the recorded step
// sent, whatever its contents are now. A message that may be ahead of it in the channel is taken first.
func TestFollowCauses(t *testing.T) {
	steps := func(all ...string) (steps []Step, causes []Cause) {
		for i, what := range all {
			of := sent{named{all: []string{what}}}
			if what != "" {
				steps, causes = append(steps, Step{Event: Choice{What: of.Alternative(0)}}), append(causes, Cause{Number: i + 1, Of: of.Cause(0), Queues: true})
			}
		}
		return steps, causes
	}
	for _, c := range []struct {
		name  string
		steps []string // of the other run; "" is left out
		asked []string
		want  string
	}{
		{"by cause", []string{"a", "", "b", "vote3@3", "vote1@1"}, []string{"a b", "b vote1@1", "vote1@1 vote2@2", "vote1@1"}, "a b vote2 vote1"},
		{"without its cause, the like", []string{"", "b", "vote1@1"}, []string{"b", "vote9@1"}, "b vote9"},
		{"behind another", []string{"a", "vote1@1"}, []string{"a", "vote7@0", "vote8@1"}, "a vote7 vote8"},
		{"not at all", []string{"a", "vote1@1", "c"}, []string{"a", "vote7@0", "c"}, "a vote7 c"},
	} {
		all, causes := steps(c.steps...)
		f := NewFollow(nil, all)
		f.Like, f.Causes = func(what string) string { return strings.TrimRight(what, "0123456789") }, causes
		var got []string
		for _, line := range c.asked {
			q := asks(line)
			q.Alternatives = sent{q.Alternatives.(named)}
			if k := f.Answer(q); k < 0 {
				got = append(got, "no")
			} else {
				got = append(got, q.Alternatives.Alternative(k))
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: it answered %s, want %s", c.name, text, c.want)
		}
	}
}

// TestFollowTasksAhead checks that, if a task is not posted yet, another task of its node is taken first, since that
// one may post it. With Cones, this is not done if the step that posted the task was left out.
func TestFollowTasksAhead(t *testing.T) {
	for _, c := range []struct{ cones, left bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		steps, causes := []Step{{Event: Choice{What: "a"}}, {Event: Choice{What: "n0 task send"}}}, []Cause{{Number: 1}, {Number: 2, Of: 1, Ahead: "n0 task "}}
		if c.left {
			steps, causes = steps[1:], causes[1:]
		}
		f := NewFollow(nil, steps)
		f.Like, f.Causes, f.Cones = func(what string) string { return what }, causes, c.cones
		var got []string
		for _, line := range []string{"a n1 task save n0 task save", "n1 task save n0 task save", "n1 task save n0 task send"} {
			q := asks(strings.ReplaceAll(line, " task ", "_task_"))
			q.Alternatives = tasks{q.Alternatives.(named)}
			if k := f.Answer(q); k >= 0 {
				got = append(got, q.Alternatives.Alternative(k))
			}
		}
		want := "a, n0 task save, n0 task send"
		switch {
		case c.left && c.cones:
			want = ""
		case c.left:
			want = "n0 task save, n0 task save, n0 task send"
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("in cones %v, without the first step %v: it answered %q, want %q", c.cones, c.left, text, want)
		}
	}
}

// tasks are events of several words whose cause is not known.
type tasks struct{ named }

func (t tasks) Alternative(i int) string { return strings.ReplaceAll(t.all[i], "_", " ") }
func (tasks) Cause(int) int              { return 0 }

// TestFollowInCones checks that, with Cones, a message is left out if the step that sent it was left out, even if
// a similar message is possible, and that the consequences of the message are left out, too.
func TestFollowInCones(t *testing.T) {
	steps := []Step{{Event: Choice{What: "b"}}, {Event: Choice{What: "vote1"}}, {Event: Choice{What: "reply1"}}, {Event: Choice{What: "vote3"}}}
	for _, cones := range []bool{true, false} {
		f := NewFollow(nil, steps)
		f.Like, f.Cones = func(what string) string { return strings.TrimRight(what, "0123456789") }, cones
		f.Causes = []Cause{{Number: 2}, {Number: 3, Of: 1}, {Number: 4, Of: 3}, {Number: 5, Of: 2}} // step 1 is left out
		var got []string
		for _, line := range []string{"b", "reply9@0 vote8@1", "reply9@0"} {
			q := asks(line)
			q.Alternatives = sent{q.Alternatives.(named)}
			if k := f.Answer(q); k >= 0 {
				got = append(got, q.Alternatives.Alternative(k))
			}
		}
		want := "b vote8"
		if !cones { // it stands for vote1, though the third step sent it
			want = "b vote8 reply9"
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("in cones %v: it answered %s, want %s", cones, text, want)
		}
	}
}

// TestFollowLeavesForLater checks that an event which is more similar to a later step of its form than to the next
// one is left for the later step.
func TestFollowLeavesForLater(t *testing.T) {
	f := NewFollow(nil, []Step{{Event: Choice{What: "vote{ask,1}"}}, {Event: Choice{What: "x"}}, {Event: Choice{What: "vote{answer,2}"}}})
	f.Like, f.Causes = func(what string) string { return strings.SplitAfter(what, "{")[0] }, make([]Cause, 3)
	var got []string
	for _, line := range []string{"vote{answer,3} x", "vote{answer,3}"} {
		q := asks(line)
		got = append(got, q.Alternatives.Alternative(f.Answer(q)))
	}
	if text := strings.Join(got, " "); text != "x vote{answer,3}" {
		t.Errorf("it answered %s", text)
	}
}
