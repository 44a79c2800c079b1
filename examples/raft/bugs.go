package raft

import "macemc/sim"

// These are the known bugs of the driver. Raft itself is as it was published.
const (
	RF1  sim.BugID = "RF1"
	RF2  sim.BugID = "RF2"
	RF3  sim.BugID = "RF3"
	RF4  sim.BugID = "RF4"
	RF5  sim.BugID = "RF5"
	RF6  sim.BugID = "RF6"
	RF7  sim.BugID = "RF7"
	RF8  sim.BugID = "RF8"
	RF9  sim.BugID = "RF9"
	RF10 sim.BugID = "RF10"
	RF11 sim.BugID = "RF11"
	RF12 sim.BugID = "RF12"
	RF13 sim.BugID = "RF13"
	RF14 sim.BugID = "RF14"
	RF15 sim.BugID = "RF15"
	RF16 sim.BugID = "RF16"
)

// Bugs are the known bugs with their stories.
var Bugs = []sim.Bug{
	{ID: RF1, Story: "Messages are sent before the state is saved. A server that grants its vote and crashes between the two " +
		"has forgotten the vote when it is back, and gives it again, in the same term, to another: two leaders."},
	{ID: RF2, Story: "A restarted server forgets its vote. Of the hard state that was saved, term and commit are restored: " +
		"it votes again in a term in which it had voted."},
	{ID: RF3, Story: "A request is not repeated once raft took it. Raft promises nothing by taking a proposal: " +
		"it is lost with a leader that is deposed, or with the datagram that forwards it, and is never applied."},
	{ID: RF4, Story: "Messages are sent before the log is synced. What was saved is in the file, and not on the disk: " +
		"a server that grants its vote and crashes before the sync may grant it to another."},
	{ID: RF5, Story: "The torn end of the log is not cut off. What a restarted server appends stands behind it, synced or not, " +
		"and the next replay does not come so far: after a second crash its vote is forgotten."},
	{ID: RF6, Story: "The log is synced only for entries. A vote is saved without one, since the hard state seems small, " +
		"and may be forgotten in a crash."},
	{ID: RF7, Story: "What is saved goes behind what is there. Entries that replace others, since another leader has " +
		"overruled them, are taken for known, and what follows them is saved behind the wrong ones."},
	{ID: RF8, Story: "What was saved is applied. A server does not wait until an entry is committed, " +
		"and has applied one that another leader overrules."},
	{ID: RF9, Story: "A command is acknowledged when it is saved by the leader that was asked for it. " +
		"The leader is deposed before others have it, and it is gone."},
	{ID: RF10, Story: "A read is answered as soon as its index is known. What is committed up to there is not applied yet, " +
		"and a write that was acknowledged before the read began is not in the answer."},
	{ID: RF11, Story: "Contexts of reads begin anew in each life. An answer that was under way to the last life " +
		"is taken for that of this one's read, whose index is higher."},
	{ID: RF12, Story: "A server takes whom it voted for as its leader, so that clients need not wait. " +
		"Who was voted for need not be elected."},
	{ID: RF13, Story: "The log is cut off without a snapshot. A server that lags behind can no longer be helped, " +
		"and raft gives up with a panic."},
	{ID: RF14, Story: "A joint configuration is asked to be left only once. The proposal is lost, and both majorities are needed for good."},
	{ID: RF15, Story: "The timer for elections is set when a server is started for the first time, and not in its later lives. " +
		"When all have been restarted, nobody stands for election."},
	{ID: RF16, Story: "Raft is told that a Ready is done before a change of the members in it is applied. " +
		"It then takes the next change, and counts votes, by members that are not any more."},
}
