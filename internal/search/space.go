package search

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/sim"
)

// Space describes in which parts the states of an exhaustive phase differ. A part that has many
// values, called forms, is a reason why there are many states.
type Space struct {
	Levels   []int    // by depth: the number of new states; levels beyond Complete have only some of them
	Complete int      // every state to this depth was found
	Growth   float64  // the factor by which the last few levels grew; 0 means not known
	Rest     int      // an estimate of the states not found yet, up to depth RestTo; 0 means none, or not known
	RestTo   int      // the bound on depth, or Complete plus one
	Sampled  int      // number of states in the sample
	Parts    []Part   // sorted by the number of forms, largest first
	Times    []string // the fields with times for which the known relations take more and more forms
}

// Part is a field, timer, task or message at all places of one kind: for example, n*.peers[*].seq
// is the field seq of all peers of all nodes. A form of a field is the value of all its places at
// one node; a form of a timer or message is one value.
type Part struct {
	Path    string
	Forms   int
	Depth   int      // the depth of the state that had the last new form
	Samples []string // the first few forms, and the last
}

// The sample has every state at first. Each time that it has gained sampledOctave states, the share of
// later states that are added is halved. At sampledMost states it is full.
const (
	sampledOctave = 1024
	sampledMost   = 20_000
	samplesKept   = 3 // number of first forms of a part that are kept as text
)

// growingLeast is a threshold for reporting that the relations between times make the number of
// states grow: they must have taken at least growingLeast different forms, and still take new ones.
// See Space.Times.
const growingLeast = 20

// space collects the data for a Space. A nil space collects nothing.
type space struct {
	levels  []int
	every   int
	seen    int
	sampled int
	parts   map[string]*part
	times   map[string]bool // the paths of fields that hold times
	clocks  string          // the path of the lines about relations between times
}

type part struct {
	forms   map[canon.Hash]struct{}
	depth   int
	samples []string
	last    string
}

// form identifies the values of one part at one node in one state.
type form struct {
	h     canon.Hash
	texts []string
}

// Due counts a state, and reports whether it is in the sample.
func (s *space) Due(depth int) bool {
	for len(s.levels) <= depth {
		s.levels = append(s.levels, 0)
	}
	s.levels[depth]++
	s.seen++
	if s.seen%max(1, s.every) != 0 || s.sampled == sampledMost {
		return false
	}
	if s.sampled++; s.sampled%sampledOctave == 0 {
		s.every = 2 * max(1, s.every)
	}
	return true
}

func (s *space) Look(depth int, lines, shown []canon.Line) {
	forms := map[[2]string]*form{} // by owner and path
	var order [][2]string
	queued := map[string]int{}
	for i, l := range lines {
		owner, path, rest := placeOf(l)
		if channel, link, ok := queueOf(l.Path); ok {
			queued[channel]++
			owner, path, rest = l.Path+l.Value, "message "+typeOf(l.Value)+" by "+link, ""
		}
		if observe.PlaceOf(l).Part == observe.PartClock {
			s.clocks = path
		}
		key := [2]string{owner, path}
		f := forms[key]
		if f == nil {
			f = &form{}
			forms[key], order = f, append(order, key)
		}
		f.h = f.h.Then(canon.OfString(rest + " = " + l.Value))
		if len(f.texts) <= samplesKept {
			f.texts = append(f.texts, strings.TrimPrefix(rest+"="+shown[i].Value, "="))
		}
	}
	for _, key := range order {
		s.form(key[1], depth, forms[key])
	}
	for _, channel := range slices.Sorted(maps.Keys(queued)) {
		n := queued[channel]
		link, _, _ := strings.Cut(channel, " ")
		s.form("messages under way by "+link, depth, &form{canon.OfString(fmt.Sprint(n)), []string{fmt.Sprint(n)}})
	}
}

// Hold records which fields hold times, from the lines of a state's text.
func (s *space) Hold(fields []canon.Line) {
	for _, l := range fields {
		if s.times == nil {
			s.times = map[string]bool{}
		}
		_, path, _ := placeOf(l)
		s.times[path] = true
	}
}

func (s *space) form(path string, depth int, f *form) {
	p := s.parts[path]
	if p == nil {
		p = &part{forms: map[canon.Hash]struct{}{}}
		if s.parts == nil {
			s.parts = map[string]*part{}
		}
		s.parts[path] = p
	}
	if _, known := p.forms[f.h]; known {
		return
	}
	p.forms[f.h], p.depth = struct{}{}, depth
	text := strings.Join(f.texts[:min(len(f.texts), samplesKept)], " ")
	if len(f.texts) > samplesKept {
		text += " ..."
	}
	if len(p.samples) < samplesKept {
		p.samples = append(p.samples, text)
	} else {
		p.last = text
	}
}

