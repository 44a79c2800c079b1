package tui

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gdamore/tcell/v2"

	"macemc/mdb"
)

// Model is the contents of the screen and the state of the work.
type Model struct {
	session *mdb.Session
	theme   theme

	// The functions that connect the model to the terminal. Tests replace them.
	start     func(work func()) // runs work on another goroutine, and passes the result of ended to Handle
	ended     func(*finished)
	clipboard func(text string)

	width, height int
	view          int   // index in mdb.Views
	scroll        []int // the first visible line of each view, and of the page of keys
	node          int   // the node whose state is shown, counted from 1; 0 means all
	top           int   // the step in the first row of the list
	answer        mdb.Page
	fresh         bool    // no line was executed yet, so the answer describes what was opened
	prompt        *prompt // nil if no line is being typed
	history       []string
	places        []string // places where the session was before

	frame   frame
	message mdb.Line // shown in the last row
	busy    bool
	stop    bool // the user asked to stop the present work
	waiting []tcell.Event
	quit    bool
	help    bool

	stopping atomic.Bool // a copy of stop for the goroutine of the work
	doing    atomic.Pointer[string]
}

// leastWidth and leastHeight are the size of the smallest terminal that the model draws on.
const leastWidth, leastHeight = 40, 8

// finished is the result of some work on the session, with its changes to the model.
type finished struct {
	tcell.EventTime
	wanted
	frame    frame
	message  mdb.Line
	panicked string
}

// NewModel returns a model of a session.
func NewModel(s *mdb.Session, colour bool) *Model {
	m := &Model{session: s, theme: newTheme(colour), scroll: make([]int, len(mdb.Views())+1)}
	m.start = func(work func()) { work() }
	m.ended = func(f *finished) { m.Handle(f) }
	m.clipboard = func(string) {}
	m.answer, m.view, m.fresh = s.SummaryPage(), mdb.AnswerView, true
	s.Watch(m.stopping.Load, m.note)
	return m
}

// Handle handles an event of the terminal. It reports whether the screen should go on.
func (m *Model) Handle(ev tcell.Event) bool {
	switch ev := ev.(type) {
	case *finished:
		m.finish(ev)
	case *tcell.EventResize:
		m.width, m.height = ev.Size()
		m.later(ev, func() { m.work("") })
	case *tcell.EventKey:
		if m.busy && ev.Key() == tcell.KeyCtrlC {
			m.quit = m.stop // the second time
			m.stop = true
			m.stopping.Store(true)
			break
		}
		m.later(ev, func() { m.key(ev) })
	case *tcell.EventMouse:
		m.later(ev, func() { m.mouse(ev) })
	}
	return !m.quit
}

// waitingMost is the number of events that wait while work goes on. More are dropped.
const waitingMost = 64

// later calls do, unless work is going on. Then it keeps the event ev, which is handled again when the work has
// ended.
func (m *Model) later(ev tcell.Event, do func()) {
	if !m.busy {
		do()
	} else if len(m.waiting) < waitingMost {
		m.waiting = append(m.waiting, ev)
	}
}

// finish shows the result of work that has ended, and handles the events that have waited.
func (m *Model) finish(f *finished) {
	if f.panicked != "" {
		panic(f.panicked)
	}
	m.busy, m.stop = false, false
	m.frame, m.message = f.frame, f.message
	m.view, m.top, m.answer = f.view, f.top, f.answer
	m.scroll[m.page()] = f.scroll
	if f.left != "" {
		m.places = append(m.places, f.left)
	}
	m.quit = m.quit || m.session.Ended()
	for len(m.waiting) > 0 && !m.busy && !m.quit {
		ev := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.Handle(ev)
	}
}

// work executes a line, if it is not "", and composes the next frame. Until that has
// finished, nothing else may use the session.
func (m *Model) work(line string) {
	if m.fresh && line != "" {
		m.fresh, m.view = false, 0
	}
	m.busy, m.stop = true, false
	m.stopping.Store(false)
	m.doing.Store(nil)
	session := m.session
	done := &finished{wanted: m.wanted()}
	m.start(func() {
		defer func() {
			if p := recover(); p != nil {
				done.panicked = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
			}
			m.ended(done)
		}()
		if line != "" {
			done.message = execute(session, line, &done.wanted)
		}
		done.frame = compose(session, &done.wanted)
	})
}

// execute executes a line. It puts the answer into w, and returns the text for the bottom
// line of the screen.
func execute(s *mdb.Session, line string, w *wanted) mdb.Line {
	place := s.Place()
	page, err := s.Do(line)
	if s.Place() != place {
		w.left = place
	}
	switch {
	case err == nil && len(page) == 1 && w.left != "": // the row where it stands now, which is seen above
		return nil
	case err == nil && len(page) == 1:
		return page[0]
	}
	if len(page) > 0 { // an answer of several lines is shown in a view
		w.answer, w.view, w.scroll = page, mdb.AnswerView, 0
	}
	if err != nil {
		return mdb.Line{{Style: mdb.Bad, Text: err.Error()}}
	}
	return nil
}

