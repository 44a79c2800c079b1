package codec

import "encoding/binary"

// Fields reads fields one after the other. After a field that is malformed, Bad returns true, and
// all fields are zero.
type Fields struct {
	data []byte
	bad  bool
}

// NewFields returns a reader of the fields of data.
func NewFields(data []byte) *Fields { return &Fields{data: data} }

// Rest returns what was not read yet.
func (d *Fields) Rest() []byte { return d.data }

// Bad reports whether a field was malformed.
func (d *Fields) Bad() bool { return d.bad }

// Spoil makes Bad return true, for a caller that rejects a field.
func (d *Fields) Spoil() { d.bad = true }

// Take returns the next n bytes.
func (d *Fields) Take(n int) []byte {
	if n < 0 || len(d.data) < n {
		d.bad, d.data = true, nil
		return make([]byte, min(max(n, 0), 8))
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

// Byte returns the next byte.
func (d *Fields) Byte() byte { return d.Take(1)[0] }

// Fixed returns a number of eight bytes.
func (d *Fields) Fixed() uint64 { return binary.BigEndian.Uint64(d.Take(8)) }

// Uint returns a number of any size.
func (d *Fields) Uint() uint64 {
	x, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.bad, d.data = true, nil
		return 0
	}
	d.data = d.data[n:]
	return x
}

// Int returns a number of any size, of at most 2^40.
func (d *Fields) Int() int { return int(min(d.Uint(), 1<<40)) }

// Count returns the number of the items that follow, each of at least a byte.
func (d *Fields) Count() int {
	n := d.Int()
	if n > len(d.data) {
		d.bad, d.data, n = true, nil, 0
	}
	return n
}

// Text returns a text, which its length precedes.
func (d *Fields) Text() string { return string(d.Take(d.Count())) }
