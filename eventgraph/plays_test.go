package eventgraph

import (
	"testing"

	"macemc/internal/recording"
	"macemc/sim"
)

// plays returns small runs that together show every mark.
func plays(t testing.TB) map[string]play {
	return map[string]play{
		"crash": parsePlay(t, 3, "crash=1,down=1", `
n0: tcp n1 a; after tick; post job
n1: tcp n0 b
n2: tcp n1 c; udp n1 d
n0 script
n1 message
n0 crash
n1 error
n0 restart
n0 script
n2 script
n1 down
n2 refused
n1 unreached`),
		"partition": parsePlay(t, 4, "partition=1", `
n0: tcp n3 a
n0: tcp n3 b; udp n2 c
n0 script
n3 message
partition n0 n1 |
n0 script
n0 break with n3
n0 error
n3 error
n2 unreached
mend
heal`),
		"datagrams": parsePlay(t, 2, "loss=1,dup=1,reorder=1", `
n0: udp n1 a; udp n1 b; tcp n0 me; set n1 s; set n1 s
n0: udp n1 c; udp n1 d; udp n1 e; udp n1 f
n0 script
n1 duplicate note("a")
n1 lose note("b")
n1 reorder note("a")
n1 message
n0 script
n1 message
n0 message
n1 message note("s") from n0 by set`),
		"connections": parsePlay(t, 3, "reset=1,oneway=1", `
n0: tcp n1 a; tcp n1 b; tcp n1 c; tcp n1 d; room n1; flushed
n1: tcp n0 c; reset n0
n2: after t; post x; toss which; log some words; emit a fact
n0 script
n1 message
n2 script
n2 timer
n2 task
n0 reset
n0 error
n1 error
n0 flushed
n0 clear
n1 script
one-way`),
	}
}

// besidePlay returns two runs that differ after five steps.
func besidePlay(t testing.TB) (here, there *Graph) {
	const common = `
n0: tcp n1 a; after t
n1: tcp n2 b; tcp n0 c
n2: udp n1 d; tcp n0 e
n0 script
n1 script
n2 script
n1 message
n0 timer
`
	draw := func(marks Marks, events string) *Graph {
		var states recording.Recording
		w := parsePlay(t, 3, "loss=1,reset=1", common+events).take(t, states.See)
		g := New(w.Run.Trace(), w.Walker().Text, marks)
		g.states = &states
		return g
	}
	here = draw(Marks{Title: "dead after 10 steps", Critical: 6, Failed: 10, Why: "dead after 10 steps"}, `
n1 lose
n2 message
n0 message note("c
n0 reset with n1
n0 error`)
	there = draw(Marks{Title: "live after 9 steps"}, `
n2 message
n1 message
n0 message note("c
n0 message note("e`)
	return here, there
}

// hostile is a text that breaks a drawing, or runs a script, if it is written without escapes.
const hostile = "</script><img src=x onerror=\"window.evil=1\"><b>'\"`; ```\nend\n]]> %%{init: {}}%% $$x$$ #35; \\N \\G \x1b]0;x\x07 \x00 \u202e \u2028 --> <!-- &lt; {\"n0\":9}"

// hostilePlay returns a play with the text hostile in a message, a timer, a coin, a log line and a state.
func hostilePlay(t testing.TB) play {
	p := parsePlay(t, 2, "", "n0 script\nn1 message\nn0 timer\nn0 script")
	p.scripts["n0"] = []sim.Signal{say{hostile}, do("log back")}
	return p
}
