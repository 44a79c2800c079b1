package quic

import (
	"fmt"
	"slices"
	"time"

	"github.com/quic-go/quic-go/bridge"
	"macemc/sim"
)

// Frames is the number of frames that are sent.
var Frames = &sim.Param{Name: "frames", Doc: "how many frames are sent", Range: sim.Range{Default: 3, Least: 1, Most: 8}}

// Flight is the time that an acknowledgement is under way, in milliseconds.
var Flight = &sim.Param{Name: "flight", Doc: "how many milliseconds an acknowledgement is under way", Range: sim.Range{Default: 10, Least: 0, Most: 1000}}

// System is a sender and a receiver.
var System = &sim.System{
	Name: "quic",
	Doc: "Loss detection of a QUIC connection: quic-go's ackhandler. " +
		"What is acknowledged has arrived, and in the end all frames are acknowledged.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
	Params:    []*sim.Param{Frames, Flight},
	Tolerates: sim.Faults{Loss: 1, Dup: 1, Reorder: 1},
	New: func(p sim.Params, _ sim.Addr) sim.Node {
		return handlers.Node(newEnd(p.Int(Frames), time.Duration(p.Int(Flight))*time.Millisecond))
	},
	Opaque: []string{
		"logging.ConnectionTracer",
		"ackhandler.sentPacketHandler.ackedPackets", // scratch: packets that are given back to a pool
		"ackhandler.skippingPacketNumberGenerator",  // random, and of the level that is not used
	},
	Remade: []sim.Remade{
		sim.Remake("congestion.pacer.adjustedBandwidth", func(e bridge.Estimator, _ any) func() uint64 { return bridge.Pace(e) }),
	},
	Properties: []sim.Property{
		sim.Always("what is acknowledged has arrived", arrived),
		sim.Each("nothing returns an error", func(v sim.View[*end]) bool { return ends(v)[0].failed == "" }, func(v sim.View[*end]) string { return ends(v)[0].failed }),
		sim.Eventually("all is acknowledged", func(v sim.View[*end]) bool { return !slices.Contains(ends(v)[0].acked, false) }, explain),
	},
}

// ends returns the sender and the receiver, which are always up.
func ends(v sim.View[*end]) (both []*end) {
	for _, e := range v.Nodes() {
		both = append(both, e)
	}
	return both
}

func arrived(v sim.View[*end]) bool {
	both := ends(v)
	for frame, is := range both[0].acked {
		if is && !both[1].arrived[frame] {
			return false
		}
	}
	return true
}

func explain(v sim.View[*end]) string { return fmt.Sprintf("acknowledged are %v", ends(v)[0].acked) }
