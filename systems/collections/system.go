package collections

import (
	"macemc/history"
	"macemc/sim"
	"macemc/systems/chain"
)

// The known bugs: see System.
const (
	CL1 sim.BugID = "CL1"
	CL2 sim.BugID = "CL2"
	CL3 sim.BugID = "CL3"
)

// The parameters.
var (
	Over = &sim.Param{
		Name: "over", Doc: "what the service stands on: a single node, or the chain replication that it stands for",
		Words: []string{"single", "chain"}, Runs: "chain",
	}
	Of       = &sim.Param{Name: "of", Doc: "which service it is", Words: []string{"table", "list"}}
	Clients  = &sim.Param{Name: "clients", Doc: "how many clients there are", Range: sim.Range{Default: 2, Least: 1, Most: 5}}
	Replicas = &sim.Param{Name: "replicas", Doc: "how many replicas a chain has", Range: sim.Range{Default: 2, Least: 1, Most: 5}}
	Commands = &sim.Param{Name: "commands", Doc: "how many operations each client has", Range: sim.Range{Default: 2, Least: 1, Most: 100_000}}
)

// System is the service with its clients.
var System = &sim.System{
	Name: "collections",
	Doc:  "A hash table and a list as replicated services. They are linearizable, and every operation is answered.",
	Nodes: func(p sim.Params) sim.Range {
		n := p.Int(Clients) + servers(p)
		return sim.Range{Default: n, Least: n, Most: n}
	},
	Params: []*sim.Param{Over, Of, Clients, Replicas, Commands},
	Bugs: []sim.Bug{
		{ID: CL1, Story: "A get looks at what was put first. The key may have been put again."},
		{ID: CL2, Story: "The list gives out its newest value. It is asked for the oldest."},
		{ID: CL3, Story: "A dequeue does not count those before it. Two of them get the same value."},
	},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		service := p.Addrs()[p.Int(Clients):]
		learner := Learner{List: p.Word(Of) == "list", First: p.Bug(CL1), Newest: p.Bug(CL2), Forgets: p.Bug(CL3)}
		switch k := self.Index() - p.Int(Clients); {
		case k < 0:
			return chain.NewClient(p.Word(Of), service)
		case p.Word(Over) == "single":
			return chain.NewSingle(learner)
		default:
			return chain.NewReplica(service, k, learner)
		}
	},
	Script: func(p sim.Params, self sim.Addr, life int) (script []sim.Signal) {
		client := self.Index()
		if client >= p.Int(Clients) {
			return nil
		}
		for k := range p.Int(Commands) {
			script = append(script, chain.Ask(k+1, operation(p, client, k)))
		}
		return script
	},
	Properties: []sim.Property{
		history.Linearizable("the table is a map", history.Map(), "table"),
		history.Linearizable("the list is a queue", history.Queue(), "list"),
		chain.Answers("every operation is answered", func(p sim.Params) int { return p.Int(Commands) }),
	},
}

// servers returns how many nodes the service stands on.
func servers(p sim.Params) int {
	if p.Word(Over) == "single" {
		return 1
	}
	return p.Int(Replicas)
}

// operation returns the k-th operation of a client: by turns it changes the service and looks at it.
func operation(p sim.Params, client, k int) any {
	list, changes := p.Word(Of) == "list", (client+k)%2 == 0
	switch value := 10*(client+1) + k; {
	case list && changes:
		return history.Enqueue{Value: value}
	case list:
		return history.Dequeue{}
	case changes:
		return history.Put{Key: "a", Value: value}
	default:
		return history.Get{Key: "a"}
	}
}

// Learner applies the operations of a table or a list. The fields besides List are known bugs.
type Learner struct{ List, First, Newest, Forgets bool }

// Apply returns what an operation comes to after others.
func (l Learner) Apply(before []chain.Command, op any) any {
	if l.List {
		return l.list(before, op)
	}
	get, is := op.(history.Get)
	if !is {
		return nil
	}
	var value any
	for _, c := range before {
		if put, is := c.Op.(history.Put); is && put.Key == get.Key && (value == nil || !l.First) {
			value = put.Value
		}
	}
	return value
}

func (l Learner) list(before []chain.Command, op any) any {
	if _, is := op.(history.Dequeue); !is {
		return nil
	}
	var values []any
	for _, c := range before {
		switch op := c.Op.(type) {
		case history.Enqueue:
			values = append(values, op.Value)
		case history.Dequeue:
			if len(values) > 0 && !l.Forgets {
				values = values[1:]
			}
		}
	}
	switch {
	case len(values) == 0:
		return nil
	case l.Newest:
		return values[len(values)-1]
	default:
		return values[0]
	}
}
