package mdb

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/wording"
	"macemc/sim"
	"macemc/trace"
)

// query is a condition on steps. It holds for a step if all of its terms hold.
type query struct {
	text  string
	terms []term
}

// term is one condition of a query. A term with a field needs the states; the others need
// only the recorded step.
type term struct {
	not   bool
	holds func(b *branch, i int) bool
	field *field
	value *string // the new value that the field must have; nil means any
}

// queryHelp is the help on queries.
const queryHelp = `A QUERY is one or more conditions on a step, which must all hold:
  n1, node n1              it happened at n1
  kind timer               its event is of this kind (message, timer, script, crash, ...)
  type join                its message or signal is of this type
  sends join               its handler sent a message of this type
  fault                    it is a fault of the environment
  field n1.parent          the field changed; field n1.parent = n0: it became n0
  property "one root"      the property changed its value; ... holds, ... fails: it began to
  live                     its state is live
  /pattern/                its text has a match: event, coins, effects, log lines
  not CONDITION            the condition does not hold`

// parseQuery reads a query.
func (r *run) parseQuery(words []word) (*query, error) {
	q := &query{text: quoted(words)}
	for rest := words; len(rest) > 0; {
		t := term{}
		for len(rest) > 0 && rest[0].text == "not" && !rest[0].quoted && !rest[0].pattern {
			t.not, rest = !t.not, rest[1:]
		}
		if len(rest) == 0 {
			return nil, fmt.Errorf("the word not needs a condition behind it, as in not kind timer")
		}
		n, err := t.parse(r, rest)
		if err != nil {
			return nil, err
		}
		q.terms, rest = append(q.terms, t), rest[n:]
	}
	if len(q.terms) == 0 {
		return nil, fmt.Errorf("name a condition, as kind timer, type join, n1, field n1.parent or /pattern/; see help queries")
	}
	return q, nil
}

// quoted returns the words as a user would type them, with quotes.
func quoted(words []word) string {
	var all []string
	for _, w := range words {
		switch {
		case w.pattern:
			all = append(all, "/"+strings.ReplaceAll(w.text, "/", `\/`)+"/")
		case w.quoted || strings.ContainsAny(w.text, " ;"):
			all = append(all, `"`+w.text+`"`)
		default:
			all = append(all, w.text)
		}
	}
	return strings.Join(all, " ")
}

var termWords = []string{"node", "kind", "type", "sends", "fault", "field", "property", "live", "not"}

// parse reads one condition from the beginning of words, and returns the number of words
// that it took.
func (t *term) parse(r *run, words []word) (n int, err error) {
	first := words[0]
	if first.pattern {
		re, err := compile(first.text)
		if err != nil {
			return 0, err
		}
		t.holds = func(b *branch, i int) bool { return re.MatchString(r.stepText(b, i)) }
		return 1, nil
	}
	argument := func(what string) (string, error) {
		if len(words) < 2 {
			return "", fmt.Errorf("%s what? %s", first.text, what)
		}
		return words[1].text, nil
	}
	switch first.text {
	case "node":
		name, err := argument("name a node, as node n1")
		if err != nil {
			return 0, err
		}
		return 2, t.ofNode(r, name)
	case "kind":
		name, err := argument("name a kind of event, as kind timer")
		if err != nil {
			return 0, err
		}
		return 2, t.ofKind(name)
	case "type", "sends":
		name, err := argument("name the type of a message or a signal, as " + first.text + " join")
		if err != nil {
			return 0, err
		}
		t.holds = func(b *branch, i int) bool { return isOf(b.at(i).Event.Value, name) }
		if first.text == "sends" {
			t.holds = func(b *branch, i int) bool { return sends(&b.at(i).Step, name) }
		}
		return 2, nil
	case "fault":
		t.holds = func(b *branch, i int) bool { return b.at(i).Event.Kind.Fault() }
		return 1, nil
	case "live":
		t.holds = func(b *branch, i int) bool { return r.verdicts[b.verdict(i)].live }
		return 1, nil
	case "field":
		name, err := argument("name a field, as field n1.parent")
		if err != nil {
			return 0, err
		}
		return t.ofField(r, name, words[2:])
	case "property":
		name, err := argument(`name a property, as property "one root"`)
		if err != nil {
			return 0, err
		}
		return t.ofProperty(r, name, words[2:])
	}
	if m := nodeName.FindString(first.text); m != "" && m == first.text {
		return 1, t.ofNode(r, first.text)
	}
	return 0, unknown("condition", first.text, termWords, "see help queries")
}

