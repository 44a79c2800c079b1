package codec

import "encoding/binary"

// Fields reads the fields of a record, one after another. Once a field is malformed, Bad returns
// true and all further fields are zero.
type Fields struct {
	data []byte
	bad  bool
}

// NewFields returns a reader of the fields of data.
func NewFields(data []byte) *Fields { return &Fields{data: data} }

// Rest returns the bytes that have not been read yet.
func (d *Fields) Rest() []byte { return d.data }

// Bad reports whether a field was malformed.
func (d *Fields) Bad() bool { return d.bad }

// Spoil makes Bad return true. It is for a caller that rejects the value of a field.
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

// Fixed returns the next number, which has eight bytes.
func (d *Fields) Fixed() uint64 { return binary.BigEndian.Uint64(d.Take(8)) }

// Uint returns the next number, which has as many bytes as it needs.
func (d *Fields) Uint() uint64 {
	x, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.bad, d.data = true, nil
		return 0
	}
	d.data = d.data[n:]
	return x
}

// Int returns the next number, which has as many bytes as it needs, or 2^40 if the number is larger.
func (d *Fields) Int() int { return int(min(d.Uint(), 1<<40)) }

// Count returns the next number as the number of items that follow. It is malformed if fewer
// bytes remain, since each item has at least one.
func (d *Fields) Count() int {
	n := d.Int()
	if n > len(d.data) {
		d.bad, d.data, n = true, nil, 0
	}
	return n
}

// Text returns the next text, which is preceded by its length.
func (d *Fields) Text() string { return string(d.Take(d.Count())) }
