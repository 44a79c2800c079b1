package mdb

import "strconv"

// Key is a row of the table of keys. Most keys execute a line; the others change the screen
// only.
type Key struct {
	Names  []string // the names of the keys, as the screen shows them
	Line   string   // the line that is executed
	Action Action   // the action of a key that executes no line
	Short  string
}

// Action is the effect of a key that executes no line.
type Action uint8

// The actions.
const (
	ActionNone     Action = iota
	ActionCommand         // type a command, beginning with Line
	ActionSearch          // type a pattern
	ActionNextView        // show the next view
	ActionPrevView        // show the previous view
	ActionView            // show the view with the digit that was pressed
	ActionSource          // show the view of the source code
	ActionDown            // scroll the view down
	ActionUp              // scroll the view up
	ActionPageDown        // scroll the view down by a page
	ActionPageUp          // scroll the view up by a page
	ActionNextNode        // show the state of the next node, or of all nodes
	ActionPrevNode        //
	ActionOwnNext         // go to the next step of the same node
	ActionOwnPrev         // go to the previous step of the same node
	ActionCopy            // copy the command that returns to this place
	ActionBack            // go back to the previous place
	ActionRedraw          // draw everything anew
	ActionHelp            // show the keys
	ActionQuit            //
)

// Keys returns the table.
func Keys() []Key {
	return []Key{
		{[]string{"j", "Down"}, "next", 0, "the next step"},
		{[]string{"k", "Up"}, "prev", 0, "the step before"},
		{[]string{"Ctrl-D"}, "next 10", 0, "ten steps on"},
		{[]string{"Ctrl-U"}, "prev 10", 0, "ten steps back"},
		{[]string{"g", "Home"}, "jump start", 0, "the start"},
		{[]string{"G", "End"}, "jump end", 0, "the end"},
		{[]string{"c"}, "jump critical", 0, "the critical step"},
		{[]string{"]"}, "", ActionOwnNext, "the next step of the same node"},
		{[]string{"["}, "", ActionOwnPrev, "the step before of the same node"},
		{[]string{"/"}, "", ActionSearch, "type a pattern, and go to the next step that it matches"},
		{[]string{"n"}, "again", 0, "look on for what was looked for last"},
		{[]string{"N"}, "again back", 0, "look back for it"},
		{[]string{"C"}, "continue", 0, "on to the next breakpoint"},
		{[]string{"R"}, "reverse", 0, "back to the last breakpoint"},
		{[]string{"u"}, "", ActionBack, "where the session stood before"},
		{[]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "0"}, "", ActionView, "show a view, by its number"},
		{[]string{"s"}, "", ActionSource, "show the source: the lines of code that ran in the step"},
		{[]string{"Tab"}, "", ActionNextView, "show the next view"},
		{[]string{"Backtab"}, "", ActionPrevView, "show the view before"},
		{[]string{"J"}, "", ActionDown, "scroll the view down"},
		{[]string{"K"}, "", ActionUp, "scroll it up"},
		{[]string{"Space", "PgDn", "Ctrl-F"}, "", ActionPageDown, "scroll it a page down"},
		{[]string{"PgUp", "Ctrl-B"}, "", ActionPageUp, "scroll it a page up"},
		{[]string{"l", "Right"}, "", ActionNextNode, "the state of the next node, or of all"},
		{[]string{"h", "Left"}, "", ActionPrevNode, "the state of the node before, or of all"},
		{[]string{":"}, "", ActionCommand, "type a command"},
		{[]string{"w"}, "watch ", ActionCommand, "type a field to watch"},
		{[]string{"f"}, "filter ", ActionCommand, "type a filter of steps"},
		{[]string{"t"}, "take ", ActionCommand, "type the number of an alternative to take"},
		{[]string{"y"}, "", ActionCopy, "copy the command that returns to this place"},
		{[]string{"Ctrl-L"}, "", ActionRedraw, "draw everything anew"},
		{[]string{"?", "F1"}, "", ActionHelp, "show the keys"},
		{[]string{"q"}, "quit", 0, "end the session"},
	}
}

// View is a page beside the list of steps. It shows the answer to a line.
type View struct {
	Name string
	Line string // the line whose answer the view shows; "" means the last line that was typed
}

// Key returns the name of the key that shows the i-th view: a digit, from 1 to 9 and then
// 0, or s.
func (v View) Key(i int) string {
	if v.Name == "source" {
		return "s"
	}
	return strconv.Itoa((i + 1) % 10)
}

// AnswerView is the index of the view that shows the last answer.
const AnswerView = 9

// Views returns all views, in the order of their keys.
func Views() []View {
	return []View{
		{"step", "show"}, {"state", "state"}, {"diff", "diff"}, {"live", "diff live"}, {"props", "properties"},
		{"pending", "pending"}, {"next", "alternatives"}, {"graph", "graph"}, {"tree", "branches"}, {"answer", ""}, {"source", "source"},
	}
}
