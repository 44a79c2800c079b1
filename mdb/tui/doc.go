// Package tui is the screen of the debugger: it draws a session of mdb and sends keys to
// it. It knows nothing of runs. It shows the pages that lines return; mdb's table of keys
// says what a key does, and most keys execute a line.
//
// A Model gets events through one method, Handle, and draws itself onto a tcell screen.
// Work on the session runs beside the drawing, so that a long search can be stopped;
// meanwhile only the model's last frame is used. Run connects a Model and a terminal, and
// restores the terminal in any case.
package tui