func (t *term) ofNode(r *run, name string) error {
	addr, err := r.addr(name)
	t.holds = func(b *branch, i int) bool { return b.at(i).Node == addr }
	return err
}

// addr returns the address of the node with a name.
func (r *run) addr(name string) (sim.Addr, error) {
	addrs := r.player.World().Params().Addrs()
	for _, a := range addrs {
		if a.String() == name {
			return a, nil
		}
	}
	return sim.Addr{}, fmt.Errorf("there is no node %s; there are n0 to n%d", name, len(addrs)-1)
}

func (t *term) ofKind(name string) error {
	k, ok := contract.ParseKind(strings.ReplaceAll(name, "-", " "))
	if !ok {
		return unknown("kind of event", name, kindNames(), "there are "+strings.Join(kindNames(), ", "))
	}
	t.holds = func(b *branch, i int) bool { return b.at(i).Event.Kind == k }
	return nil
}

// kindNames returns the names of the kinds of events, as a user types them.
func kindNames() (names []string) {
	for _, k := range contract.Kinds() {
		names = append(names, strings.ReplaceAll(k.String(), " ", "-"))
	}
	return names
}

func (t *term) ofField(r *run, name string, rest []word) (int, error) {
	f, err := r.parseField(name)
	if err != nil {
		return 0, err
	}
	t.field = &f
	if len(rest) > 0 && rest[0].text == "=" {
		if len(rest) == 1 {
			return 0, fmt.Errorf("%s = lacks a value; write one after the sign", name)
		}
		t.value = &rest[1].text
		return 4, nil
	}
	return 2, nil
}

func (t *term) ofProperty(r *run, name string, rest []word) (int, error) {
	k, err := r.property(name)
	if err != nil {
		return 0, err
	}
	holds := func(b *branch, i int) bool { return r.verdicts[b.verdict(i)].holds[k] }
	t.holds = func(b *branch, i int) bool { return holds(b, i) != holds(b, i-1) }
	if len(rest) > 0 && (rest[0].text == "holds" || rest[0].text == "fails") {
		to := rest[0].text == "holds"
		t.holds = func(b *branch, i int) bool { return holds(b, i) == to && holds(b, i-1) != to }
		return 3, nil
	}
	return 2, nil
}

// property returns the index of the property with a name among those that are evaluated.
func (r *run) property(name string) (int, error) {
	var names []string
	for k, j := range r.names {
		if j == name {
			return k, nil
		}
		names = append(names, `"`+j+`"`)
	}
	return 0, fmt.Errorf("there is no property of states %q; there are %s", name, strings.Join(names, ", "))
}

