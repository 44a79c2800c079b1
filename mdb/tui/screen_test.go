package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"macemc/internal/catalog"
	"macemc/internal/search"
	"macemc/internal/transcript"
	"macemc/mdb"
	"macemc/sim"
)

// TestTranscripts runs testdata: what is on the screen after keys were pressed.
//
//	find SYSTEM bug= [file=error.path]
//	    search the system, and write the path of the finding
//	open NAME [width=80] [height=24] [script=]
//	    show a session on a screen of this size
//	press
//	    press the keys of the input, in order; text in quotes is typed
//	click x= y= [wheel=up|down]
//	resize width= height=
//	    each prints the screen
func TestTranscripts(t *testing.T) {
	folder, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	transcript.RunFresh(t, folder, func() transcript.Handler { return (&desk{}).handle })
}

// desk is a model on a simulated screen. Events go to Handle, never through a
// queue.
type desk struct {
	model  *Model
	screen tcell.SimulationScreen
}

func newDesk(t testing.TB, s *mdb.Session, width, height int, colour bool) *desk {
	t.Helper()
	k := &desk{NewModel(s, colour), tcell.NewSimulationScreen("UTF-8")}
	if err := k.screen.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.screen.Fini)
	k.resize(width, height)
	return k
}

func (k *desk) resize(width, height int) {
	k.screen.SetSize(width, height)
	k.model.Handle(tcell.NewEventResize(width, height))
}

func systems(name string) (*sim.System, error) {
	if name == wide.Name {
		return wide, nil
	}
	return catalog.Find(name)
}

