package finding

import (
	"cmp"
	"io"
	"path/filepath"
	"strings"

	"macemc/eventgraph"
	"macemc/internal/account"
	"macemc/internal/report"
	"macemc/internal/search"
)

// Command is a command that a reader of the report can enter: Line is the command line, such as a
// replay of the finding, and What says what it does.
type Command struct{ What, Line string }

// Commands returns the commands that use the path in a file. The first one replays it; a report
// ends with it.
type Commands func(file string) []Command

// Write writes the folder of a finding, whose facts are in a, and stores the name of the folder in a.
// Facts that are not known are left out. The error names files that could not be written.
func (s *Shelf) Write(a *account.Account, r *search.Result, commands Commands) error {
	t := newTale(a, r)
	folder, err := s.Put(Name(a), func(folder string) []File {
		t.commands = commands(filepath.Join(folder, account.PathFile))
		return t.files()
	})
	if folder != "" {
		a.IsIn(folder, t.commands[0].Line)
	}
	return err
}

// Name returns the name of the folder of a finding, without the number at its end.
func Name(a *account.Account) string { return a.System.Name + "-" + slug(a) }

// slug returns a short description of a finding for a file's name: the known bugs that are
// switched on, or the property, or else the verdict.
func slug(a *account.Account) string {
	const most = 40
	var bugs []string
	for _, b := range a.Params.Bugs() {
		bugs = append(bugs, string(b))
	}
	for _, words := range []string{strings.Join(bugs, "-"), strings.ToLower(a.Finding.Property)} {
		if s := report.Slug(words, most); s != "" {
			return s
		}
	}
	return a.Finding.Verdict.String()
}

// tale has everything that the files of a finding's folder are made from. Its methods write the
// sections of the report.
type tale struct {
	*account.Account                // the facts about the finding
	r                *search.Result // the result of the search
	f                *search.Finding
	told             report.Told // the finding in the words of reports
	teller           teller      // describes events in sentences
	commands         []Command   // the commands that use the path
}

func newTale(a *account.Account, r *search.Result) *tale {
	return &tale{Account: a, r: r, f: a.Finding, told: report.Tell(a), teller: teller{a.Walker(), a.Params.Nodes}}
}

// graph returns the event graph of the run: what happened before what.
func (t *tale) graph() *eventgraph.Graph {
	g := report.Graph(t.Account, t.told.Title)
	if states := t.States(); states != nil {
		g.With(states, nil)
	}
	if ran, err := t.Ran(); err == nil {
		g.With(nil, t.Sources().Code(t.f.Trace, ran))
	}
	return g
}

// beside returns the event graph next to that of the nearest run that recovers, or nil if there
// is no such run or if it is too long to be read.
func (t *tale) beside(g *eventgraph.Graph) *eventgraph.Beside {
	states := t.LiveStates()
	if states == nil || states.Steps() > besideMost || t.f.Step > besideMost {
		return nil
	}
	there := eventgraph.New(t.f.Live.Trace, t.teller.walker.Text, eventgraph.Marks{Title: "the nearest live run"}).With(states, nil)
	if ran, err := t.Copy.Take(t.f.Live.Path); err == nil {
		there.With(nil, t.Sources().Code(t.f.Live.Trace, ran))
	}
	return eventgraph.Compare(g, there)
}

// The largest numbers of steps that are drawn. Of a longer run, the first steps, those around
// the critical step, and the last are drawn; the flags --from and --to of the command graph
// draw others.
const (
	drawnMost  = 2_000  // of a picture and of a text
	pageMost   = 12_000 // of a page, which draws what is in sight
	besideMost = 2_000  // of a run that is drawn beside another
)

// files returns the files of the folder. The path comes first: if it cannot be written, there
// is no folder.
func (t *tale) files() []File {
	all := []File{{account.PathFile, func(w io.Writer) error {
		_, err := t.f.Written().WriteTo(w)
		return err
	}}}
	if t.f.Live != nil {
		all = append(all, File{account.LiveFile, func(w io.Writer) error {
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
	all = append(all, File{account.ReportFile, t.report})
	if t.f.Trace == nil {
		return all
	}
	all = append(all, File{"trace.jsonl", func(w io.Writer) error { return report.TraceJSON(w, t.f, t.teller.walker, t.States(), t.Printed()) }})
	if picture, ok := t.picture(); ok {
		all = append(all, picture)
	}
	g, part := t.graph(), eventgraph.Part{Most: drawnMost}
	page := g.HTML
	if both := t.beside(g); both != nil {
		page = both.HTML
	}
	return append(all,
		File{"graph.txt", func(w io.Writer) error { return g.Text(w, eventgraph.TextOptions{Part: part}) }},
		File{"graph.svg", func(w io.Writer) error { return g.SVG(w, part) }},
		File{"graph.html", func(w io.Writer) error { return page(w, eventgraph.Part{Most: pageMost}) }},
	)
}

// picture returns a file with the picture that the violated property makes of the run. It returns false
// if the property makes none.
func (t *tale) picture() (File, bool) {
	for _, p := range t.r.System.Properties {
		if p.Name != t.f.Property {
			continue
		}
		name, picture, err := p.Picture(t.f.Trace.Facts())
		if name != "" || err != nil {
			return File{cmp.Or(name, "picture"), func(w io.Writer) error {
				_, writes := w.Write(picture)
				return cmp.Or(err, writes)
			}}, true
		}
	}
	return File{}, false
}
