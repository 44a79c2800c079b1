package tui

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gdamore/tcell/v2"

	"macemc/mdb"
)

// Options are the options of the screen.
type Options struct {
	NoColour bool
}

// Run shows a session on the terminal until the user ends it.
func Run(s *mdb.Session, o Options) (err error) {
	screen, err := tcell.NewScreen()
	if err == nil {
		err = screen.Init()
	}
	if err != nil {
		return fmt.Errorf("mdb needs a terminal (%w); -x executes a script without one", err)
	}
	return NewModel(s, !o.NoColour).on(screen)
}

// on shows the model on a screen until the user quits, and always restores the terminal.
// After a panic it restores the terminal and panics again.
func (m *Model) on(screen tcell.Screen) error {
	defer screen.Fini()
	screen.EnableMouse(tcell.MouseButtonEvents)
	return m.loop(screen, m.attach(screen))
}

// attach connects the model to the terminal, and returns the channel of finished work.
func (m *Model) attach(screen tcell.Screen) <-chan *finished {
	done := make(chan *finished, 1)
	m.start = func(work func()) { go work() }
	m.ended = func(f *finished) { done <- f }
	m.clipboard = func(text string) { screen.SetClipboard([]byte(text)) }
	return done
}

// tick is the time between two drawings of the progress.
const tick = 200 * time.Millisecond

func (m *Model) loop(screen tcell.Screen, done <-chan *finished) error {
	events, quit := make(chan tcell.Event, waitingMost), make(chan struct{})
	defer close(quit)
	go screen.ChannelEvents(events, quit)
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM, syscall.SIGHUP, os.Interrupt)
	defer signal.Stop(ends)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	m.width, m.height = screen.Size()
	m.work("")
	for {
		select {
		case ev, open := <-events:
			if !open {
				return nil
			}
			if r, ok := ev.(*tcell.EventResize); ok {
				screen.Sync()
				ev = r
			}
			if !m.Handle(ev) {
				return nil
			}
		case f := <-done:
			if !m.Handle(f) {
				return nil
			}
		case <-ticker.C:
			if !m.busy {
				continue
			}
		case sig := <-ends:
			return fmt.Errorf("ended by a signal: %s", sig)
		}
		m.Draw(screen)
		screen.Show()
	}
}
