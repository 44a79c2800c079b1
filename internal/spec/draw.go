package spec

import (
	"math/rand/v2"
	"slices"
)

// Draw draws a spec from a seed. A change of this file changes the spec of a seed, so a
// spec that should stay is stored as text.
func Draw(seed uint64) *Spec {
	d, s := dice{rand.New(rand.NewPCG(seed, 0x6f7261636c65))}, &Spec{}
	s.drawSize(d)
	s.drawNetwork(d)
	s.drawBehaviour(d)
	s.drawWeather(d)
	s.drawPromises(d)
	s.drawPauses(d)
	s.drawBags(d)
	s.drawLimits(d)
	s.drawStorage(d)
	s.drawTimes(d)
	s.drawMembers(d)
	s.drawGuards(d)
	if seed%3 == 0 && d.once(2) {
		s.drawExtras(d)
	}
	if s.Budgets.Crash != 0 || s.Budgets.Down != 0 {
		s.Midstep = seed%5 == 1
	}
	if s.Stores() && seed%4 == 2 {
		s.Budgets.Wipe = 1
	}
	return s
}

// Busy returns the spec of a seed with more fuel, so that nodes may send more, and with
// something to send on every occasion for which no rule was drawn. Its space is too large
// to be explored, so it is for walks, which then deliver more messages.
func Busy(seed uint64) *Spec {
	s, d := Draw(seed), dice{rand.New(rand.NewPCG(seed, 0x62757379))}
	links := []string{"tcp", "udp", "set"}
	d.Shuffle(len(links), func(i, k int) { links[i], links[k] = links[k], links[i] })
	links = links[:1+d.IntN(len(links))]
	s.Fuel += 2 + d.IntN(4)
	for node := range s.Nodes {
		for _, on := range []string{OnInit, OnWord, OnRing, OnChore, OnDeed, OnOrder} {
			for v := range Values {
				for at := range s.Places {
					if s.Ops(node, on, v, at) == nil && (on != OnInit || v+at == 0) {
						send := Op{Verb: Send, Link: links[d.IntN(len(links))], To: d.IntN(s.Nodes), X: d.IntN(Values)}
						s.Rules = append(s.Rules, Rule{node, on, v, at, []Op{send, {Verb: Go, X: d.IntN(s.Places)}}})
					}
				}
			}
		}
	}
	return s
}

// dice is the random source with which a spec is drawn.
type dice struct{ *rand.Rand }

func (d dice) once(in int) bool { return d.IntN(in) == 0 }

func (d dice) of(words ...string) string { return words[d.IntN(len(words))] }

// Values is the number of different words, of timers, and of tasks in a drawn spec.
const Values = 2

func (s *Spec) drawSize(d dice) {
	s.Nodes = []int{1, 2, 2, 2, 2, 2, 2, 3}[d.IntN(8)]
	s.Places = 2 + d.IntN(2)
	s.Fuel = 1 + d.IntN(3)
	if s.Nodes == 3 {
		s.Fuel = 1
	}
	s.Layered = d.once(6)
	s.Keeps = d.once(3)
}

func (s *Spec) drawNetwork(d dice) {
	s.TCPBuffer, s.UDPCapacity = 1+d.IntN(3), 1+d.IntN(3)
}

