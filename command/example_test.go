package command_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"macemc/command"
	"macemc/sim"
)

// Node n0 has one ticket. The others ask for it, and pay when they have got it.
type (
	want struct{} // a client's request
	ask  struct{}
	sold struct{}
	paid struct{}
)

type node struct {
	Left int  // tickets that n0 has
	Has  bool // a client has a ticket
}

func (n *node) want(env sim.Env, _ want) { env.TCP().Send(env.Peers()[0], ask{}) }

func (n *node) ask(env sim.Env, from sim.Addr, _ ask) {
	if n.Left > 0 { // the mistake: the ticket is still there until somebody has paid
		env.TCP().Send(from, sold{})
	}
}

func (n *node) sold(env sim.Env, from sim.Addr, _ sold) {
	n.Has = true
	env.TCP().Send(from, paid{})
}

func (n *node) paid(sim.Env, sim.Addr, paid) { n.Left-- }

var handlers = sim.Handle(
	sim.OnSignal((*node).want), sim.OnMessage((*node).ask), sim.OnMessage((*node).sold), sim.OnMessage((*node).paid),
)

var tickets = &sim.System{
	Name: "tickets",
	Doc:  "One node sells the only ticket to the others.",
	New:  func(sim.Params, sim.Addr) sim.Node { return handlers.Node(&node{Left: 1}) },
	Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
		if self == p.Addr(0) {
			return nil
		}
		return []sim.Signal{want{}}
	},
	Properties: []sim.Property{sim.Always("one client has the ticket", func(v sim.View[*node]) bool {
		has := 0
		for _, n := range v.Nodes() {
			if n.Has {
				has++
			}
		}
		return has <= 1
	})},
}

// A program of yours has this line as its func main. The example cannot call it, since Main ends the
// process: it starts itself again, as that program.
func init() {
	if os.Getenv("EXAMPLE_MAIN") != "" {
		command.Main(tickets)
	}
}

func ExampleMain() {
	folder, err := os.MkdirTemp("", "findings")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	program := exec.Command(os.Args[0], "search", "tickets", "--quiet", "--out", folder)
	program.Env = append(os.Environ(), "EXAMPLE_MAIN=1")
	out, err := program.Output()
	report, _, _ := strings.Cut(string(out), "searched:")
	fmt.Print(report)
	fmt.Println(err)
	// Output:
	// tickets: unsafe after 6 steps: "one client has the ticket" does not hold
	//
	//   verdict     safety: a state was reached that must not be
	//   property    "one client has the ticket"
	//   event       step 6 n2 message sold{} from n0 by tcp
	//   critical    step 4 n0 message ask{} from n2 by tcp
	//               it could be avoided until then, and not after
	//   evidence    proved: all that can happen without further faults was visited
	//   deviates    in no step alone
	//               of 240 fresh walks of 200 steps 51 kept the promise and 189 broke it; for each step of
	//               this run before it is too late, some that kept it took the step at a node in the same
	//               state
	//
	// the run, of 6 steps:
	//   1  n1 script want{}
	//          send ask{} to n0 by tcp
	//   2  n2 script want{}
	//          send ask{} to n0 by tcp
	//   3  n0 message ask{} from n1 by tcp
	//          send sold{} to n1 by tcp
	//   4  n0 message ask{} from n2 by tcp
	//          send sold{} to n2 by tcp
	//   5  n1 message sold{} from n0 by tcp
	//          send paid{} to n0 by tcp
	//   6  n2 message sold{} from n0 by tcp
	//          send paid{} to n0 by tcp
	//
	// exit status 1
}
