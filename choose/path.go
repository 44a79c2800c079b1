package choose

import "slices"

// A Path is the recorded choices of a run, by identity. WriteTo writes its text form, and
// Parse reads it.
type Path struct {
	Header []Field  // facts about the run, for example its system and seed; choose does not interpret them
	Start  []Choice // coins asked before the first event
	Steps  []Step
}

// A Field is one line of a path's header. A key has no spaces and no colon.
type Field struct{ Key, Value string }

// A Step is an event that happened, with the coins that its handler asked for.
type Step struct {
	Event Choice
	Coins []Choice
}

// A Choice is one recorded answer: the pick, the number of alternatives (Of), and the
// identity of the picked one. The identity of a coin is its reason, a colon and the side.
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

// Set replaces all values of key by one, at the place of the first.
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

// Unset removes a key from the header.
func (p *Path) Unset(key string) {
	p.Header = slices.DeleteFunc(slices.Clone(p.Header), func(f Field) bool { return f.Key == key })
}

// Add appends a value of key to the header.
func (p *Path) Add(key, value string) {
	p.Header = append(p.Header, Field{Key: key, Value: value})
}

// Choices returns the number of picks among several alternatives.
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

// Prefix returns a path of the first n steps, or of all if there are fewer, with the start
// and a copy of the header. Appending to one path does not change the other.
func (p *Path) Prefix(n int) *Path {
	n = min(n, len(p.Steps))
	return &Path{
		Header: slices.Clone(p.Header),
		Start:  slices.Clip(p.Start),
		Steps:  p.Steps[:n:n],
	}
}