// drawBehaviour draws the rules. Each spec uses only some of the verbs and a few links, so that nodes often
// have something to do.
func (s *Spec) drawBehaviour(d dice) {
	links := [][]string{{"tcp"}, {"tcp"}, {"udp"}, {"set"}, {"tcp", "udp"}, {"tcp", "set"}, {"udp", "set"}, {"tcp", "udp", "set"}}[d.IntN(8)]
	verbs := []string{Send, Send, Go}
	for _, v := range []string{After, After, Cancel, Scheduled, Post, Choose, Weigh, Emit, Trail, Poke, Join, Part} {
		if d.once(3) {
			verbs = append(verbs, v)
		}
	}
	tcp := links[0] == "tcp"
	for _, v := range []string{Reset, Ask, Flush} {
		if tcp && d.once(3) {
			verbs = append(verbs, v)
		}
	}
	op := func() Op {
		o := Op{Verb: verbs[d.IntN(len(verbs))]}
		switch o.Verb {
		case Send:
			o.Link, o.To, o.X = links[d.IntN(len(links))], d.IntN(s.Nodes), d.IntN(Values)
		case After, Cancel, Scheduled, Post, Emit, Trail:
			o.X = d.IntN(Values)
		case Choose:
			o.X = 1 + d.IntN(3)
		case Weigh:
			o.Weights = [][]int{{1}, {1, 0}, {0, 2}, {1, 3}, {1, 0, 2}, {0, 0, 1}}[d.IntN(6)]
		case Reset, Ask:
			o.To = d.IntN(s.Nodes)
		case Go:
			o.X = d.IntN(s.Places)
		}
		return o
	}
	some := func() (all []Op) {
		for range 1 + d.IntN(3) {
			all = append(all, op())
		}
		return all
	}
	density := 2 + d.IntN(3) // in fifths
	fails := d.once(8)
	rules := func(node int, on string, n int) {
		for v := range n {
			for at := range s.Places {
				if d.IntN(5) >= density {
					continue
				}
				do := some()
				if fails && on != OnInit && d.once(12) {
					do = append(do, Op{Verb: Fail})
				}
				s.Rules = append(s.Rules, Rule{node, on, v, at, do})
			}
		}
	}
	for node := range s.Nodes {
		if d.once(2) {
			s.Rules = append(s.Rules, Rule{node, OnInit, 0, 0, some()})
		}
		for _, on := range []string{OnWord, OnRing, OnChore, OnDeed, OnOrder} {
			rules(node, on, Values)
		}
		rules(node, OnError, 2)
		rules(node, OnClear, 1)
		rules(node, OnFlushed, 1)
	}
	s.drawOpenings(d)
	if d.once(3) {
		for range 1 + d.IntN(2*s.Nodes) {
			o := Offer{d.IntN(s.Nodes), d.IntN(s.Places), d.IntN(Values)}
			if !slices.Contains(s.Offers, o) {
				s.Offers = append(s.Offers, o)
			}
		}
	}
	if d.once(3) {
		for range 1 + d.IntN(2*s.Nodes) {
			s.Declines = append(s.Declines, Decline{d.IntN(s.Nodes), d.IntN(s.Places), d.IntN(s.Nodes), d.IntN(Values)})
		}
	}
	for _, v := range verbs {
		if v == Emit {
			s.Monitored = true
			s.Limit = d.once(2)
		}
	}
}

// drawOpenings draws scripts. Without a script, Init or an offer must begin the activity.
func (s *Spec) drawOpenings(d dice) {
	if d.once(4) {
		return
	}
	for range s.Nodes {
		var lives [][]int
		for range 1 + d.IntN(3) {
			var one []int
			for range d.IntN(3) {
				one = append(one, d.IntN(Values))
			}
			lives = append(lives, one)
		}
		s.Scripts = append(s.Scripts, lives)
	}
}

// drawWeather draws the budgets of faults: none, one or a few.
func (s *Spec) drawWeather(d dice) {
	b := &s.Budgets
	for range []int{0, 1, 1, 1, 2, 2, 3}[d.IntN(7)] {
		n := []int{1, 1, 1, 2, -1}[d.IntN(5)]
		switch d.IntN(9) {
		case 0:
			b.Crash = max(1, n) // lives are counted: without end, they have none
		case 1:
			b.Down = n
		case 2:
			b.Reset = n
		case 3:
			b.Loss = n
		case 4:
			b.Dup = n
		case 5:
			b.Reorder = n
		case 6:
			b.Partition = n
		case 7:
			b.OneWay = n
		case 8:
			b.Rare = n
		}
	}
	if d.once(5) {
		s.Early = new(d.IntN(3))
	}
}

// drawPauses draws the budget of pauses. It is called after the draws that are older than
// it, so that these do not depend on it for any seed.
func (s *Spec) drawPauses(d dice) {
	if !d.once(4) {
		return
	}
	s.Budgets.Pause = []int{1, 1, 2, -1}[d.IntN(4)]
	if d.once(8) {
		s.Rare = append(s.Rare, Rare{"resume", -1})
	}
}

