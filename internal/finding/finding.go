package finding

import (
	"cmp"
	"io"
	"path/filepath"
	"strings"

	"macemc/choose"
	"macemc/eventgraph"
	"macemc/internal/report"
	"macemc/internal/world"
	"macemc/search"
	"macemc/sim"
)

// Command is a command that does something with a finding, as it is typed.
type Command struct{ What, Line string }

// Teller says which commands take the path of a file again. The first is the
// one that a report ends with.
type Commands func(file string) []Command

// Write makes the folder of one of a result's findings. What is not known of
// it is left out; what could not be written is told beside the place.
func (s *Shelf) Write(r *search.Result, f *search.Finding, commands Commands) (report.Place, error) {
	t, err := newTale(r, f)
	if err != nil {
		return report.Place{}, err
	}
	place := report.Place{}
	folder, err := s.Put(Name(r, f), func(folder string) []File {
		place.Path = filepath.Join(folder, "error.path")
		t.commands = commands(place.Path)
		place.Report = filepath.Join(folder, "report.md")
		if f.Live != nil {
			place.Live = filepath.Join(folder, "live.path")
		}
		place.Replay = t.commands[0].Line
		return t.files()
	})
	if folder == "" {
		return report.Place{}, err
	}
	return place, err
}

// Name is that of the folder of a finding, without its number.
func Name(r *search.Result, f *search.Finding) string { return r.System.Name + "-" + slug(r, f) }

// slug says in a word what a finding is about: the bugs that were switched on,
// or the property, or else the verdict.
func slug(r *search.Result, f *search.Finding) string {
	const most = 40
	var bugs []string
	for _, b := range r.Params.Bugs() {
		bugs = append(bugs, string(b))
	}
	for _, words := range []string{strings.Join(bugs, "-"), strings.ToLower(f.Property)} {
		if s := report.Slug(words, most); s != "" {
			return s
		}
	}
	return f.Verdict.String()
}

// tale is all that is known of a finding.
type tale struct {
	r        *search.Result
	f        *search.Finding
	told     report.Told
	teller   teller
	sources  *report.Sources
	states   *eventgraph.Recording // nil: the run could not be taken again
	live     *eventgraph.Recording // the same of the nearest live run; nil too where there is none
	commands []Command
}

func newTale(r *search.Result, f *search.Finding) (*tale, error) {
	world, err := world.New(r.System, r.Params, world.Config{}) // for its walker
	if err != nil {
		return nil, err
	}
	t := &tale{
		r: r, f: f, told: report.Tell(r, f), sources: report.NewSources(r.System, r.Params),
		teller: teller{world.Walker(), r.Params.Nodes},
	}
	// A run whose last handler never returns is not taken again, nor one that is
	// not the same each time.
	if f.Trace != nil && f.Verdict != sim.VerdictNondeterminism {
		t.states = t.again(f.Path)
	}
	if f.Live != nil {
		t.live = t.again(f.Live.Path)
	}
	return t, nil
}

// again takes a run again and records its states.
func (t *tale) again(path *choose.Path) *eventgraph.Recording {
	states := &eventgraph.Recording{}
	if _, err := search.Replay(t.r.System, path, search.Options{See: states.See}); err != nil || states.Steps() < 0 {
		return nil
	}
	return states
}

// graph is what happened before what.
func (t *tale) graph() *eventgraph.Graph {
	marks := eventgraph.Marks{Title: t.told.Title, Failed: t.f.Step, Why: t.told.Gist}
	if t.f.Critical != nil && t.f.Verdict == sim.VerdictDead {
		marks.Critical = t.f.Critical.Step
	}
	g := eventgraph.New(t.f.Trace, t.teller.walker, marks)
	g.States = t.states
	return g
}

// beside is the graph with that of the nearest live run, where there is one that
// is not too long to be read.
func (t *tale) beside(g *eventgraph.Graph) *eventgraph.Beside {
	if t.live == nil || t.live.Steps() > drawnMost || t.f.Step > drawnMost {
		return nil
	}
	there := eventgraph.New(t.f.Live.Trace, t.teller.walker, eventgraph.Marks{Title: "the nearest live run"})
	there.States = t.live
	return eventgraph.Compare(g, there)
}

// drawnMost is how many steps are drawn: more is for graph --from and --to.
const drawnMost = 2000

// part is what is drawn of a long run: what leads to the step that it turns on.
func (t *tale) part() (p eventgraph.Part) {
	if t.f.Step > drawnMost {
		p.To = min(t.f.Step, t.turn()+drawnMost/10)
		p.From = max(1, p.To-drawnMost+1)
	}
	return p
}

// turn is the step that a finding turns on: the critical one, or else the last.
func (t *tale) turn() int {
	if c := t.f.Critical; c != nil && c.Step > 0 {
		return c.Step
	}
	return t.f.Step
}

// files are those of the folder; the path comes first, without which there is
// none.
func (t *tale) files() []File {
	all := []File{{"error.path", func(w io.Writer) error {
		_, err := t.f.Path.WriteTo(w)
		return err
	}}}
	if t.f.Live != nil {
		all = append(all, File{"live.path", func(w io.Writer) error {
			_, err := t.f.Live.Path.WriteTo(w)
			return err
		}})
	}
	if t.f.Found != nil {
		all = append(all, File{"found.path", func(w io.Writer) error {
			_, err := t.f.Found.WriteTo(w)
			return err
		}})
	}
	all = append(all, File{"report.md", t.report})
	if t.f.Trace == nil {
		return all
	}
	all = append(all, File{"trace.jsonl", func(w io.Writer) error { return Trace(w, t.f, t.teller.walker, t.known()) }})
	if picture, ok := t.picture(); ok {
		all = append(all, picture)
	}
	g, part := t.graph(), t.part()
	page := g.HTML
	if both := t.beside(g); both != nil {
		page = both.HTML
	}
	return append(all,
		File{"graph.txt", func(w io.Writer) error { return g.Text(w, eventgraph.TextOptions{Part: part}) }},
		File{"graph.svg", func(w io.Writer) error { return g.SVG(w, part) }},
		File{"graph.html", func(w io.Writer) error { return page(w, part) }},
	)
}

// picture is the property's own of the run, if it draws one.
func (t *tale) picture() (File, bool) {
	for _, p := range t.r.System.Properties {
		if p.Name != t.f.Property {
			continue
		}
		name, picture, err := p.Picture(t.f.Trace)
		if name != "" || err != nil {
			return File{cmp.Or(name, "picture"), func(w io.Writer) error {
				_, writes := w.Write(picture)
				return cmp.Or(err, writes)
			}}, true
		}
	}
	return File{}, false
}

// known are the states as trace.jsonl wants them.
func (t *tale) known() States {
	if t.states == nil {
		return nil
	}
	return t.states
}
