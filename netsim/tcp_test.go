package netsim

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/transcript"
)

// The transcripts of TCP: testdata/tcp_*.txt, a file for each rule.
//
//	new [nodes=2] [buffer=20] [flaw=NAME]
//	    a new network of the nodes a, b, ...
//	do
//	    one operation a line; the results follow in the same order
//
// The operations are send FROM TO MESSAGE..., deliver FROM TO, hear NODE PEER
// (the error that PEER has queued for it), break A B, close NODE PEER, crash
// NODE, refuse FROM TO, ask FROM TO (for room), clear FROM TO (the news of
// it), flush NODE (asks) and flushed NODE (the news). After each come the
// flags of every pair that has any, the first node's
// first, and the queues; ! is an error. Then what is possible.
func TestTCPTranscripts(t *testing.T) {
	transcript.RunFresh(t, "testdata", func() transcript.Handler {
		var tcp *TCP
		return func(t *testing.T, d *transcript.Data) string {
			switch d.Cmd {
			case "new":
				transcript.Allow(t, d, "nodes", "buffer", "flaw")
				var flaws []string
				if name := transcript.Word(d, "flaw", ""); name != "" {
					flaws = append(flaws, name)
				}
				tcp = NewTCP(transcript.Int(t, d, "nodes", 2), transcript.Int(t, d, "buffer", BufferDefault), flaws...)
				return ""
			case "do":
				transcript.Allow(t, d)
				return transcribe(t, d, tcp)
			default:
				d.Fatalf(t, "no command %q", d.Cmd)
				return ""
			}
		}
	})
}

func transcribe(t *testing.T, d *transcript.Data, tcp *TCP) string {
	lines := strings.Split(strings.TrimSpace(d.Input), "\n")
	width := 0
	for _, line := range lines {
		width = max(width, len(line))
	}
	var out strings.Builder
	for _, line := range lines {
		word := strings.Fields(line)
		said, ok := operate(tcp, word)
		if !ok {
			d.Fatalf(t, "no operation %q", line)
		}
		fmt.Fprintf(&out, "%-*s   %s%s\n", width, line, told(tcp), said)
	}
	return out.String()
}

// operate carries out one operation. It returns the result, and ok is false if the operation is not possible
// now.
func operate(tcp *TCP, word []string) (said string, ok bool) {
	node := func(i int) int { return int(word[i][0] - 'a') }
	x := node(1)
	if word[0] == "crash" || word[0] == "flush" || word[0] == "flushed" {
		return alone(tcp, word[0], x)
	}
	y := node(2)
	c := tcp.Channel(x, y)
	switch word[0] {
	case "send":
		for _, m := range word[3:] {
			if tcp.Room(c) == 0 {
				said += ", no room for " + m
				continue
			}
			tcp.Push(c, Packet{Message: m})
		}
	case "deliver":
		if !tcp.Messages().Has(c) {
			return ", nothing may be delivered", true
		}
		p, opened := tcp.Pop(c)
		said = fmt.Sprintf(", %s got %s", word[2], p.Message)
		if opened {
			said += ", opened"
		}
	case "hear":
		c := tcp.Channel(y, x)
		if !tcp.Errors().Has(c) {
			return ", nothing to hear", true
		}
		tcp.PopError(c)
	case "break":
		if !tcp.Breakable(x, y) {
			return ", not breakable", true
		}
		tcp.Break(x, y)
	case "close":
		tcp.Close(x, y)
	case "refuse":
		tcp.Refuse(c)
	case "ask":
		tcp.AskClear(c)
	case "clear":
		if !tcp.Clear().Has(c) {
			return ", no news", true
		}
		tcp.PopClear(c)
	default:
		return "", false
	}
	return said, true
}

func alone(tcp *TCP, operation string, node int) (said string, ok bool) {
	switch operation {
	case "crash":
		tcp.Crash(node)
	case "flush":
		tcp.AskFlushed(node)
	case "flushed":
		if !tcp.Flushed().Has(node) {
			return ", no news", true
		}
		tcp.PopFlushed(node)
	}
	return "", true
}

// told returns the network on one line: each pair, then the possible events.
func told(tcp *TCP) string {
	name := func(i int) string { return string(rune('a' + i)) }
	var pairs, may []string
	for i := range tcp.n {
		for j := i; j < tcp.n; j++ {
			if i == j && len(tcp.Packets(tcp.Channel(i, i))) == 0 || tcp.n > 2 && i != j && untouched(tcp, i, j) {
				continue
			}
			s := fmt.Sprintf("%s-%s %s/%s", name(i), name(j), tcp.Flags(i, j), tcp.Flags(j, i))
			if i == j {
				s = name(i)
			}
			pairs = append(pairs, s+queueText(tcp, name(i)+">"+name(j), tcp.Channel(i, j)))
			if i != j {
				pairs[len(pairs)-1] += queueText(tcp, name(j)+">"+name(i), tcp.Channel(j, i))
			}
		}
	}
	if a, b, illegal := tcp.Illegal(); illegal {
		pairs = append(pairs, fmt.Sprintf("ILLEGAL %s-%s", name(a), name(b)))
	}
	for _, list := range []struct {
		verb string
		of   *Bits
		turn bool
	}{{"deliver", tcp.Messages(), false}, {"hear", tcp.Errors(), true}, {"clear", tcp.Clear(), false}} {
		for k := range list.of.Len() {
			from, to := tcp.Ends(list.of.At(k))
			if list.turn {
				from, to = to, from
			}
			may = append(may, fmt.Sprintf("%s %s %s", list.verb, name(from), name(to)))
		}
	}
	for k := range tcp.Flushed().Len() {
		may = append(may, "flushed "+name(tcp.Flushed().At(k)))
	}
	return strings.Join(pairs, "; ") + " (" + strings.Join(may, ", ") + ")"
}

func untouched(tcp *TCP, i, j int) bool {
	there, back := tcp.Channel(i, j), tcp.Channel(j, i)
	return tcp.Told(there) == 0 && tcp.Told(back) == 0 && len(tcp.Packets(there)) == 0 && len(tcp.Packets(back)) == 0
}

func queueText(tcp *TCP, arrow string, c int) string {
	var items []string
	if tcp.Broken(c) {
		items = append(items, "!")
	}
	for _, p := range tcp.Packets(c) {
		items = append(items, fmt.Sprint(p.Message))
	}
	if len(items) == 0 {
		return ""
	}
	return " " + arrow + "[" + strings.Join(items, " ") + "]"
}
