// Package tui is the screen of the debugger: it draws a session of mdb and sends
// keys to it. It knows nothing of runs. What is shown are the pages that lines
// answer; what a key does is in mdb's table of keys, and most keys execute a
// line.
//
// A Model gets events by one method, Handle, and draws itself onto a tcell
// screen. Work on the session goes on beside the drawing, so that a long search
// can be stopped; while it lasts only the model's last frame is touched. Run puts
// a Model and a terminal together, and gives the terminal back in any case.
package tui
