package cluster

import (
	"os"
	"time"

	"macemc/sim"
)

// poison is a system in which a few walks harm the process that takes them.
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
	if n.drops >= 2 {
		harm(n.does)
	}
}

// harm harms the process.
func harm(deed string) {
	switch deed {
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

// venom is a system with few states. In two of them a step harms its process. With the deed "within",
// System.Within keeps a search from expanding these two.
var venom = &sim.System{
	Name: "venom", Doc: "Two nodes, one of which harms its process in some states.",
	Params: []*sim.Param{venomous},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		return tastes.Node(&taster{does: p.Word(venomous), first: self == p.Addr(0)})
	},
	Nodes: func(sim.Params) sim.Range { return sim.Range{Least: 2, Most: 2, Default: 2} },
	Script: func(p sim.Params, self sim.Addr, n int) []sim.Signal {
		if self == p.Addr(0) {
			return []sim.Signal{taste{}, taste{}, taste{}, taste{}, taste{}}
		}
		return []sim.Signal{taste{}}
	},
	Properties: []sim.Property{
		sim.Always("nothing is wrong", func(sim.View[*taster]) bool { return true }),
	},
	Within: sim.While("nothing that is kept apart", func(v sim.View[*taster]) bool {
		n, _ := v.At(v.Params().Addr(0))
		return n == nil || n.does != "within" || !n.full()
	}),
}

var venomous = &sim.Param{Name: "deed", Doc: "what venom does", Words: []string{"within", "exit", "loop", "goroutine", "memory"}}

type (
	taste  struct{}
	taster struct {
		does        string
		first       bool
		tastes, sum int
	}
)

var tastes = sim.Handle(sim.OnSignal((*taster).taste))

// full reports whether the next taste does harm.
func (n *taster) full() bool { return n.first && n.tastes == 3 && n.sum == 6 }

func (n *taster) taste(env sim.Env, _ taste) {
	if n.full() && n.does != "within" {
		harm(n.does)
	}
	n.tastes++
	if n.first {
		n.sum += env.Choose(3, "cup")
	}
}
