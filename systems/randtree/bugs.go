package randtree

import "macemc/sim"

// The known bugs: RT1 to RT17 are historical, the rest came up while this
// service was written.
const (
	RT1  sim.BugID = "RT1"
	RT2  sim.BugID = "RT2"
	RT3  sim.BugID = "RT3"
	RT4  sim.BugID = "RT4"
	RT5  sim.BugID = "RT5"
	RT6  sim.BugID = "RT6"
	RT7  sim.BugID = "RT7"
	RT8  sim.BugID = "RT8"
	RT9  sim.BugID = "RT9"
	RT10 sim.BugID = "RT10"
	RT11 sim.BugID = "RT11"
	RT12 sim.BugID = "RT12"
	RT13 sim.BugID = "RT13"
	RT14 sim.BugID = "RT14"
	RT15 sim.BugID = "RT15"
	RT16 sim.BugID = "RT16"
	RT17 sim.BugID = "RT17"
	RT18 sim.BugID = "RT18"
	RT19 sim.BugID = "RT19"
	RT20 sim.BugID = "RT20"
	RT21 sim.BugID = "RT21"
	RT22 sim.BugID = "RT22"
	RT23 sim.BugID = "RT23"
	RT24 sim.BugID = "RT24"
	RT25 sim.BugID = "RT25"
	RT26 sim.BugID = "RT26"
	RT27 sim.BugID = "RT27"
	RT28 sim.BugID = "RT28"
)

var bugs = []sim.Bug{
	{ID: RT1, Story: "A join time-out looks for a peer to ask for ever. A root is asked by a lower address that is none of its peers, and goes to join it, " +
		"but does not make it a peer. If all its peers are its children by then, the loop that skips children does not end when the join timer fires."},
	{ID: RT2, Story: "A root has no parent. It names nobody, not itself, as its parent, so that no root is ever seen and no tree ever forms."},
	{ID: RT3, Story: "The recovery timer is lost. It is set again only where it fires in a node that has joined; where it fires while the node is joining, " +
		"it never fires again, and trees that nobody probes never merge."},
	{ID: RT4, Story: "Anybody may say who the root is. After a join time-out two nodes take the same child, and it believes the news of a root " +
		"from the one that is not its parent. With the wrong root it answers probes as if two trees were one."},
	{ID: RT5, Story: "As RT1, where a probe comes from a lower tree: its root, which this root goes to join, is not made a peer."},
	{ID: RT6, Story: "As RT1, where somebody tells this root of a lower one: that is not made a peer."},
	{ID: RT7, Story: "As RT1, where the parent was the root and died: the lowest of its children, which this node goes to join, is not made a peer."},
	{ID: RT8, Story: "As RT1, where the parent died and was not the root: the root, which this node goes to join, is not made a peer."},
	{ID: RT9, Story: "As RT1, where the parent leaves and sends its children away: whom this node goes to join is not made a peer."},
	{ID: RT10, Story: "A parent that is joining ignores a remove. It keeps a child that has another parent, and takes its place for full."},
	{ID: RT11, Story: "A probe wakes a node that nobody has asked to join. It goes to join the other tree, and its recovery timer is never set."},
	{ID: RT12, Story: "A refused remove is forgotten. The buffer to a node that took this one as a child is full, Send says so, and nobody listens: " +
		"that node has a child for ever that has another parent."},
	{ID: RT13, Story: "A restarted node ignores the answer to its former life's join. Who sent it has taken a child that does not know, " +
		"and the child's connection to it was not open, so that no error tells."},
	{ID: RT14, Story: "News of a lower root wakes a node that nobody has asked to join. It is as RT11, by a probe-join: " +
		"that was meant for the node before it crashed, when it was a root."},
	{ID: RT15, Story: "A node that looks for a parent believes in its old root. Neither when its parent dies nor when a join times out does it become its own; " +
		"then somebody tells it to be a root, which it asserts that it is, and it is not."},
	{ID: RT16, Story: "The death of the root is not believed. It is as RT15, but a join time-out sets the root right: " +
		"between the death of a parent that was the root and that time-out, the assertion fails."},
	{ID: RT17, Story: "The death of a parent leaves the root. It is as RT16, where the parent was not the root: that may have died too, " +
		"and be back as somebody else's child, and the join is sent on to who is higher."},
	{ID: RT18, Story: "A child that asks again is accepted again. Its join came by a third node and was faster than the error of its old connection to this one, " +
		"which therefore has it as a child still. It answers, then hears of the error and forgets the child; the child believes the answer."},
	{ID: RT19, Story: "A late acceptance closes a loop. A root that is joining lets others in, and reigns; when it next looks for a parent, " +
		"the answer to its earlier join comes, from one of those."},
	{ID: RT20, Story: "A node looks for the lowest of no siblings. Its parent became the root and died, and the news of the root " +
		"came before the error, but the news of the siblings did not."},
	{ID: RT21, Story: "A node that leaves forgets its children at once. It comes back and takes one of them anew before the child's refusal of an earlier " +
		"acceptance arrives: that undoes the new one, which the child believes."},
	{ID: RT22, Story: "A node that comes back asks one of its children. They have not yet said that they are gone; if it has no other peers, " +
		"the join time-out looks for one for ever."},
	{ID: RT23, Story: "A join is let in below a node that has moved. A join that was pushed down is served without looking whether it comes from the parent: " +
		"the child has by now moved below the joiner."},
	{ID: RT24, Story: "A joining root that is full pushes others down, and still takes a parent. " +
		"The others may have become that parent's ancestors."},
	{ID: RT25, Story: "A refused acceptance makes a child. The buffer to the joiner is full, so that it is never told, and it is a child for ever."},
	{ID: RT26, Story: "Refused news are forgotten. The buffer to a child is full when the root or the siblings change, and it never hears of that."},
	{ID: RT27, Story: "A refused answer to a probe is forgotten. The prober waits for it for ever, and sends no more probes."},
	{ID: RT28, Story: "A restarted node counts its attempts from the beginning. A join of its former life is accepted late, by one that is below it, " +
		"through a child that has not heard of the crash yet: it takes that for the answer to its first join of this life, which has the same number."},
}
