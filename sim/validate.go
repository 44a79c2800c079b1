package sim

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"macemc/internal/guard"
	"macemc/internal/kinds"
	"macemc/internal/sight"
)

var validName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Validate returns an error, in sentences, if the system is misconfigured. To find out, it
// makes every node once.
func (sys *System) Validate(p Params) error {
	if !validName.MatchString(sys.Name) {
		return fmt.Errorf("a system has the name %q; a name is a lower-case word such as randtree", sys.Name)
	}
	for _, check := range []func() error{
		sys.validateOwn, sys.validateParams, sys.validateBugs, sys.validateProperties,
	} {
		if err := check(); err != nil {
			return fmt.Errorf("system %s: %w", sys.Name, err)
		}
	}
	p, err := sys.Resolve(p)
	if err != nil {
		return err
	}
	if err := sys.validateNodes(p); err != nil {
		return fmt.Errorf("system %s: %w", sys.Name, err)
	}
	return nil
}

func (sys *System) validateOwn() error {
	switch {
	case strings.TrimSpace(sys.Doc) == "":
		return errors.New("it is undocumented; say in Doc what it is and what it promises")
	case sys.New == nil && sys.Programs == nil:
		return errors.New("it has no New; say how a node is made")
	}
	for k, name := range kinds.Budgets {
		if n := *sys.Tolerates.Budget(k); n < Unlimited {
			return fmt.Errorf("it tolerates %s=%d; a budget is 0 or more, or Unlimited", name, n)
		}
	}
	return nil
}

func (sys *System) validateParams() error {
	seen := map[string]bool{}
	for _, q := range sys.Params {
		switch {
		case !validName.MatchString(q.Name):
			return fmt.Errorf("a parameter has the name %q; a name is a lower-case word", q.Name)
		case seen[q.Name]:
			return fmt.Errorf("two parameters have the name %s", q.Name)
		case strings.TrimSpace(q.Doc) == "":
			return fmt.Errorf("parameter %s is undocumented; say in Doc what it sets", q.Name)
		case q.Runs != "" && slices.Index(q.Words, q.Runs) < 1:
			return fmt.Errorf("parameter %s has Runs %q; it must be one of the Words %v, and not the first, which stands for an abstraction", q.Name, q.Runs, q.Words)
		case len(q.Words) > 0 && q.Range != Range{}:
			return fmt.Errorf("parameter %s has both a Range and Words; it is a number or a word", q.Name)
		case len(q.Words) == 0 && (q.Range.Default < q.Range.Least || q.Range.Default > q.Range.Most):
			return fmt.Errorf("parameter %s is %d by default, which is not from %d to %d", q.Name, q.Range.Default, q.Range.Least, q.Range.Most)
		}
		seen[q.Name] = true
	}
	return nil
}

func (sys *System) validateBugs() error {
	seen := map[BugID]bool{}
	for _, b := range sys.Bugs {
		switch {
		case b.ID == "":
			return fmt.Errorf("a known bug has no ID (its story is %q); give it one, such as AB1", b.Story)
		case seen[b.ID]:
			return fmt.Errorf("two known bugs have the id %s", b.ID)
		case strings.TrimSpace(b.Story) == "":
			return fmt.Errorf("known bug %s has no story; say what goes wrong", b.ID)
		}
		seen[b.ID] = true
	}
	return nil
}

func (sys *System) validateProperties() error {
	seen := map[string]bool{}
	for _, p := range sys.Properties {
		switch {
		case p.rule.Kind == 0:
			return fmt.Errorf("property %q was not made by Always, Eventually, Cools, Steps, Monitor or Sometimes", p.Name)
		case strings.TrimSpace(p.Name) == "":
			return errors.New("a property has no name; its name is the sentence that a report quotes")
		case seen[p.Name]:
			return fmt.Errorf("two properties have the name %q", p.Name)
		}
		seen[p.Name] = true
	}
	if len(sys.Fair) > 0 && !slices.ContainsFunc(sys.Properties, Property.Cools) {
		return fmt.Errorf("the choice %q is in Fair, but only properties made by Cools use Fair, and the system has none; leave it out", sys.Fair[0])
	}
	for k, why := range sys.Fair {
		if strings.TrimSpace(why) == "" || slices.Contains(sys.Fair[:k], why) {
			return fmt.Errorf("the name %q is in Fair twice, or is empty; name each choice once, by the argument why of Env.Choose", why)
		}
	}
	return nil
}

