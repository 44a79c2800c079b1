package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/internal/contract"
	"macemc/internal/numerals"
	"macemc/internal/observe"
	"macemc/internal/search"
)

const (
	neverMost = 12 // the largest number of entries in the text; the JSON has all of them
	partsMost = 10
	unranMost = 20
)

// layered reports whether some node of the system that was searched is carried by a layer.
func layered(r *search.Result) (is bool) {
	defer func() { _ = recover() }() // System.New may panic
	for _, at := range r.Params.Addrs() {
		if l, is := r.System.New(r.Params, at).(contract.Layer); is && l.Upper() != nil {
			return true
		}
	}
	return false
}

// never lists the events, answers and properties that no run of the search exercised.
func (p *printer) never(r *search.Result) {
	switch {
	case r.Never == nil:
		p.line("never exercised: not known")
	case len(r.Never) == 0 && r.Lines == nil && layered(r):
		p.line("exercised: all that was possible")
		p.row(2, 2, "-", "which messages the layers carried is not counted; --coverage lists the lines that never ran")
	case len(r.Never) == 0:
		p.line("exercised: all that was possible")
	default:
		p.line("never exercised:")
		for i, text := range r.Never {
			if i == neverMost {
				p.row(2, 0, "", "and "+numerals.Count(len(r.Never)-i)+" more, which --json lists")
				break
			}
			p.row(2, 2, "-", text)
		}
	}
	p.blank()
}

// unran lists the lines of the service that never ran, if lines were counted.
func (p *printer) unran(l *search.Lines) {
	if l == nil {
		return
	}
	if len(l.Never) == 0 {
		p.line("lines: all %s of code ran", numerals.Count(l.Code))
		p.blank()
		return
	}
	p.line("never ran, of %s of code:", numerals.Many(l.Code, "line"))
	for i, u := range l.Never {
		if i == unranMost {
			p.row(2, 0, "", "and "+numerals.Count(len(l.Never)-i)+" more, which --json lists")
			break
		}
		place, what := fmt.Sprintf("%s:%d", u.File, u.From), u.Text
		if u.To > u.From {
			place += fmt.Sprintf("-%d", u.To)
		}
		if !u.Called {
			what = "never called"
		}
		p.line("%s", cut(fmt.Sprintf("  %s  %s: %s", place, u.Func, what)))
	}
	p.blank()
}

// held returns, for each liveness property, the state in which it was first seen to hold,
// as text.
func held(all []observe.Held) string {
	var parts []string
	for _, h := range all {
		where := "at depth " + numerals.Count(h.Depth)
		switch {
		case h.Depth < 0:
			where = "nowhere"
		case h.Depth == 0:
			where = "at the start"
		case h.Run:
			where = "at step " + numerals.Count(h.Depth) + " of a walk"
		}
		parts = append(parts, strconv.Quote(h.Property)+" "+where)
	}
	return strings.Join(parts, ", ")
}

// space writes which parts of the state differ between the visited states.
func (p *printer) space(s *search.Space) {
	if s == nil {
		return
	}
	p.line("space:")
	var levels []string
	for _, n := range s.Levels {
		levels = append(levels, numerals.Count(n))
	}
	p.row(2, labels, "levels", "new states from depth 0 on: "+strings.Join(levels, " ")+beyond(s))
	if s.Growth > 0 {
		p.row(2, labels, "growth", fmt.Sprintf("%.2f times a depth, of late", s.Growth))
		p.row(2, labels, "to come", fmt.Sprintf("about %s to depth %s: an estimate, if it goes on like this", numerals.Many(rounded(s.Rest), "state"), numerals.Count(s.RestTo)))
	}
	p.row(2, labels, "looked at", numerals.Many(s.Sampled, "state"))
	if len(s.Times) > 0 {
		p.row(2, labels, "times", fmt.Sprintf("the known relations between the times in %s take more and more forms: set times that are not needed any more to the zero macetime.Time, or keep a later time in place of an earlier one", strings.Join(s.Times, ", ")))
	}
	p.row(2, labels, "parts", "of these states, by how many forms they take; and the depth of the last new one:")
	differ := slices.DeleteFunc(slices.Clone(s.Parts), func(part search.Part) bool { return part.Forms < 2 })
	for i, part := range differ {
		if i == partsMost {
			p.row(4, 17, "", "and "+numerals.Many(len(differ)-i, "part")+" more, which --json lists")
			break
		}
		p.line("%s", cut(fmt.Sprintf("    %-9s%-8s%s: %s", numerals.Count(part.Forms), numerals.Count(part.Depth), part.Path, samples(part))))
	}
	p.blank()
}

func beyond(s *search.Space) string {
	if len(s.Levels) > s.Complete+1 {
		return "; not all of depth " + numerals.Count(s.Complete+1)
	}
	return ""
}

func samples(part search.Part) string {
	short := slices.Clone(part.Samples)
	for i, text := range short {
		if r := []rune(text); len(r) > 30 {
			short[i] = string(r[:26]) + " ..."
		}
	}
	if n := len(short); n < part.Forms {
		short = append(short[:n-1], "...", short[n-1])
	}
	return strings.Join(short, ", ")
}

// rounded returns an estimate with two digits, since more digits would suggest an exact number.
func rounded(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

func linesOf(l *search.Lines) object {
	if l == nil {
		return nil
	}
	return object{{"code", l.Code}, {"ran", l.Ran}, {"never", objects(l.Never, func(u search.Unran) object {
		return object{{"file", u.File}, {"from", u.From}, {"to", u.To}, {"function", u.Func}, {"called", u.Called}, {"text", u.Text}}
	})}}
}

// heldOf returns, for each liveness property, the first state in which it held. The depth
// of the state is null if there is none.
func heldOf(all []observe.Held) []object {
	return objects(all, func(h observe.Held) object {
		depth := any(nil)
		if h.Depth >= 0 {
			depth = h.Depth
		}
		return object{{"property", h.Property}, {"depth", depth}, {"walk", h.Run}}
	})
}

func spaceOf(s *search.Space) object {
	if s == nil {
		return nil
	}
	var growth, estimate any
	if s.Growth > 0 {
		growth, estimate = s.Growth, object{{"states", rounded(s.Rest)}, {"depth", s.RestTo}}
	}
	return object{
		{"times?", s.Times}, {"levels", s.Levels}, {"complete_depth", s.Complete}, {"growth", growth}, {"estimate", estimate}, {"sampled", s.Sampled},
		{"parts", objects(s.Parts, func(p search.Part) object {
			return object{{"path", p.Path}, {"forms", p.Forms}, {"last_new_at_depth", p.Depth}, {"samples", p.Samples}}
		})},
	}
}
