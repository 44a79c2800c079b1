package reliable

import (
	"macemc/layers/machine"
	"macemc/sim"
)

// Abstract is a channel that loses nothing, which is what System is for its clients. Package
// refine checks that System does nothing that Abstract cannot do.
var Abstract = &sim.System{
	Name: "reliable-abstract", Doc: "A channel that loses nothing. It sends each value by TCP.",
	Nodes: System.Nodes, Params: System.Params, Script: System.Script,
	New: func(p sim.Params, self sim.Addr) sim.Node {
		if self == p.Addr(0) {
			return abstractReceivers.Node(&abstractReceiver{})
		}
		return abstractSenders.Node(&abstractSender{receiver: p.Addr(0)})
	},
	Properties: System.Properties[:1],
}

type abstractSender struct {
	machine.Core
	receiver sim.Addr
}

var abstractSenders = machine.Define("abstract sender",
	machine.State[*abstractSender]{Name: idle, On: machine.On(machine.OnSignal((*abstractSender).send))},
)

func (s *abstractSender) send(env sim.Env, m send) {
	env.Emit(Sent(m))
	if !env.TCP().Send(s.receiver, packet{Value: m.Value}) {
		panic("reliable: the abstraction sends more values than its link has room for")
	}
}

type abstractReceiver struct{ machine.Core }

var abstractReceivers = machine.Define("abstract receiver",
	machine.State[*abstractReceiver]{Name: open, On: machine.On(machine.OnMessage((*abstractReceiver).packet))},
)

func (r *abstractReceiver) packet(env sim.Env, from sim.Addr, m packet) {
	env.Emit(Delivered{from, m.Value})
}
