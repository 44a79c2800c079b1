package kcp

import "macemc/sim"

// These are the known bugs of the driver. KCP itself is as it was published.
const (
	KC1 sim.BugID = "KC1"
	KC2 sim.BugID = "KC2"
	KC3 sim.BugID = "KC3"
	KC4 sim.BugID = "KC4"
	KC5 sim.BugID = "KC5"
	KC6 sim.BugID = "KC6"
	KC7 sim.BugID = "KC7"
	KC8 sim.BugID = "KC8"
)

// Bugs are the known bugs with their stories.
var Bugs = []sim.Bug{
	{ID: KC1, Story: "The application writes a message again when it has waited long enough. KCP repeats what is lost by itself, " +
		"and the message is read twice."},
	{ID: KC2, Story: "What comes is read at once, and kept for the application. KCP takes it for read and tells an open window: " +
		"what waits for a slow application has no bound."},
	{ID: KC3, Story: "The window is made larger whenever it is full. What is under way has no bound, and nothing makes it smaller again."},
	{ID: KC4, Story: "The clock is stopped where there is nothing to send, and nothing starts it again. What is written then is never sent, " +
		"and who only reads does not acknowledge."},
	{ID: KC5, Story: "One message is read for each packet that comes. A packet, or one that fills a gap, may bring several, " +
		"and the last ones stay where they are."},
	{ID: KC6, Story: "Messages are read into a buffer of one segment. KCP answers that a longer one does not fit, " +
		"by a length that is negative."},
	{ID: KC7, Story: "The clock stands still while the other end has no room and nothing is under way. When that has room again it says so once; " +
		"if that is lost, it would have to be asked, and KCP asks when the clock says so."},
	{ID: KC8, Story: "A packet of another connection opens that one. If it comes late, and is of the one before, " +
		"the connection that is in use is forgotten."},
}
