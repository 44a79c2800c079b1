package toy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"macemc/sim"
)

// Parse makes a system from a description, in the form that the package documents. Its errors name the line
// and what is allowed there.
func Parse(text string) (*sim.System, error) {
	var p parser
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		if err := p.line(strings.Fields(line)); err != nil {
			return nil, fmt.Errorf("toy: line %d: %w", number, err)
		}
	}
	if len(p.graphs) == 0 {
		return nil, errors.New("toy: no node; begin with a line such as start: a")
	}
	for i, g := range p.graphs {
		if err := g.check(); err != nil {
			return nil, fmt.Errorf("toy: n%d, which starts at %s: %w", i, g.start, err)
		}
	}
	return system(p.graphs), nil
}

// MustParse does what Parse does, and panics if there is an error. It is for a description
// that is part of a test.
func MustParse(text string) *sim.System {
	sys, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return sys
}

// parser holds the graphs that were parsed so far, one for each node.
type parser struct{ graphs []*graph }

func (p *parser) line(words []string) error {
	if len(words) == 0 {
		return nil
	}
	first, rest := words[0], words[1:]
	if first == "start:" {
		return p.start(rest)
	}
	if len(p.graphs) == 0 {
		return fmt.Errorf("%s comes before the first start; begin with a line such as start: a", first)
	}
	g := p.graphs[len(p.graphs)-1]
	switch {
	case first == "live:":
		return mark(&g.live, rest, "live:")
	case first == "bad:":
		return mark(&g.bad, rest, "bad:")
	case len(rest) > 0 && rest[0] == "->":
		return g.arrow(first, rest[1:])
	case len(rest) > 0 && rest[0] == "-?->":
		return g.coin(first, rest[1:])
	default:
		return fmt.Errorf("%q is no line of a graph; write start: a, live: a b, bad: a b, a -> b, a -> b rare, or a -?-> b c", strings.Join(words, " "))
	}
}

func (p *parser) start(words []string) error {
	if len(words) != 1 {
		return fmt.Errorf("start: has %d vertices; a node starts at one", len(words))
	}
	if err := names(words); err != nil {
		return err
	}
	p.graphs = append(p.graphs, &graph{start: words[0], edges: map[string][]edge{}})
	return nil
}

func mark(set *map[string]bool, words []string, what string) error {
	if len(words) == 0 {
		return fmt.Errorf("%s names no vertex; name at least one, or leave the line out", what)
	}
	if err := names(words); err != nil {
		return err
	}
	if *set == nil {
		*set = map[string]bool{}
	}
	for _, w := range words {
		(*set)[w] = true
	}
	return nil
}

// arrow adds to the graph an edge from vertex from that leads to one vertex.
func (g *graph) arrow(from string, words []string) error {
	var event sim.Signal
	switch {
	case len(words) == 1:
		event = to(words[0])
	case len(words) == 2 && words[1] == "rare":
		event = rare(words[0])
	default:
		return fmt.Errorf("an arrow leads to one vertex and may be rare: %s -> b, or %s -> b rare; a coin is %s -?-> b c", from, from, from)
	}
	if err := names([]string{from, words[0]}); err != nil {
		return err
	}
	return g.add(from, edge{event: event, targets: words[:1]})
}

// coin adds to the graph an edge from vertex from whose event tosses a coin. Each answer leads to
// a vertex of its own.
func (g *graph) coin(from string, words []string) error {
	e := edge{event: toss(strings.Join(words, " "))}
	var weights []int
	for _, w := range words {
		if w == "rare" && len(weights) > 0 {
			weights[len(weights)-1] = 0
			continue
		}
		e.targets, weights = append(e.targets, w), append(weights, 1)
	}
	if len(e.targets) < 2 {
		return fmt.Errorf("a coin needs at least two answers: %s -?-> b c", from)
	}
	if !slices.Contains(weights, 1) {
		return fmt.Errorf("every answer of the coin at %s is rare; one must not be", from)
	}
	if slices.Contains(weights, 0) {
		e.weights = weights
	}
	if err := names(append([]string{from}, e.targets...)); err != nil {
		return err
	}
	return g.add(from, e)
}

func (g *graph) add(from string, e edge) error {
	for _, other := range g.edges[from] {
		if other.event == e.event {
			return fmt.Errorf("%s has this edge already; two edges between two vertices are one event", from)
		}
	}
	g.edges[from] = append(g.edges[from], e)
	return nil
}

var name = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

func names(words []string) error {
	for _, w := range words {
		if w == "rare" {
			return errors.New("the word rare follows a vertex, and cannot be the name of one")
		}
		if !name.MatchString(w) {
			return fmt.Errorf("%q is no name of a vertex; a name is lower-case letters and digits, such as a or b2", w)
		}
	}
	return nil
}

// check returns an error if a vertex that is declared live or bad is neither the start nor on an
// edge, since its name must be misspelt.
func (g *graph) check() error {
	known := map[string]bool{g.start: true}
	for from, edges := range g.edges {
		known[from] = true
		for _, e := range edges {
			for _, target := range e.targets {
				known[target] = true
			}
		}
	}
	for _, v := range append(sim.Keys(g.live), sim.Keys(g.bad)...) {
		if !known[v] {
			return fmt.Errorf("it has no vertex %s; it has %s", v, strings.Join(sim.Keys(known), ", "))
		}
	}
	return nil
}
