package eventgraph

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// The two expressions with which a log begins that ShiViz is given as a file:
// how an event is told, and what stands between two runs.
const (
	shivizEvent = `(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`
	shivizRuns  = `^=== (?<trace>.*) ===$`
)

// shivizNetwork is the host of what happens to the network. ShiViz has its
// events happen one after the other, which the others here need not.
const shivizNetwork = "network"

// ShiViz writes the graph as a log that ShiViz reads, with vector clocks.
func (g *Graph) ShiViz(w io.Writer, part Part) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\n\n", shivizEvent)
	g.shiviz(b, part)
	return b.Flush()
}

func (g *Graph) shiviz(w *bufio.Writer, part Part) {
	part.Whole = true
	n := len(g.nodes) + 1 // the last host is the network
	clocks := make([][]int, len(g.points))
	last := make([]int, n)
	for i := range last {
		last[i] = none
	}
	shown := make([]bool, len(g.points))
	g.each(part, func(p int) { shown[p] = true }, func(stretch) {})
	for p := range g.points {
		at := &g.points[p]
		host := at.lane
		if host == network {
			host = n - 1
		}
		clock := make([]int, n)
		join(clock, clocks, last[host])
		for _, c := range at.causes {
			join(clock, clocks, c.from)
		}
		clocks[p], last[host] = clock, p
		if !shown[p] { // what it passes on is passed on; it is no event
			continue
		}
		clock[host]++
		fmt.Fprintf(w, "%s\n%s {%s}\n", g.event(p), g.host(host), g.clock(clock))
	}
}

func join(clock []int, clocks [][]int, from int) {
	if from != none {
		for i, n := range clocks[from] {
			clock[i] = max(clock[i], n)
		}
	}
}

// event is a point as one line, with what it did.
func (g *Graph) event(p int) string {
	parts := []string{fmt.Sprintf("%d %s", g.number(p), g.points[p].text)}
	if g.critical(p) {
		parts = append(parts, "CRITICAL")
	}
	if g.failed(p) {
		parts = append(parts, "FAILED: "+g.Marks.Why)
	}
	return cut(strings.Join(append(parts, g.story(p)...), "; "), 1000)
}

func (g *Graph) host(i int) string {
	if i == len(g.nodes) {
		return shivizNetwork
	}
	return g.nodes[i].String()
}

func (g *Graph) clock(clock []int) string {
	var parts []string
	for i, n := range clock {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%q:%d", g.host(i), n))
		}
	}
	return strings.Join(parts, ", ")
}
