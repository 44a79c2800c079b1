package flat

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestRecords compares Records with a list. Each of the records is a variant of an earlier one.
func TestRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var all [][]byte
	var records Records
	var by, other Reader
	size := 0
	for range 20_000 {
		var record []byte
		like := 0
		if len(all) > 0 && r.IntN(10) > 0 {
			like = r.IntN(len(all)) + 1
			record = vary(r, bytes.Clone(all[like-1]))
		} else {
			for range r.IntN(60) {
				record = append(record, byte(r.IntN(4)/3*r.IntN(256)))
			}
		}
		if r.IntN(1000) == 0 {
			record = append(record, make([]byte, recordChunk)...)[:r.IntN(1000)]
		}
		all, size = append(all, record), size+len(record)
		if n := records.Append(&by, record, like); n != len(all)-1 {
			t.Fatalf("record %d has the number %d", len(all)-1, n)
		}
	}
	for i, want := range all {
		for _, by := range []*Reader{&other, new(Reader)} {
			if got := by.Get(&records, i); !bytes.Equal(got, want) {
				t.Fatalf("record %d is %x; want %x", i, got, want)
			}
		}
	}
	if view := records; view.Len() != len(all) {
		t.Errorf("%d records; want %d", view.Len(), len(all))
	}
	t.Logf("%d bytes in %d chunks", size, len(records.chunks))
}

// vary returns a variant of b: some bytes are changed, and some are moved.
func vary(r *rand.Rand, b []byte) []byte {
	for range r.IntN(4) {
		switch at := r.IntN(len(b) + 1); {
		case at == len(b):
			b = append(b, byte(r.IntN(256)))
		case r.IntN(3) == 0:
			b = append(b[:at], b[at+1:]...)
		case r.IntN(3) == 0:
			b = append(b[:at], append([]byte{byte(r.IntN(256))}, b[at:]...)...)
		default:
			b[at] = byte(r.IntN(256))
		}
	}
	return b
}

// TestRecordsAreShort: a large record that differs little from an earlier one takes little memory.
func TestRecordsAreShort(t *testing.T) {
	var records Records
	var by Reader
	record := make([]byte, 1000)
	for i := range record {
		record[i] = byte(i)
	}
	last := records.Append(&by, record, 0)
	for i := range 10_000 {
		record[i%1000]++
		last = records.Append(&by, record, last+1)
	}
	if n := len(records.chunks); n > 3 {
		t.Errorf("10,000 records of which each is another byte than the last take %d chunks of %d bytes", n, recordChunk)
	}
}