func open(t testing.TB, name string) *mdb.Session {
	t.Helper()
	s, err := mdb.Opener{Find: systems, Tool: "macemc"}.Open(name, mdb.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (k *desk) handle(t *testing.T, d *transcript.Data) string {
	switch d.Cmd {
	case "find":
		return find(t, d)
	case "open":
		*k = *newDesk(t, open(t, d.CmdArgs[0].Key), transcript.Int(t, d, "width", 80), transcript.Int(t, d, "height", 24), false)
	case "press":
		for _, name := range keys(d.Input) {
			if !k.model.Handle(key(name)) {
				return "the session has ended\n"
			}
		}
	case "click":
		button := tcell.Button1
		switch transcript.Word(d, "wheel", "") {
		case "up":
			button = tcell.WheelUp
		case "down":
			button = tcell.WheelDown
		}
		k.model.Handle(tcell.NewEventMouse(transcript.Int(t, d, "x", 0), transcript.Int(t, d, "y", 0), button, 0))
	case "resize":
		k.resize(transcript.Int(t, d, "width", 80), transcript.Int(t, d, "height", 24))
	default:
		d.Fatalf(t, "no command %q", d.Cmd)
	}
	return k.text()
}

func find(t *testing.T, d *transcript.Data) string {
	name := transcript.Word(d, "file", "error.path")
	writeFinding(t, d.CmdArgs[0].Key, transcript.Word(d, "bug", ""), name)
	return name + "\n"
}

// writeFinding writes the path of a known bug.
func writeFinding(t testing.TB, system, bug, name string) {
	t.Helper()
	sys, err := systems(system)
	if err != nil {
		t.Fatal(err)
	}
	params, err := sys.Configure(0, nil, []string{bug})
	if err != nil {
		t.Fatal(err)
	}
	res, err := search.Search(sys, search.Options{Params: params})
	if err != nil || res.Finding == nil {
		t.Fatalf("nothing was found: %v", err)
	}
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := res.Finding.Path.WriteTo(file); err != nil {
		t.Fatal(err)
	}
}

// keys returns the names of keys in a text. Each letter in quotes is a key of its own.
func keys(text string) (names []string) {
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 0 {
			names = append(names, strings.Fields(part)...)
			continue
		}
		for _, r := range part {
			names = append(names, strings.ReplaceAll(string(r), " ", "Space"))
		}
	}
	return names
}

// key returns the event of the key with a name.
func key(name string) *tcell.EventKey {
	extra := map[string]tcell.Key{"Enter": tcell.KeyEnter, "Esc": tcell.KeyEscape, "Backspace": tcell.KeyBackspace2, "Delete": tcell.KeyDelete}
	for c := tcell.KeyCtrlA; c <= tcell.KeyCtrlZ; c++ {
		extra[fmt.Sprintf("Ctrl-%c", 'A'+rune(c-tcell.KeyCtrlA))] = c
	}
	if k, ok := named[name]; ok {
		return tcell.NewEventKey(k, 0, 0)
	}
	if k, ok := extra[name]; ok {
		return tcell.NewEventKey(k, 0, 0)
	}
	if name == "Space" {
		name = " "
	}
	return tcell.NewEventKey(tcell.KeyRune, []rune(name)[0], 0)
}

// text returns the text on the screen. It marks the row of the current place, which the screen shows by
// colours.
func (k *desk) text() string {
	k.model.Draw(k.screen)
	k.screen.Show()
	cells, width, height := k.screen.GetContents()
	var b strings.Builder
	for y := range height {
		var line strings.Builder
		for x := 0; x < width; {
			text := string(cells[y*width+x].Runes)
			if text == "" {
				text = " "
			}
			line.WriteString(text)
			x += max(1, uniseg.StringWidth(text))
		}
		b.WriteString("|" + strings.TrimRight(line.String(), " ") + "\n")
	}
	if x, y, visible := k.screen.GetCursor(); visible {
		fmt.Fprintf(&b, "cursor %d,%d\n", x, y)
	}
	return b.String()
}

// wide is a system whose texts have letters that are two cells wide.
var wide = &sim.System{
	Name: "wide", Doc: "Greetings in letters of two cells.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
	New:   func(sim.Params, sim.Addr) sim.Node { return &greeter{} },
	Script: func(sim.Params, sim.Addr, int) []sim.Signal {
		return []sim.Signal{greet{"世界您好，这是一条很长的消息，它比屏幕还要宽得多，所以必须在某处截断"}}
	},
	Properties: []sim.Property{sim.Eventually("greeted", func(v sim.View[*greeter]) bool {
		for _, n := range v.Nodes() {
			if n.heard == "" {
				return false
			}
		}
		return true
	})},
}

type (
	greet   struct{ text string }
	greeter struct{ heard string }
)

func (g *greeter) Init(sim.Env)                                 {}
func (g *greeter) Deliver(_ sim.Env, _ sim.Addr, m sim.Message) { g.heard = m.(greet).text }
func (g *greeter) Handle(env sim.Env, s sim.Signal)             { env.TCP().Send(env.Peers()[0], s) }

// The screen knows every key of the table, and each has an effect.
func TestKeys(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFinding(t, "brokentree", "BT2", "error.path")
	met := map[string]string{}
	for _, row := range mdb.Keys() {
		for _, name := range row.Names {
			ev := key(name)
			got, _ := keyOf(ev)
			if got == nil || got.Short != row.Short {
				t.Errorf("the key %s is taken for %v", name, got)
			}
			if other, taken := met[name]; taken {
				t.Errorf("the key %s stands for %q and for %q", name, other, row.Short)
			}
			met[name] = row.Short
			k := newDesk(t, open(t, "error.path"), 80, 24, true)
			for _, name := range keys(`j 2 : "break n1" Enter : "next type joinReply" Enter J J j`) {
				k.model.Handle(key(name))
			}
			before := k.text()
			if went := k.model.Handle(ev); !went != (name == "q") {
				t.Errorf("after %s the screen goes on: %v", name, went)
			}
			if name != "q" && name != "Ctrl-L" && name != "2" && before == k.text() {
				t.Errorf("the key %s does nothing:\n%s", name, before)
			}
		}
	}
}

// Without colours the screen uses none; with colours it uses some, and the text is the same.
func TestColours(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFinding(t, "brokentree", "BT2", "error.path")
	var texts []string
	for _, colour := range []bool{false, true} {
		k := newDesk(t, open(t, "error.path"), 120, 40, colour)
		for _, name := range []string{"G", "3"} {
			k.model.Handle(key(name))
		}
		texts = append(texts, k.text())
		cells, _, _ := k.screen.GetContents()
		found := false
		for _, c := range cells {
			fg, bg, _ := c.Style.Decompose()
			found = found || fg != tcell.ColorDefault || bg != tcell.ColorDefault
		}
		if found != colour {
			t.Errorf("colours wanted: %v, found: %v", colour, found)
		}
	}
	if texts[0] != texts[1] {
		t.Errorf("without colours the screen is\n%s\nand with them\n%s", texts[0], texts[1])
	}
}

// Screens of any size, down to nothing, are drawn on without a panic, in every
// view, and nothing is written beyond the edges.
func TestSizes(t *testing.T) {
	for _, name := range []string{"wide", "jointree"} {
		k := newDesk(t, open(t, name), 80, 24, true)
		for _, line := range []string{"walk 30", "jump 3"} {
			k.model.enter(line)
		}
		widths, heights := []int{0, 1, 2, 5, 39, 40, 41, 60, 79, 80, 99, 100, 101, 300}, []int{0, 1, 2, 3, 7, 8, 9, 24, 100}
		if testing.Short() {
			widths, heights = []int{0, 5, 40, 101}, []int{1, 8, 24}
		}
		for _, width := range widths {
			for _, height := range heights {
				k.resize(width, height)
				for view := range mdb.Views() {
					k.model.Handle(key(fmt.Sprint((view + 1) % 10)))
					k.text()
				}
				k.model.Handle(key(":"))
				k.text()
				k.model.Handle(key("Esc"))
			}
		}
	}
}

// While work goes on the screen is drawn, keys wait, and Ctrl-C asks the work to
// stop; a second one ends the session.
func TestBusy(t *testing.T) {
	k := newDesk(t, open(t, "jointree"), 80, 24, false)
	var work func()
	k.model.start = func(do func()) { work = do }
	k.model.Handle(key(":"))
	for _, name := range keys(`"walk 100" Enter`) {
		k.model.Handle(key(name))
	}
	if text := k.text(); !strings.Contains(text, "working; Ctrl-C stops it") {
		t.Errorf("nothing tells that work goes on:\n%s", text)
	}
	k.model.Handle(key("g"))
	k.resize(100, 30)
	k.model.Handle(key("Ctrl-C"))
	if text := k.text(); !strings.Contains(text, "stopping") {
		t.Errorf("nothing tells that the work is to stop:\n%s", text)
	}
	for n := 0; work != nil && n < 10; n++ { // the work that waited too
		do := work
		work = nil
		do()
	}
	if k.model.busy || k.model.session.Step() != 0 || k.model.frame.width != 100 {
		t.Errorf("what waited was not done: step %d, width %d", k.model.session.Step(), k.model.frame.width)
	}
	if n := k.model.session.Len(); n == 100 {
		t.Error("the walk was not stopped")
	}
	k.model.Handle(key("j"))
	if !k.model.Handle(key("Ctrl-C")) || k.model.Handle(key("Ctrl-C")) {
		t.Error("a second Ctrl-C does not end the session")
	}
}

// watched is a simulated screen that records whether the terminal was restored.
type watched struct {
	tcell.SimulationScreen
	back bool
}

func (w *watched) Fini() {
	w.back = true
	w.SimulationScreen.Fini()
}

// The terminal is restored when a session ends, and after a panic, which continues.
func TestGivenBack(t *testing.T) {
	for _, panics := range []bool{false, true} {
		w := &watched{SimulationScreen: tcell.NewSimulationScreen("UTF-8")}
		if err := w.Init(); err != nil {
			t.Fatal(err)
		}
		m := NewModel(open(t, "jointree"), true)
		w.InjectKey(tcell.KeyRune, 'j', 0)
		w.InjectKey(tcell.KeyRune, 'q', 0)
		if panics {
			m.session = nil
		}
		var thrown any
		ended := make(chan error)
		go func() {
			defer close(ended)
			defer func() { thrown = recover() }()
			ended <- m.on(w)
		}()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("the session does not end")
		}
		<-ended
		if !w.back || (thrown != nil) != panics {
			t.Errorf("with a panic: %v; the terminal was given back: %v, the panic went on: %v", panics, w.back, thrown != nil)
		}
	}
}