// drawBags makes some of the messages travel by bags instead of other links.
func (s *Spec) drawBags(d dice) {
	if !d.once(4) {
		return
	}
	for _, r := range s.Rules {
		for k := range r.Do {
			if r.Do[k].Verb == Send && d.once(2) {
				r.Do[k].Link = "bag"
			}
		}
	}
}

// drawLimits limits some of the budgets to some nodes or links.
func (s *Spec) drawLimits(d dice) {
	if !d.once(4) {
		return
	}
	b := &s.Budgets
	for _, of := range []struct {
		fault string
		left  int
		links bool
	}{
		{"crash", b.Crash, false}, {"down", b.Down, false}, {"reset", b.Reset, true}, {"loss", b.Loss, true}, {"dup", b.Dup, true},
		{"reorder", b.Reorder, true}, {"partition", b.Partition, false}, {"oneway", b.OneWay, false}, {"pause", b.Pause, false},
	} {
		if of.left == 0 || d.once(3) {
			continue
		}
		l := Limit{Fault: of.fault}
		for range 1 + d.IntN(2) {
			p := [2]int{d.IntN(s.Nodes), 0}
			if p[1] = p[0]; of.links && d.once(2) {
				p[1] = d.IntN(s.Nodes)
			}
			if !slices.Contains(l.Places, p) {
				l.Places = append(l.Places, p)
			}
		}
		s.Only = append(s.Only, l)
	}
}

// drawStorage replaces some operations of nodes by writes to storage. Nodes read their storage when they
// start.
func (s *Spec) drawStorage(d dice) {
	if d.once(4) {
		s.drawWrites(d)
	}
}

func (s *Spec) drawWrites(d dice) {
	for _, r := range s.Rules {
		for k := range r.Do {
			if r.Do[k].Verb != Fail && d.once(2) {
				r.Do[k] = Op{Verb: d.of(Put, Append, Append, SyncKeys, SyncFile, Recall), X: d.IntN(2)}
			}
		}
	}
	for node := range s.Nodes {
		s.starts(node, Op{Verb: Recall})
	}
	if s.Budgets.Crash == 0 && !d.once(3) {
		s.Budgets.Crash = 1
	}
}

// drawTimes replaces some operations of nodes by readings of the clock, and lets nodes read the clock when
// they start. The system may guarantee how exact clocks are, and then some handlers set both timers.
func (s *Spec) drawTimes(d dice) {
	if d.once(4) && !s.Stores() {
		s.drawReadings(d)
	}
	if d.once(4) {
		s.Pace = &Pace{d.IntN(3), d.once(2)}
		for i, r := range s.Rules {
			for k := range r.Do {
				if r.Do[k].Verb == After {
					r.Do[k].To = d.IntN(2)
				}
			}
			if d.once(3) {
				s.Rules[i].Do = append([]Op{{Verb: After, X: 0, To: d.IntN(2)}, {Verb: After, X: 1, To: d.IntN(2)}}, r.Do...)
			}
		}
	}
}

func (s *Spec) drawReadings(d dice) {
	for _, r := range s.Rules {
		for k := range r.Do {
			if r.Do[k].Verb != Fail && d.once(3) {
				r.Do[k] = s.drawTime(d)
			}
		}
	}
	for node := range s.Nodes {
		s.starts(node, Op{Verb: Read, X: d.IntN(2), To: d.IntN(3)})
	}
}

// drawTime draws an operation on times.
func (s *Spec) drawTime(d dice) Op {
	o := Op{Verb: d.of(Read, Read, Before, Before, Before, Forget, Count, Older), X: d.IntN(2)}
	switch o.Verb {
	case Read:
		o.To = d.IntN(3)
	case Before:
		o.X = d.IntN(3)
		if o.To = d.IntN(3); o.X == o.To {
			o.To = (o.X + 1) % 3
		}
	}
	return o
}

// starts makes a node perform the operation first, before others, when it starts.
func (s *Spec) starts(node int, first Op) {
	for i, r := range s.Rules {
		if r.Node == node && r.On == OnInit {
			s.Rules[i].Do = append([]Op{first}, r.Do...)
			return
		}
	}
	s.Rules = append(s.Rules, Rule{node, OnInit, 0, 0, []Op{first}})
}

