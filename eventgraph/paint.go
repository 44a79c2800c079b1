package eventgraph

import (
	"cmp"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Some programs ignore the style of a picture, or most of it (ImageMagick without librsvg),
// and would draw everything black. So each element also has attributes for its looks. Where
// the style is read, it takes precedence.

// paint writes an SVG in which each element has its colours and its font also as attributes. Programs that do
// not read the style element draw by these.
func paint(w io.Writer, picture string) error {
	p := painter{known: map[string]string{}}
	var out strings.Builder
	out.Grow(2 * len(picture))
	for picture != "" {
		before, rest, is := strings.Cut(picture, "<")
		out.WriteString(before)
		if !is {
			break
		}
		inside, after, _ := strings.Cut(rest, ">") // in words and attributes both are escaped
		p.element(&out, inside)
		picture = after
	}
	_, err := io.WriteString(w, out.String())
	return err
}

var fontWords = regexp.MustCompile(`^(?:(\d+) )?(\d+px) (.*)$`)

// lightRules are the rules of the style that hold in light mode and without hovering. Stronger rules come
// later.
var lightRules = func() (all []paintRule) {
	light, _, _ := strings.Cut(pictureCSS, "@media")
	for _, text := range cssRule.FindAllString(light, -1) {
		selectors, body, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(text), "}"), "{")
		attributes := attributesOf(body)
		for selector := range strings.SplitSeq(selectors, ",") {
			if selector = strings.TrimSpace(selector); strings.Contains(selector, ":") || len(attributes) == 0 {
				continue
			}
			r := paintRule{attributes: attributes}
			for word := range strings.FieldsSeq(selector) {
				parts := strings.Split(word, ".")
				r.path = append(r.path, wanted{parts[0], parts[1:]})
				r.weight += 10*len(parts[1:]) + min(1, len(parts[0]))
			}
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b paintRule) int { return cmp.Compare(a.weight, b.weight) })
	return all
}()

type paintRule struct {
	path       []wanted // the parts of the selector: the last must match the element, the others elements around it
	weight     int
	attributes [][2]string
}

// wanted is the part of a selector that one element must match: a name and classes.
type wanted struct {
	name    string // the name of the element; "" and "*" mean any
	classes []string
}

// painted is the tag and the class of an element.
type painted struct{ name, class string }

func (want wanted) is(e painted) bool {
	if want.name != "" && want.name != "*" && want.name != e.name {
		return false
	}
	has := strings.Fields(e.class)
	for _, c := range want.classes {
		if !slices.Contains(has, c) {
			return false
		}
	}
	return true
}

// attributesOf returns those properties in the body of a rule that an element may have as
// attributes.
func attributesOf(body string) (all [][2]string) {
	for part := range strings.SplitSeq(body, ";") {
		name, value, _ := strings.Cut(part, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch name {
		case "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "text-anchor", "font-weight":
			if value == "transparent" {
				value = "none"
			}
			all = append(all, [2]string{name, value})
		case "font":
			f := fontWords.FindStringSubmatch(value)
			if f == nil {
				panic("macemc bug: eventgraph: style.css has a font of another form: " + value)
			}
			all = append(all, [2]string{"font-size", f[2]}, [2]string{"font-family", strings.ReplaceAll(f[3], `"`, "'")})
			if f[1] != "" {
				all = append(all, [2]string{"font-weight", f[1]})
			}
		}
	}
	return all
}

// painter reads the elements of a picture and adds attributes to each.
type painter struct {
	within []painted
	known  map[string]string // the attributes for elements of one kind, by their key
	key    []byte
}

// element writes a tag with its attributes. inside is the text between its brackets.
func (p *painter) element(out *strings.Builder, inside string) {
	out.WriteString("<")
	if strings.HasPrefix(inside, "/") {
		p.within = p.within[:len(p.within)-1]
		out.WriteString(inside + ">")
		return
	}
	name, attributes, _ := strings.Cut(inside, " ")
	e := painted{name: strings.TrimSuffix(name, "/")}
	if _, after, has := strings.Cut(attributes, `class="`); has {
		e.class, _, _ = strings.Cut(after, `"`)
	}
	looks := p.looks(e)
	if start, alone := strings.CutSuffix(inside, "/"); alone {
		out.WriteString(start + looks + "/>")
		return
	}
	p.within = append(p.within, e)
	out.WriteString(inside + looks + ">")
}

// looks returns the attributes that the rules of the style give to an element.
func (p *painter) looks(e painted) string {
	p.key = p.key[:0]
	for _, one := range p.within {
		p.key = append(append(append(append(p.key, one.name...), '.'), one.class...), '/')
	}
	p.key = append(append(append(p.key, e.name...), '.'), e.class...)
	if known, is := p.known[string(p.key)]; is {
		return known
	}
	var names []string
	values := map[string]string{}
	for _, r := range lightRules {
		if !p.matches(r, e) {
			continue
		}
		for _, a := range r.attributes {
			if _, is := values[a[0]]; !is {
				names = append(names, a[0])
			}
			values[a[0]] = a[1]
		}
	}
	if _, is := values["stroke"]; !is && e.name != "g" && e.name != "title" && e.name != "style" && e.name != "svg" {
		names, values["stroke"] = append(names, "stroke"), "none" // else it has a black one there
	}
	var out strings.Builder
	for _, name := range names {
		out.WriteString(` ` + name + `="` + values[name] + `"`)
	}
	p.known[string(p.key)] = out.String()
	return out.String()
}

// matches reports whether the selector of a rule matches an element: its last part must match the
// element, and the others elements around it, from the innermost outwards.
func (p *painter) matches(r paintRule, e painted) bool {
	last := len(r.path) - 1
	if !r.path[last].is(e) {
		return false
	}
	want := r.path[:last]
	for i := len(p.within) - 1; i >= 0 && len(want) > 0; i-- {
		if want[len(want)-1].is(p.within[i]) {
			want = want[:len(want)-1]
		}
	}
	return len(want) == 0
}
