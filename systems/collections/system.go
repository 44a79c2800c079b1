package collections

import (
	"macemc/history"
	"macemc/sim"
	"macemc/systems/replicated"
	"macemc/systems/service"
)

// The known bugs: see System.
const (
	CL1 sim.BugID = "CL1"
	CL2 sim.BugID = "CL2"
	CL3 sim.BugID = "CL3"
	CL4 sim.BugID = "CL4"
	CL5 sim.BugID = "CL5"
	CL6 sim.BugID = "CL6"
	CL7 sim.BugID = "CL7"
	CL8 sim.BugID = "CL8"
)

// The parameters, besides those of package replicated.
var (
	Of       = &sim.Param{Name: "of", Doc: "which service it is", Words: []string{"table", "list"}}
	Clients  = &sim.Param{Name: "clients", Doc: "how many clients there are", Range: sim.Range{Default: 2, Least: 1, Most: 5}}
	Commands = &sim.Param{Name: "commands", Doc: "how many operations each client has", Range: sim.Range{Default: 2, Least: 1, Most: 1_000_000}}
)

// System is the service with its clients.
var System = &sim.System{
	Name: "collections",
	Doc:  "A hash table and a list as replicated services. They are linearizable, and every operation is answered.",
	Nodes: func(p sim.Params) sim.Range {
		n := p.Int(Clients) + replicated.Nodes(p)
		return sim.Range{Default: n, Least: n, Most: n}
	},
	Network: service.Network,
	Params:  append(replicated.Params[:len(replicated.Params):len(replicated.Params)], Of, Clients, Commands),
	Bugs: []sim.Bug{
		{ID: CL1, Story: "A get looks at what was put first. The key may have been put again."},
		{ID: CL2, Story: "The list gives out its newest value. It is asked for the oldest."},
		{ID: CL3, Story: "A dequeue does not count those before it. Two of them get the same value."},
		{ID: CL4, Story: "The dispatcher forgets what is under way when a replica goes down. The next one is not asked."},
		{ID: CL5, Story: "The dispatcher takes an answer for that of any client with a request of that number. Each client counts by itself."},
		{ID: CL6, Story: "The dispatcher forgets that a replica may fail while nothing is under way. Its connection breaks."},
		{ID: CL7, Story: "The dispatcher forgets that it may be answered twice. It had asked twice."},
		{ID: CL8, Story: "A leader of Multi-Paxos does not answer for what the leader before it decided. It was asked again for it, since that one is down."},
	},
	New: newNode,
	Script: func(p sim.Params, self sim.Addr, life int) (script []sim.Signal) {
		client := self.Index()
		if client >= p.Int(Clients) {
			return nil
		}
		for k := range p.Int(Commands) {
			script = append(script, service.Ask(k+1, operation(p, client, k)))
		}
		return script
	},
	Properties: []sim.Property{
		history.Linearizable("the table is a map", history.Map(), "table"),
		history.Linearizable("the list is a queue", history.Queue(), "list"),
		service.Finished("every operation is answered", func(p sim.Params) int { return p.Int(Commands) }),
	},
}

func newNode(p sim.Params, self sim.Addr) sim.Node {
	nodes := p.Addrs()[p.Int(Clients):]
	k := self.Index() - p.Int(Clients)
	if k >= 0 {
		bugs := replicated.Bugs{Forgets: p.Bug(CL4), Mixes: p.Bug(CL5), Deaf: p.Bug(CL6), Curt: p.Bug(CL7), Mute: p.Bug(CL8)}
		return replicated.Node(p, nodes, k, newLearner(p), bugs)
	}
	return service.Clients.Node(service.NewClient(p.Word(Of), replicated.Entrance(p, nodes)))
}

// operation returns the k-th operation of a client. If the service is a table, puts and gets take
// turns; if it is a list, enqueues and dequeues do.
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
