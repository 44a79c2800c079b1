package command

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"macemc/internal/long"
	"macemc/mdb"
	"macemc/sim"
)

// waiter is a node whose second task waits for something that never happens.
type waiter struct{ woken *chan struct{} }

type task struct{ n int }

func (*waiter) Init(env sim.Env)                       { env.Post(task{1}) }
func (*waiter) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (n *waiter) Handle(env sim.Env, s sim.Signal) {
	if s.(task).n == 2 {
		<-*n.woken
	}
	env.Post(task{s.(task).n + 1})
}

// If a script runs a handler that never returns, the command ends with a line that names the place, and with
// exit status 1.
func TestScriptIsStuck(t *testing.T) {
	for script, want := range map[string]string{
		"take 0; take 0":             "macemc: take 0: step 2: the handler did not return and asked Env nothing for 500ms: it loops for ever, or waits; at command/mdb_stuck_test.go:22\n",
		"walk":                       "macemc: walk: step 2: ",
		"take 0; alternatives; quit": "macemc: alternatives: step 2: ",
		"take 0; recovers; quit":     "macemc: recovers: a step after healing: ",
	} {
		if !*long.On && script != "walk" {
			continue // each waits
		}
		t.Run(script, func(t *testing.T) {
			woken := make(chan struct{})
			sys := &sim.System{
				Name: "waiter", Doc: "A node that waits.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
				New:        func(sim.Params, sim.Addr) sim.Node { return &waiter{&woken} },
				Opaque:     []string{"macemc/command.waiter.woken"},
				Properties: []sim.Property{sim.Eventually("never", func(sim.View[*waiter]) bool { return false })},
			}
			var out, errs bytes.Buffer
			status := make(chan int, 1)
			tool := &tool{calling: calling{Name: "macemc"}, stdout: &out, stderr: &errs, exit: func(n int) {
				status <- n
				close(woken) // so that the test can go on
			}}
			opener := mdb.Opener{Find: func(string) (*sim.System, error) { return sys, nil }, Tool: "macemc"}
			if err := (&mdbRun{tool, mdbFlags{scripts: []string{script}, stuck: time.Second / 2}}).script(opener, "waiter"); err != nil {
				t.Errorf("%s: %v\n%s", script, err, out.String())
			}
			if got := <-status; got != exitFound || !strings.HasPrefix(errs.String(), want) {
				t.Errorf("%s: exit %d, stderr %q, want %q", script, got, errs.String(), want)
			}
		})
	}
}
