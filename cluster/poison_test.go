package cluster

import (
	"os"
	"time"

	"macemc/sim"
)

// poison is a system of which a few walks harm the process that takes them.
var poison = &sim.System{
	Name: "poison", Doc: "A node that sometimes harms its process.",
	Params: []*sim.Param{deed},
	New:    func(p sim.Params, _ sim.Addr) sim.Node { return drinks.Node(&drinker{does: p.Word(deed)}) },
	Nodes:  func(sim.Params) sim.Range { return sim.Range{Least: 1, Most: 1, Default: 1} },
	Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{sip{}} },
	Properties: []sim.Property{
		sim.Always("nothing is wrong", func(sim.View[*drinker]) bool { return true }),
	},
}

var deed = &sim.Param{Name: "deed", Doc: "what poison does", Words: []string{"none", "exit", "loop", "goroutine", "memory"}}

type (
	sip     struct{}
	drinker struct {
		does        string
		sips, drops int
	}
)

var drinks = sim.Handle(sim.OnSignal((*drinker).sip))

// sip draws a cup of 600; two of number 0 are poison.
func (n *drinker) sip(env sim.Env, _ sip) {
	if env.Choose(600, "cup") == 0 {
		n.drops++
	}
	if n.sips++; n.sips < 20 {
		env.After(time.Second, sip{})
	}
	if n.drops < 2 {
		return
	}
	switch n.does {
	case "exit":
		os.Exit(3)
	case "loop":
		for {
			time.Sleep(time.Millisecond)
		}
	case "goroutine":
		go panic("poison")
		time.Sleep(time.Second)
	case "memory":
		var all [][]byte
		for range 1 << 8 {
			all = append(all, make([]byte, 1<<24))
			for k := 0; k < 1<<24; k += 1 << 12 {
				all[len(all)-1][k] = 1
			}
		}
	}
}