// drawMembers draws nodes that join late, and nodes that leave.
func (s *Spec) drawMembers(d dice) {
	if !d.once(4) || s.Scripts == nil {
		return
	}
	for node, lives := range s.Scripts {
		if len(lives) > 0 && d.once(2) {
			lives[0] = append([]int{Joins}, lives[0]...)
		}
		for k := range lives {
			if d.once(4) {
				lives[k] = append(lives[k], Leaves)
			}
		}
		s.Scripts[node] = lives
	}
}

// drawGuards draws guards of sets and scripts, slow links, and properties of each node.
func (s *Spec) drawGuards(d dice) {
	if d.once(4) {
		for range 1 + d.IntN(2) {
			s.Gathers = append(s.Gathers, Gather{d.IntN(s.Nodes), 0, d.IntN(Values), Values + d.IntN(Values)})
		}
		for _, r := range s.Rules {
			for k := range r.Do {
				if r.Do[k].Verb == Send && d.once(3) {
					r.Do[k].Link = "set"
				}
			}
		}
		for _, g := range s.Gathers {
			if s.Ops(g.Node, OnDeed, g.Deed, g.At) == nil {
				s.Rules = append(s.Rules, Rule{g.Node, OnDeed, g.Deed, g.At, []Op{{Verb: Go, X: d.IntN(s.Places)}}})
			}
		}
	}
	if s.Scripts != nil && d.once(6) {
		for range 1 + d.IntN(2) {
			s.Waits = append(s.Waits, Wait{d.IntN(s.Nodes), d.IntN(s.Places), d.IntN(Values)})
		}
	}
	if d.once(6) {
		l := [2]int{d.IntN(s.Nodes), 0}
		if l[1] = l[0]; d.once(2) {
			l[1] = d.IntN(s.Nodes)
		}
		s.Slow = append(s.Slow, l)
	}
	if d.once(8) {
		s.Each = append(s.Each, Pred{Kind: d.of(Every, Spent), P: d.IntN(s.Places), Not: d.once(2)})
	}
}

// drawExtras draws features that were added to this package later. Only every third seed has any, so that the
// systems of the other seeds stay the same.
func (s *Spec) drawExtras(d dice) {
	if d.once(4) {
		s.drawFunctions(d)
	}
	switch {
	case !s.Stores() && !s.Does(Read, Before) && d.once(2):
		s.drawWrites(d)
		s.drawDisks(d)
	case s.Stores():
		s.drawDisks(d)
	default:
		s.drawLikely(d)
	}
	s.drawSettings(d)
}

// drawSettings draws options of a search that override the system's own settings.
func (s *Spec) drawSettings(d dice) {
	s.FreeTimers = s.Pace != nil && d.once(2)
	if d.once(4) {
		s.Says = [2]int{1 + d.IntN(3), 1 + d.IntN(3)}
	}
	s.Table = d.once(4)
	if p := (Pred{Kind: UnderWay, P: d.IntN(Values), Not: d.once(2)}); d.once(4) {
		if d.once(4) {
			s.Always = append(s.Always, p)
		} else {
			s.Eventually = append(s.Eventually, p)
		}
	}
	if d.once(4) {
		for i, r := range s.Rules {
			if d.once(3) {
				s.Rules[i].Do = append([]Op{{Verb: Say}}, r.Do...)
			}
		}
	}
}

// drawFunctions draws the form of the function through which nodes change their first cell,
// and how often they do.
func (s *Spec) drawFunctions(d dice) {
	s.Pokes = d.of(ByMethod, ByClosure)
	for _, r := range s.Rules {
		for k := range r.Do {
			if op := &r.Do[k]; slices.Contains([]string{Emit, Trail, Choose, Go}, op.Verb) && d.once(2) {
				*op = Op{Verb: d.of(Poke, Poke, Join, Part)}
			}
		}
	}
}