// note records the progress of the work, for the method progress, which the goroutine of
// the screen calls.
func (m *Model) note(what string, done, total int) {
	text := what
	if total > 0 {
		text = fmt.Sprintf("%s: %d %%", what, 100*done/total)
	}
	m.doing.Store(&text)
}

// progress returns a description of the progress of the work.
func (m *Model) progress() string {
	if text := m.doing.Load(); text != nil {
		return *text
	}
	return "working"
}

// key handles a key that was pressed.
func (m *Model) key(ev *tcell.EventKey) {
	m.message = nil
	if m.prompt != nil {
		m.typed(ev)
		return
	}
	if m.help {
		k, _ := keyOf(ev)
		if k != nil && (k.Line == "next" || k.Action == mdb.ActionDown) {
			m.scrollBy(1)
			return
		}
		if k != nil && (k.Line == "prev" || k.Action == mdb.ActionUp) {
			m.scrollBy(-1)
			return
		}
		if k != nil && (k.Action == mdb.ActionPageDown || k.Action == mdb.ActionPageUp) {
			m.act(k, "")
			return
		}
		m.help = false // any other key closes it
		m.work("")
		return
	}
	if ev.Key() == tcell.KeyCtrlC {
		m.message = mdb.Line{{Text: "q ends the session"}}
		return
	}
	if k, name := keyOf(ev); k != nil {
		m.act(k, name)
	} else if ev.Key() != tcell.KeyEscape {
		name = ev.Name()
		if ev.Key() == tcell.KeyRune {
			name = string(ev.Rune())
		}
		m.message = mdb.Line{{Text: fmt.Sprintf("%s does nothing; ? shows the keys", name)}}
	}
}

// act performs the action of a key.
func (m *Model) act(k *mdb.Key, name string) {
	page := max(1, m.frame.main.height-2)
	switch k.Action {
	case mdb.ActionNone:
		m.work(k.Line)
	case mdb.ActionCommand:
		m.prompt = newPrompt(":", k.Line)
	case mdb.ActionSearch:
		m.prompt = newPrompt("/", "")
	case mdb.ActionView:
		m.show((int(name[0]-'0') + 9) % 10)
	case mdb.ActionSource:
		m.show(slices.IndexFunc(mdb.Views(), func(v mdb.View) bool { return v.Name == "source" }))
	case mdb.ActionNextView:
		m.show((m.view + 1) % len(mdb.Views()))
	case mdb.ActionPrevView:
		m.show((m.view + len(mdb.Views()) - 1) % len(mdb.Views()))
	case mdb.ActionDown:
		m.scrollBy(1)
	case mdb.ActionUp:
		m.scrollBy(-1)
	case mdb.ActionPageDown:
		m.scrollBy(page)
	case mdb.ActionPageUp:
		m.scrollBy(-page)
	case mdb.ActionNextNode, mdb.ActionPrevNode:
		n := len(m.session.Nodes()) + 1
		if m.node++; k.Action == mdb.ActionPrevNode {
			m.node += n - 2
		}
		m.node %= n
		m.show(slices.IndexFunc(mdb.Views(), func(v mdb.View) bool { return v.Name == "state" }))
	case mdb.ActionOwnNext, mdb.ActionOwnPrev:
		m.own(k.Action == mdb.ActionOwnPrev)
	case mdb.ActionCopy:
		line := m.session.Command()
		m.clipboard(line)
		m.message = mdb.Line{{Text: "copied: " + line}}
	case mdb.ActionBack:
		m.goBack()
	case mdb.ActionRedraw:
		m.work("")
	case mdb.ActionHelp:
		m.help = true
		m.scroll[m.page()] = 0
		m.work("")
	default:
		panic(fmt.Sprintf("macemc bug: tui: nobody does action %d", k.Action))
	}
}

// own goes to the next or previous step of the same node.
func (m *Model) own(back bool) {
	node, verb := m.session.Node(), "next"
	if back {
		verb = "prev"
	}
	if node == "" {
		m.message = mdb.Line{{Style: mdb.Bad, Text: "this step is at no node"}}
		return
	}
	m.work(verb + " node " + node)
}

// goBack goes to the previous place of the session.
func (m *Model) goBack() {
	if len(m.places) == 0 {
		m.message = mdb.Line{{Style: mdb.Bad, Text: "the session has stood nowhere else"}}
		return
	}
	last := m.places[len(m.places)-1]
	m.places = m.places[:len(m.places)-1]
	m.work(last)
}

// show shows a view.
func (m *Model) show(view int) {
	m.view, m.fresh = view, false
	m.work("")
}

func (m *Model) scrollBy(lines int) {
	at := &m.scroll[m.page()]
	*at = max(0, min(*at+lines, m.frame.main.lines-m.frame.main.height+1))
	m.work("")
}

// page returns the index in scroll of the page that is shown: a view, or the list of keys.
func (m *Model) page() int {
	if m.help {
		return len(m.scroll) - 1
	}
	return m.view
}

// enter executes the line that was typed.
func (m *Model) enter(line string) {
	if strings.TrimSpace(line) == "" {
		m.work("")
		return
	}
	m.history = append(m.history, line)
	m.work(line)
}
