package eventgraph

import (
	"fmt"
	"strings"

	"macemc/sim"
)

// message is a message that was handed to the network.
type message struct {
	from, to int // the lanes of the sender and the receiver
	link     sim.Link
	shown    string // the text for people
	sent     int    // the point that sent it
	ends     []end
	copies   int  // the number of copies that are still under way
	dropped  bool // it was refused, or there was no room for it, so it never was under way
	kept     bool // it is in a set, where it stays
	same     int  // for a message to a set: the equal message that was in the set already, or none
	cut      bool // the run ended in the step that sent it
}

// end is what became of a message or of one of its copies, and the point in which this happened.
type end struct {
	at  int // the point in which it had that fate
	how fate
}

type fate uint8

const (
	delivered fate = iota + 1
	overtook       // delivered before older messages
	lost           // lost by a fault
	unreached      // not delivered, since nobody listened or there was a partition
	broken         // lost with its connection
	copied         // duplicated by a fault, so that there is one copy more
)

// fate returns the fate of the message with this index, in words.
func (g *Graph) fate(id int) string {
	m := &g.messages[id]
	switch {
	case m.dropped:
		return "" // the effect says it
	case m.cut:
		return "the run ended here"
	case m.same != none:
		return fmt.Sprintf("in the set already as #%d", m.same+1)
	}
	if len(m.ends) > endsMost {
		return g.fates(m)
	}
	var words []string
	var how fate
	for _, e := range m.ends {
		number := g.number(e.at)
		if e.how == how {
			words[len(words)-1] += fmt.Sprintf(" and %d", number)
			continue
		}
		how = e.how
		words = append(words, fmt.Sprintf(fateWords[how], number))
	}
	switch {
	case m.kept && len(words) == 0:
		words = append(words, "never delivered")
	case !m.kept && m.copies > 0 && len(words) > 0:
		words = append(words, fmt.Sprintf("%d still under way at the end", m.copies))
	case !m.kept && m.copies > 0:
		words = append(words, "still under way at the end")
	}
	return strings.Join(words, ", ")
}

// endsMost is the largest number of fates of one message's copies that are listed one by
// one.
const endsMost = 4

// fates returns the fates of all copies of a message, in words.
func (g *Graph) fates(m *message) string {
	var count, last [copied + 1]int
	var order []fate
	for _, e := range m.ends {
		if count[e.how] == 0 {
			order = append(order, e.how)
		}
		count[e.how]++
		last[e.how] = g.number(e.at)
	}
	var words []string
	for _, how := range order {
		if count[how] == 1 {
			words = append(words, fmt.Sprintf(fateWords[how], last[how]))
			continue
		}
		words = append(words, fmt.Sprintf("%d times "+strings.Replace(fateWords[how], " at ", ", the last at ", 1), count[how], last[how]))
	}
	if m.copies > 0 {
		words = append(words, fmt.Sprintf("%d still under way at the end", m.copies))
	}
	return strings.Join(words, ", ")
}

var fateWords = [...]string{
	delivered: "delivered at %d", overtook: "delivered before older ones at %d", lost: "lost at %d",
	unreached: "lost at %d: nobody listened", broken: "lost at %d with the connection", copied: "copied at %d",
}

// lostWithConnection reports whether every copy of the message was lost or refused together with its
// connection, so that no step took one.
func (m *message) lostWithConnection() bool {
	for _, e := range m.ends {
		if e.how != broken && !(e.how == unreached && m.link == sim.LinkTCP) {
			return false
		}
	}
	return true
}

// unheard reports whether no step shows the loss of the message: it was lost together with its
// connection, or it was dropped when it was sent.
func (m *message) unheard() bool {
	return m.dropped || len(m.ends) > 0 && m.lostWithConnection()
}
