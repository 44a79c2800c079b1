package macetime

import "encoding/binary"

// Append adds the clock's canonical bytes: equal for what knows the same, once it
// is settled.
func (c *Clock) Append(buf []byte) []byte {
	buf = binary.LittleEndian.AppendUint64(buf, c.counted)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(c.n))
	for _, b := range c.bounds {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(b))
	}
	return buf
}

// Append adds the instant's canonical bytes, once its clock is settled.
func (t Time) Append(buf []byte) []byte {
	buf = binary.LittleEndian.AppendUint32(buf, t.point)
	return binary.LittleEndian.AppendUint64(buf, uint64(t.offset))
}

// Lines are what is known of each pair of instants, once the clock is settled:
// "t1 <= t2 < t1+5s". Pairs of which nothing is known have no line.
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

// pair tells x_j - x_i: at least -bounds[i,j], at most bounds[j,i].
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

// Asked is a comparison in words.
func Asked(a, b Time) string { return a.String() + " before " + b.String() }