func compile(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("/%s/ is no regular expression: %s", pattern, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}

// typeName returns the name of the type of a message or a signal, without its package.
func typeName(v any) string {
	if v == nil {
		return ""
	}
	t := reflect.TypeOf(v)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// isOf reports whether a message or signal has the named type, or carries a message that has it.
func isOf(v any, name string) bool {
	body, _ := wording.Carried(v)
	return typeName(v) == name || typeName(body) == name
}

func sends(s *trace.Step, name string) bool {
	return slices.ContainsFunc(s.Effects, func(e trace.Effect) bool {
		return (e.Kind == trace.EffectSend || e.Kind == trace.EffectRefused) && isOf(e.Value, name)
	})
}

// stepText returns the text of step i, against which patterns are matched.
func (r *run) stepText(b *branch, i int) string {
	s := b.at(i)
	var text strings.Builder
	walker := r.player.World().Walker()
	text.WriteString(s.Identity)
	if shown := s.Shown(walker.Text); shown != s.Identity {
		text.WriteString("\n" + shown)
	}
	for _, c := range s.Coins {
		text.WriteString("\nchoose " + c.What)
	}
	for _, e := range s.Effects {
		text.WriteString("\n" + e.Shown(walker.Text))
	}
	return text.String()
}

// recorded reports whether step i of b fulfils all terms that need no states.
func (q *query) recorded(b *branch, i int) bool {
	for _, t := range q.terms {
		if t.holds != nil && t.holds(b, i) == t.not {
			return false
		}
	}
	return true
}

// fields returns the terms of the query that have a field.
func (q *query) fields() (out []term) {
	for _, t := range q.terms {
		if t.field != nil {
			out = append(out, t)
		}
	}
	return out
}

// seen is the value of a field in a state: its lines, by node. A field that belongs to no node has
// one list of lines.
type seen [][]canon.Line

func (s seen) lines() []canon.Line { return slices.Concat(s...) }

// values returns the value of the field of each term after step i of a branch. If before
// has the values after step i-1, fields that the step cannot have changed are taken from
// there.
func (r *run) values(terms []term, b *branch, i int, before []seen) ([]seen, error) {
	if err := r.seek(b, i); err != nil {
		return nil, err
	}
	w := r.player.World()
	addrs := w.Params().Addrs()
	var others []canon.Line
	out := make([]seen, len(terms))
	for k, t := range terms {
		if t.field.node < 0 && !t.field.bare {
			if others == nil {
				others = w.Text.OtherLines()
			}
			out[k] = seen{t.field.of(others)}
			continue
		}
		whose := addrs
		if t.field.node >= 0 {
			whose = addrs[t.field.node : t.field.node+1]
		}
		for n, a := range whose {
			if before != nil && !touched(&b.at(i).Step, a) {
				out[k] = append(out[k], before[k][n])
			} else {
				out[k] = append(out[k], t.field.of(w.Text.NodeLinesOf(a, t.field.wanted)))
			}
		}
	}
	return out, nil
}

// matches looks for the steps of b that fulfil query q, from step from+1 to step to. It calls found with each
// of them, in order, until found returns false.
func (r *run) matches(q *query, b *branch, from, to int, found func(i int) bool) error {
	tell, end := r.busy.embrace()
	defer end()
	terms := q.fields()
	if len(terms) == 0 {
		for i := from + 1; i <= to; i++ {
			if (i-from)%1024 == 0 {
				tell("looking for "+q.text, i-from, to-from)
			}
			if err := r.busy.tell("", 0, 0); err != nil {
				return err
			}
			if q.recorded(b, i) && !found(i) {
				return nil
			}
		}
		return nil
	}
	before, err := r.values(terms, b, from, nil)
	if err != nil {
		return err
	}
	addrs := r.player.World().Params().Addrs()
	for i := from + 1; i <= to; i++ {
		if (i-from)%1024 == 0 {
			tell("looking for "+q.text, i-from, to-from)
		}
		if err := r.busy.tell("", 0, 0); err != nil {
			return err
		}
		s := b.at(i)
		if !slices.ContainsFunc(terms, func(t term) bool { return t.field.node < 0 || touched(&s.Step, addrs[t.field.node]) }) {
			if allNot(terms) && q.recorded(b, i) && !found(i) {
				return nil
			}
			continue
		}
		now, err := r.values(terms, b, i, before)
		if err != nil {
			return err
		}
		if changedAs(terms, before, now) && q.recorded(b, i) && !found(i) {
			return nil
		}
		before = now
	}
	return nil
}

// allNot reports whether all of the terms have the form "not field", which holds if a step does not change the
// field.
func allNot(terms []term) bool {
	return !slices.ContainsFunc(terms, func(t term) bool { return !t.not })
}

// changedAs reports whether all terms hold for a step, given the values of their fields before and after the
// step.
func changedAs(terms []term, before, now []seen) bool {
	for k, t := range terms {
		changed := !slices.EqualFunc(before[k], now[k], slices.Equal)
		if t.value != nil {
			changed = changed && t.field.brief(now[k].lines()) == *t.value
		}
		if changed == t.not {
			return false
		}
	}
	return true
}

// find returns the first step after from, or the last before it, that fulfils a query, or 0
// if there is none.
func (r *run) find(q *query, b *branch, from int, back bool) (at int, err error) {
	if !back {
		err = r.matches(q, b, from, b.len(), func(i int) bool {
			at = i
			return false
		})
		return at, err
	}
	tell, end := r.busy.embrace()
	defer end()
	for hi := from - 1; hi > 0 && at == 0 && err == nil; {
		tell("looking back for "+q.text, from-hi, from)
		lo := 0
		if f := b.frame(hi - 1); f != nil {
			lo = f.Steps()
		}
		err = r.matches(q, b, lo, hi, func(i int) bool {
			at = i
			return true
		})
		hi = lo
	}
	return at, err
}