// validateNodes makes every node. It returns an error if a node cannot run, or if a
// property or a constraint is about a type that no node has.
func (sys *System) validateNodes(p Params) error {
	for _, id := range p.bugs {
		if !slices.ContainsFunc(sys.Bugs, func(b Bug) bool { return b.ID == id }) {
			return fmt.Errorf("there is no known bug %s; there are %s", id, orNone(sys.bugNames()))
		}
	}
	walker, err := sys.walker(nil)
	if err != nil {
		return err
	}
	if _, err := sys.Links(p); err != nil {
		return err
	}
	var scripts [][]Signal
	for _, self := range p.Addrs() {
		script, err := sys.Opening(p, self)
		if err != nil {
			return err
		}
		scripts = append(scripts, script)
	}
	byzantine, err := sys.Byzantines(p, "")
	if err != nil {
		return err
	}
	var nodes, sees []Node
	for i := range p.Nodes {
		if sys.Programs != nil && sys.Programs.New(p, addrOf(i)) != nil {
			nodes = append(nodes, nil)
			continue
		}
		if sys.New == nil {
			return fmt.Errorf("%s is neither a program nor a node: it has no New", addrOf(i))
		}
		var n Node
		seen := false
		if err := guard.Call("New", func() { n, seen = sys.made(p, addrOf(i), byzantine) }); err != nil {
			return fmt.Errorf("at %s, %w", addrOf(i), err)
		}
		if n == nil || reflect.ValueOf(n).Kind() == reflect.Pointer && reflect.ValueOf(n).IsNil() {
			return fmt.Errorf("its New made a nil node at %s", addrOf(i))
		}
		if nodes = append(nodes, n); seen {
			sees = append(sees, n)
		}
	}
	times := sight.Times(walker)
	for i, n := range nodes {
		if n == nil {
			continue // a program
		}
		if h, ok := n.(sight.Handled); ok && h.Handlers().Err != nil {
			return h.Handlers().Err
		}
		if err := carriedQuorum(n); err != nil {
			return err
		}
		if err := unhandledOpenings(n, addrOf(i), scripts[i]); err != nil {
			return err
		}
		if err := sys.listsBugsOf(n); err != nil {
			return err
		}
		t := reflect.TypeOf(sight.Subject(n))
		if err := walker.Check(t); err != nil {
			return err
		}
		if why := times.Check(t); why != "" {
			return fmt.Errorf("%s cannot keep times where it does: %s", t, why)
		}
	}
	if sys.Programs != nil {
		return nil // the values that programs show to properties are known only when they run
	}
	for _, prop := range sys.Properties {
		if prop.rule.Matches != nil && !matched(sees, prop.rule) {
			return fmt.Errorf("property %q is about %s, and no node has one; New makes %s%s", prop.Name, prop.rule.About, typesOf(sees), meant(sees, prop.rule.About))
		}
	}
	for _, c := range []Constraint{sys.Within, sys.Assume} {
		if !c.IsZero() && !matched(sees, c.rule) {
			return fmt.Errorf("constraint %q is about %s, and no node has one; New makes %s%s", c.Name, c.rule.About, typesOf(sees), meant(sees, c.rule.About))
		}
	}
	return nil
}

// carriedQuorum returns an error if a node that a layer carries has an OnQuorum.
func carriedQuorum(n Node) error {
	for l, is := n.(layer); is; l, is = n.(layer) {
		if n = l.Upper(); n == nil {
			return nil
		}
		if h, ok := n.(sight.Handled); ok && len(h.Handlers().Quorums) > 0 {
			return fmt.Errorf("%T has an OnQuorum of %s and is carried by %T, from which its messages come one by one; handle them by sim.OnMessage",
				h.Subject(), h.Handlers().Quorums[0].Of, sight.Subject(l))
		}
	}
	return nil
}

// listsBugsOf returns an error if a layer of the node has a known bug that System.Bugs does
// not list. A handler of the layer would panic when it asks for the bug.
func (sys *System) listsBugsOf(n Node) error {
	for n != nil {
		if flawed, ok := n.(flawed); ok {
			for _, b := range flawed.KnownBugs() {
				if !slices.ContainsFunc(sys.Bugs, func(own Bug) bool { return own.ID == b.ID }) {
					pkg, _, _ := strings.Cut(strings.TrimLeft(reflect.TypeOf(n).String(), "*"), ".")
					return fmt.Errorf("%T has the known bug %s, which System.Bugs does not list; write Bugs: append(%s.Bugs, ...)", n, b.ID, pkg)
				}
			}
		}
		l, ok := n.(layer)
		if !ok {
			return nil
		}
		n = l.Upper()
	}
	return nil
}

// matched reports whether rule, which is that of a property or a constraint, applies to one
// of the nodes.
func matched(nodes []Node, rule sight.Rule) bool {
	return slices.ContainsFunc(nodes, func(n Node) bool { return rule.Matches(n) })
}

// meant returns a hint for the error that no node has the type about, which a property or a
// constraint names. If some node is a pointer to that type, the hint says so; otherwise it is "".
func meant(nodes []Node, about reflect.Type) string {
	for _, n := range nodes {
		if t := reflect.TypeOf(sight.Subject(n)); t == reflect.PointerTo(about) {
			return fmt.Sprintf("; write sim.View[%s]", t)
		}
	}
	return ""
}

// typesOf returns the names of the nodes' types, each once.
func typesOf(nodes []Node) string {
	var types []string
	for _, n := range nodes {
		if name := reflect.TypeOf(sight.Subject(n)).String(); !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	return strings.Join(types, ", ")
}
