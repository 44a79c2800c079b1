package world

import (
	"macemc/choose"
	"macemc/internal/disk"
	"macemc/macetime"
	"macemc/sim"
)

// turn is the step that is running, and after it the last one: who runs, on what
// event, by which answers, and what that did. A step begins it anew.
type turn struct {
	source   choose.Source
	spans    []span    // what was possible: see enabled
	peeked   happening // see Look
	free     []int32   // while a node is paused: the places of what need not wait
	question choose.Question
	asked    asked
	sides    []choose.Run // of the coin that is asked

	acting  sim.Addr
	current sim.Event
	cause   int
	running *env
	hook    string // what else of the system is asked, where it is known
	calls   int
	unwound bool // by runtime.Goexit

	effects  []sim.Effect
	clocked  []clocked // which of them are about timers
	spent    []int     // by node: the room in the buffer to it that this step has used
	spending bool      // some of it is not 0
	tossed   bool      // a coin with rare sides was asked in this step
	ticking  bool      // the node's clock is the step's own

	began macetime.Time // when the handler began, once that matters

	unstored *disk.Disk // the node's, before the step
	stored   []stored   // and after each effect that changed it

	coins []choose.Choice
	facts []sim.Fact
}
