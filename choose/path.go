package choose

import "slices"

// A Path is the recorded choices of a run, by identity. Its text form is
// written by WriteTo and read by Parse.
type Path struct {
	Header []Field  // what the run was of; choose does not know its meaning
	Start  []Choice // coins asked before the first event
	Steps  []Step
}

// A Field is one line of a path's header. Keys have no spaces and no colon.
type Field struct{ Key, Value string }

// A Step is an event that happened, and the coins that its handler asked for.
type Step struct {
	Event Choice
	Coins []Choice
}

// A Choice is one recorded answer: alternative Pick of Of, and its identity.
// The identity of a coin is its why, a colon and the alternative.
type Choice struct {
	Kind Kind
	Of   int
	Pick int
	What string
}

// Get returns the first value of key.
func (p *Path) Get(key string) (string, bool) {
	for _, f := range p.Header {
		if f.Key == key {
			return f.Value, true
		}
	}
	return "", false
}

// All returns every value of key, in order.
func (p *Path) All(key string) []string {
	var values []string
	for _, f := range p.Header {
		if f.Key == key {
			values = append(values, f.Value)
		}
	}
	return values
}

// Set gives key this one value, in the place of its first.
func (p *Path) Set(key, value string) {
	i := slices.IndexFunc(p.Header, func(f Field) bool { return f.Key == key })
	if i < 0 {
		p.Add(key, value)
		return
	}
	p.Header[i].Value = value
	rest := slices.DeleteFunc(p.Header[i+1:], func(f Field) bool { return f.Key == key })
	p.Header = p.Header[:i+1+len(rest)]
}

// Unset takes a key out of the header.
func (p *Path) Unset(key string) {
	p.Header = slices.DeleteFunc(slices.Clone(p.Header), func(f Field) bool { return f.Key == key })
}

// Add adds a value of key at the end of the header.
func (p *Path) Add(key, value string) {
	p.Header = append(p.Header, Field{Key: key, Value: value})
}

// Choices counts the answers that were picked among several.
func (p *Path) Choices() int {
	n := several(p.Start)
	for i := range p.Steps {
		if p.Steps[i].Event.Of > 1 {
			n++
		}
		n += several(p.Steps[i].Coins)
	}
	return n
}

func several(choices []Choice) int {
	n := 0
	for _, c := range choices {
		if c.Of > 1 {
			n++
		}
	}
	return n
}

// Prefix returns the first n steps (all, if there are fewer) with the start and
// a copy of the header. Adding to one path does not change the other.
func (p *Path) Prefix(n int) *Path {
	n = min(n, len(p.Steps))
	return &Path{
		Header: slices.Clone(p.Header),
		Start:  slices.Clip(p.Start),
		Steps:  p.Steps[:n:n],
	}
}
