package macetime

import "encoding/binary"

// Append appends the clock's canonical bytes. Settled clocks that know the same have equal
// bytes.
func (c *Clock) Append(buf []byte) []byte {
	buf = binary.LittleEndian.AppendUint64(buf, c.counted)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(c.n))
	for _, b := range c.bounds {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(b))
	}
	return buf
}

// Append appends the instant's canonical bytes. Its clock must be settled.
func (t Time) Append(buf []byte) []byte {
	buf = binary.LittleEndian.AppendUint32(buf, t.point)
	return binary.LittleEndian.AppendUint64(buf, uint64(t.offset))
}

// Lines returns a line for each pair of instants of which something is known, for example
// "t1 <= t2 < t1+5s". The clock must be settled.
func (c *Clock) Lines() (lines []string) {
	for i := range c.n {
		for j := i + 1; j < c.n; j++ {
			if text := c.pair(i, j); text != "" {
				lines = append(lines, text)
			}
		}
	}
	return lines
}

// pair writes the bounds of x_j - x_i: at least -bounds[i,j], at most bounds[j,i].
func (c *Clock) pair(i, j int) string {
	text, least, most := "", c.at(i, j), c.at(j, i)
	if least != free {
		text = name(i) + span(-least.span()) + least.sign()
	}
	if least == free && most == free {
		return ""
	}
	text += name(j)
	if most != free {
		text += most.sign() + name(i) + span(most.span())
	}
	return text
}

func (b bound) sign() string {
	if b.reached() {
		return " <= "
	}
	return " < "
}

// Asked returns the text of the question whether a is before b.
func Asked(a, b Time) string { return a.Text() + " before " + b.Text() }