// drawDisks draws further writes, crashes that lose unsynced writes in any order, and disks that fail.
func (s *Spec) drawDisks(d dice) {
	if !d.once(3) {
		if s.Nodes < 3 {
			s.Fuel = max(s.Fuel, 2)
		}
		for _, r := range s.Rules {
			for k := range r.Do {
				op := &r.Do[k]
				if slices.Contains([]string{Put, Append, SyncKeys, Recall}, op.Verb) && d.once(2) {
					*op = Op{Verb: d.of(Put, Delete, Delete, Truncate, Truncate, List), To: d.IntN(2), X: d.IntN(2)}
				}
			}
		}
		first, then := Op{Verb: Append, X: 1}, Op{Verb: Truncate, X: d.IntN(2)}
		if to := d.IntN(2); d.once(2) {
			first, then = Op{Verb: Put, To: to}, Op{Verb: Delete, To: to}
		}
		node := d.IntN(s.Nodes)
		s.starts(node, then)
		s.starts(node, first)
	}
	if d.once(2) {
		s.AnyOrder = true
		for node := range s.Nodes {
			s.starts(node, Op{Verb: Append, X: d.IntN(2)})
		}
	}
	if d.once(2) {
		s.Budgets.Disk = []int{1, 1, 1, 2, -1}[d.IntN(5)]
		if d.once(4) {
			n := d.IntN(s.Nodes)
			s.Only = append(s.Only, Limit{Fault: "disk", Places: [][2]int{{n, n}}})
		}
	}
}

// drawLikely draws weights for the answers to some comparisons of times.
func (s *Spec) drawLikely(d dice) {
	if s.Stores() {
		return
	}
	if !s.Does(Before) {
		s.drawReadings(d)
	}
	for node := range s.Nodes {
		if x := d.IntN(2); d.once(2) {
			s.starts(node, Op{Verb: Before, X: 2, To: x})
			s.starts(node, Op{Verb: Read, X: x, To: 1 + d.IntN(2)})
		}
	}
	for _, r := range s.Rules {
		for k := range r.Do {
			if r.Do[k].Verb == Before && !d.once(3) {
				r.Do[k].Weights = [][]int{{1, 0}, {0, 1}, {1, 3}}[d.IntN(3)]
			}
		}
	}
	if s.Budgets.Rare == 0 && !d.once(3) {
		s.Budgets.Rare = 1
	}
}

func (s *Spec) drawPred(d dice) Pred {
	p := Pred{Kind: d.of(Every, Every, Some, Some, Spent, Quiet, Flying, NoTimers, Armed, AllUp, Heard, Trailed, Shared, Sum), Not: d.once(4)}
	switch p.Kind {
	case Every, Some:
		p.P = d.IntN(s.Places)
	case Flying:
		p.P = 1 + d.IntN(3)
	case Armed, Heard, Trailed:
		p.P = d.IntN(Values)
	case Sum:
		p.P = 1 + d.IntN(s.Nodes*(s.Places-1))
	}
	return p
}

func (s *Spec) drawPromises(d dice) {
	if d.once(6) {
		s.Always = append(s.Always, s.drawPred(d))
		if d.once(4) {
			s.Always = append(s.Always, s.drawPred(d))
		}
		s.Always = apart(s.Always)
	}
	if !d.once(5) {
		for range 1 + d.IntN(2) {
			s.Eventually = append(s.Eventually, s.drawPred(d))
		}
		if d.once(15) {
			s.Eventually = append(s.Eventually, Pred{Kind: Never})
		}
		s.Eventually = apart(s.Eventually)
	}
	if d.once(8) {
		by := d.IntN(3)
		s.Step = &by
	}
	if d.once(6) {
		p := s.drawPred(d)
		s.Within = &p
	}
	if d.once(6) {
		p := s.drawPred(d)
		s.Assume = &p
	}
	if d.once(6) {
		for range 1 + d.IntN(2) {
			s.Rare = append(s.Rare, Rare{
				d.of("script", "action", "task", "message", "timer", "restart", "error", "refused", "clear to send", "flushed", "break", "mend"),
				d.IntN(Values+1) - 1,
			})
		}
	}
}

// apart removes duplicates from a list of predicates, since each becomes a property and
// names of properties must differ.
func apart(list []Pred) (all []Pred) {
	for _, p := range list {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