// placeOf splits a line's path into the line's owner, the Part.Path to which the line belongs, and
// the rest, which distinguishes lines of the same owner and Part.Path. For example, n1.peers[2].seq
// is split into n1, n*.peers[*].seq and [2].
func placeOf(l canon.Line) (owner, path, rest string) {
	end := strings.IndexAny(l.Path, " .[")
	if end < 0 {
		end = len(l.Path)
	}
	owner, rest = l.Path[:end], l.Path[end:]
	switch {
	case !isNode(owner):
		if channel := nodeless(l.Path); channel != l.Path {
			return l.Path, channel, ""
		}
		return "", general(l.Path), keys(l.Path)
	case rest == " timer" || rest == " task":
		return l.Path + l.Value, rest[1:] + " " + typeOf(l.Value), ""
	}
	return owner, "n*" + general(rest), keys(rest)
}

// queueOf returns the channel to which a line about a message belongs, and its link.
func queueOf(path string) (channel, link string, ok bool) {
	link, rest, _ := strings.Cut(path, " ")
	switch link {
	case sim.LinkTCP.String(), sim.LinkUDP.String():
		at := strings.IndexByte(rest, '[')
		if at < 0 {
			return "", "", false
		}
		return link + " " + rest[:at], link, true
	case sim.LinkSet.String(), sim.LinkBag.String():
		return path, link, true
	}
	return "", "", false
}

func isNode(s string) bool {
	return len(s) > 1 && s[0] == 'n' && strings.Trim(s[1:], "0123456789") == ""
}

// nodeless replaces the nodes at both ends of a channel by n*.
func nodeless(path string) string {
	link, ends, _ := strings.Cut(path, " ")
	from, to, ok := strings.Cut(ends, "->")
	if ok && isNode(from) && isNode(to) {
		return link + " n*->n*"
	}
	return path
}

// general replaces the contents of brackets by *.
func general(path string) string {
	var b strings.Builder
	brackets(path, func(r rune) { b.WriteRune(r) }, func(string) { b.WriteString("[*]") })
	return b.String()
}

// keys returns the contents of brackets, with the brackets.
func keys(path string) string {
	var b strings.Builder
	brackets(path, func(rune) {}, func(in string) { b.WriteString("[" + in + "]") })
	return b.String()
}

// brackets calls in for the contents of each outermost pair of brackets in a path, and out for each
// character outside of brackets. A quoted key may contain brackets.
func brackets(path string, out func(rune), in func(string)) {
	deep, from, quoted, escaped := 0, 0, false, false
	for i, r := range path {
		switch {
		case escaped:
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"' && deep > 0:
			quoted = !quoted
		case quoted:
		case r == '[':
			if deep++; deep == 1 {
				from = i + 1
			}
		case r == ']' && deep > 0:
			if deep--; deep == 0 {
				in(path[from:i])
			}
		case deep == 0:
			out(r)
		}
	}
}

// typeOf returns the name of the type with which a value's text begins.
func typeOf(text string) string {
	if at := strings.IndexAny(text, "{(["); at > 0 {
		return text[:at]
	}
	return text
}

// profiled returns the result, with the profile of its space if s is not nil.
func (r *Result) profiled(s *space) *Result {
	if s != nil {
		r.Space = s.result(r)
	}
	return r
}

// result returns the profile of the collected states.
func (s *space) result(res *Result) *Space {
	out := &Space{Levels: s.levels, Complete: res.Stats.Depth, Sampled: s.sampled}
	for path, p := range s.parts {
		one := Part{Path: path, Forms: len(p.forms), Depth: p.depth, Samples: p.samples}
		if p.last != "" {
			one.Samples = append(one.Samples, p.last)
		}
		out.Parts = append(out.Parts, one)
	}
	slices.SortFunc(out.Parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Forms, a.Forms), cmp.Compare(rank(a.Path), rank(b.Path)), strings.Compare(a.Path, b.Path))
	})
	if state := res.Safety.State; state != StateExhausted && state != StateExhaustedWithin {
		out.estimate(res.Options.Depth)
		if p := s.parts[s.clocks]; p != nil && len(p.forms) >= growingLeast && p.depth >= res.Stats.Depth-1 {
			out.Times = slices.Sorted(maps.Keys(s.times))
		}
	}
	return out
}

// rank orders paths of parts with equally many forms: fields of nodes come first, since timers and
// messages take the forms that the nodes give them.
func rank(path string) int {
	if strings.HasPrefix(path, "n*") {
		return 0
	}
	return 1
}

// estimate estimates the number of states that were not found, up to depth bound. It assumes that
// levels go on growing as the last few complete ones did.
func (s *Space) estimate(bound int) {
	const few = 3
	last := min(s.Complete, len(s.Levels)-1)
	first := max(0, last-few)
	if last <= first || s.Levels[last] == 0 {
		return
	}
	s.Growth = math.Pow(float64(s.Levels[last])/float64(s.Levels[first]), 1/float64(last-first))
	s.RestTo = max(bound, last+1)
	level, rest := float64(s.Levels[last]), 0.0
	for depth := last + 1; depth <= s.RestTo; depth++ {
		level *= s.Growth
		rest += level
	}
	if len(s.Levels) > last+1 {
		rest -= float64(s.Levels[last+1])
	}
	s.Rest = int(min(max(math.Round(rest), 0), math.MaxInt64/2))
}
