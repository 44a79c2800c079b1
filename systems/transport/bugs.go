package transport

import "macemc/sim"

// The known bugs: MT1 to MT10 are historical, the others came up while this
// transport was written.
const (
	MT1  sim.BugID = "MT1"
	MT2  sim.BugID = "MT2"
	MT3  sim.BugID = "MT3"
	MT4  sim.BugID = "MT4"
	MT5  sim.BugID = "MT5"
	MT6  sim.BugID = "MT6"
	MT7  sim.BugID = "MT7"
	MT8  sim.BugID = "MT8"
	MT9  sim.BugID = "MT9"
	MT10 sim.BugID = "MT10"
	MT11 sim.BugID = "MT11"
	MT12 sim.BugID = "MT12"
)

var bugs = []sim.Bug{
	{ID: MT1, Story: "A first datagram that is sent again opens a second connection. Its ack is late, and the receiver takes it for that of a sender " +
		"that died and came back: it forgets the connection, begins another, and hands the message up twice."},
	{ID: MT2, Story: "The timers of a connection outlive it. When it is closed, what is in flight keeps its retransmission timers; " +
		"when one of them fires, a new connection to the peer is open, which knows of no such datagram."},
	{ID: MT3, Story: "A late first datagram is believed. It is of a connection that the sender has given up, and overtaken by that of the next one, which the receiver closes for it. " +
		"When the sender then gets the ack of the newer connection, nothing opens that again: data is sent on one connection and acknowledged on the other. " +
		"It ends when the sender gives up, which is rare."},
	{ID: MT4, Story: "What was buffered is handed up and not counted. When the gap before it is filled, the number that is waited for is not moved past it: " +
		"it is sent again, and taken for new, which an assertion against duplicates sees."},
	{ID: MT5, Story: "The future is acknowledged. A datagram that comes out of order is answered with the number that is waited for, not with the one before: " +
		"the sender believes that the missing one arrived."},
	{ID: MT6, Story: "An ack of more than what is in flight is ignored. After a time-out only the oldest datagram is in flight, and those behind it wait to be sent again; " +
		"if they had all arrived, the ack names one that is not in flight, and the oldest is sent again for ever."},
	{ID: MT7, Story: "A reset closes both directions. It is about what this node sends; what the peer sends to it on a connection of its own is forgotten too, " +
		"and the peer does not know: its next datagram is refused, and all that it has in flight is lost."},
	{ID: MT8, Story: "A fragment that came twice counts twice. It came out of order and is buffered, and when it comes again, the message seems to have all its fragments, " +
		"and is handed up with a hole."},
	{ID: MT9, Story: "Acks carry the number of the datagram that came. Where that filled a gap, more had arrived than the ack tells, and it is all sent again."},
	{ID: MT10, Story: "The clear-to-send timer outlives an error. The application was told of the error and does not wait for room any more, " +
		"but waits for another peer by then: it gets a clear-to-send that it has not asked for."},
	{ID: MT11, Story: "A restarted receiver believes a late first datagram. Which connections it has known is not stored, so a datagram that opened one " +
		"in its former life opens it again: the receiver waits for the second datagram, which the sender has long been told of."},
	{ID: MT12, Story: "A restarted sender counts its connections from the beginning. Its first datagram has the identifier of one of its former life, " +
		"and the peer takes it for that, sent again: it is acknowledged, and never handed up."},
}
