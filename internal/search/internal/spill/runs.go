package spill

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"macemc/internal/canon"
)

// Key is the identity of a state (a hash) and the state's number. Keys are ordered by identity,
// then by number.
type Key struct {
	Sum    canon.Hash
	Number uint32
}

func compareSums(a, b canon.Hash) int {
	return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo))
}

func compareKeys(a, b Key) int {
	switch {
	case a.Sum.Hi < b.Sum.Hi:
		return -1
	case a.Sum.Hi > b.Sum.Hi:
		return 1
	}
	return cmp.Or(cmp.Compare(a.Sum.Lo, b.Sum.Lo), cmp.Compare(a.Number, b.Number))
}

// Sort sorts keys.
func Sort(keys []Key) { slices.SortFunc(keys, compareKeys) }

// A run is a sequence of pages: a checksum, the number of keys, and the keys.
const (
	pageLength = 4096
	pageHead   = 16
	keyLength  = 20
	pageKeys   = (pageLength - pageHead) / keyLength

	writePages = 64 // pages are written this many at a time

	sorterKeys = 1 << 18 // a sorter begins with memory for at most this many keys

	mergeLeast = 4 // the least number of runs that are merged
)

// Runs is a set of keys, stored in several files. Each file is a run: its keys are sorted.
type Runs struct {
	s   *Store
	all []*run
}

// run is a file of sorted keys.
type run struct {
	*file
	n     int
	first []canon.Hash // the first identity of each page
}

// Runs returns an empty set of runs.
func (s *Store) Runs() *Runs { return &Runs{s: s} }

// Len returns the number of keys in all runs.
func (r *Runs) Len() (n int) {
	for _, one := range r.all {
		n += one.n
	}
	return n
}

// Close removes the files of the runs.
func (r *Runs) Close() (err error) {
	for _, one := range r.all {
		err = cmp.Or(err, r.s.remove(one.file))
	}
	r.all = nil
	return err
}

// Add writes keys, which must be sorted, as a new run. When several runs have about the same size,
// it merges them. So there are few runs, and each key is rewritten only a few times.
func (r *Runs) Add(keys []Key) error {
	if len(keys) == 0 {
		return nil
	}
	w, err := r.s.newRun()
	if err != nil {
		return err
	}
	for _, k := range keys {
		if err := w.add(k); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	r.all = append(r.all, w.run)
	from := len(r.all) - 1
	for n := r.all[from].n; from > 0 && r.all[from-1].n <= 2*n; from-- {
		n += r.all[from-1].n
	}
	if len(r.all)-from < mergeLeast {
		return nil
	}
	return r.merge(from)
}

// merge merges the runs r.all[from:] into one run.
func (r *Runs) merge(from int) error {
	w, err := r.s.newRun()
	if err != nil {
		return err
	}
	old := r.all[from:]
	if err := each(r.s, old, w.add); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	for _, one := range old {
		if err := r.s.remove(one.file); err != nil {
			return err
		}
	}
	r.all = append(r.all[:from], w.run)
	return nil
}

// Each yields all keys in order, until yield returns an error.
func (r *Runs) Each(yield func(Key) error) error { return each(r.s, r.all, yield) }

func each(s *Store, runs []*run, yield func(Key) error) error {
	m, err := merging(s, runs)
	for ; err == nil && m.least != nil; err = m.next() {
		if err := yield(m.least.key); err != nil {
			return err
		}
	}
	return err
}

// merger reads several runs together, and yields all their keys in order.
type merger struct {
	heads []*reader
	least *reader // the reader of the next key, or nil if there is none
}

func merging(s *Store, runs []*run) (m *merger, err error) {
	m = &merger{}
	for _, one := range runs {
		h := &reader{s: s, run: one}
		if err := h.next(); err != nil {
			return nil, err
		}
		m.heads = append(m.heads, h)
	}
	m.choose()
	return m, nil
}

func (m *merger) choose() {
	m.least = nil
	for _, h := range m.heads {
		if !h.over && (m.least == nil || compareKeys(h.key, m.least.key) < 0) {
			m.least = h
		}
	}
}

// next moves on to the next key of all runs.
func (m *merger) next() error {
	if err := m.least.next(); err != nil {
		return err
	}
	m.choose()
	return nil
}

// Join yields each key of the sorter, together with the number that is stored for the same identity
// in with. If an identity of the sorter is missing there, Join returns an error.
func (s *Sorter) Join(with *Runs, yield func(of Key, number uint32) error) error {
	m, err := merging(with.s, with.all)
	if err != nil {
		return err
	}
	return s.Each(func(k Key) error {
		for m.least != nil && compareSums(m.least.key.Sum, k.Sum) < 0 {
			if err := m.next(); err != nil {
				return err
			}
		}
		if m.least == nil || m.least.key.Sum != k.Sum {
			return s.s.fails("read back", fmt.Errorf("a step leads to the state with identity %v, which is in none of the files", k.Sum))
		}
		return yield(k, m.least.key.Number)
	})
}

// Keep replaces all runs by one run of the keys for which keep returns true. It calls keep with all
// keys, in order.
func (r *Runs) Keep(keep func(Key) (bool, error)) error {
	w, err := r.s.newRun()
	if err != nil {
		return err
	}
	if err := r.Each(func(k Key) error {
		if is, err := keep(k); !is || err != nil {
			return err
		}
		return w.add(k)
	}); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	if r.all = nil; w.n > 0 {
		r.all = append(r.all, w.run)
		return nil
	}
	return r.s.remove(w.file)
}

// Known calls found for each of the keys whose identity is in a run already, with the index k of
// the key and the number that the run has for it. The keys must be sorted and have different
// identities, and no identity may be in two runs.
func (r *Runs) Known(keys []Key, found func(k int, number uint32)) error {
	for _, one := range r.all {
		if err := one.known(r.s, keys, found); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) known(s *Store, keys []Key, found func(k int, number uint32)) error {
	p := reader{s: s, run: r}
	for k := 0; k < len(keys); {
		page := r.page(keys[k].Sum, p.page)
		if page < 0 { // before the first key of the run
			k++
			continue
		}
		if err := p.load(page); err != nil {
			return err
		}
		for at := 0; k < len(keys) && (page+1 == len(r.first) || compareSums(keys[k].Sum, r.first[page+1]) < 0); k++ {
			for at < p.n && compareSums(p.at(at).Sum, keys[k].Sum) < 0 {
				at++
			}
			if at < p.n && p.at(at).Sum == keys[k].Sum {
				found(k, p.at(at).Number)
			}
		}
	}
	return nil
}

// page returns the number of the page that has the identity h, if the run has it at all: the last page
// whose first identity is not greater than h. It searches from page number from on.
func (r *run) page(h canon.Hash, from int) int {
	step := 1
	to := from
	for to < len(r.first) && compareSums(r.first[to], h) <= 0 {
		from, to, step = to, to+step, 2*step
	}
	to = min(to, len(r.first))
	k, _ := slices.BinarySearchFunc(r.first[from:to], h, func(first, h canon.Hash) int {
		if compareSums(first, h) <= 0 {
			return -1
		}
		return 1
	})
	return from + k - 1
}

// reader reads the keys of a run in order.
type reader struct {
	s *Store
	*run
	page int // the page that is loaded
	buf  []byte
	n, k int // number of keys of the page, and number of those already read
	key  Key
	over bool // no key is left
}

// load loads the page with this number. It returns an error if the page is damaged.
func (p *reader) load(page int) error {
	if p.buf == nil {
		p.buf = make([]byte, pageLength)
	}
	at := int64(page) * pageLength
	if err := p.s.read(p.file, at, p.buf); err != nil {
		return err
	}
	p.page, p.k, p.n = page, 0, int(binary.LittleEndian.Uint32(p.buf[8:]))
	if binary.LittleEndian.Uint64(p.buf) != pageSum(p.buf, p.file, page) || p.n > pageKeys {
		return p.s.damaged(p.file, at)
	}
	return nil
}

// pageSum returns the checksum of a page, which depends on its contents, its number and its file.
func pageSum(page []byte, f *file, number int) uint64 {
	return xxh3.HashSeed(page[8:], xxh3.HashString(f.path)+uint64(number))
}

// at returns key number k of the page that is loaded.
func (p *reader) at(k int) Key {
	b := p.buf[pageHead+k*keyLength:]
	return Key{canon.Hash{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}, binary.BigEndian.Uint32(b[16:])}
}

// next moves on to the next key.
func (p *reader) next() error {
	if p.k == p.n {
		next := p.page + 1
		if p.buf == nil {
			next = 0
		}
		if p.over = next == len(p.first); p.over {
			return nil
		}
		if err := p.load(next); err != nil {
			return err
		}
	}
	p.key = p.at(p.k)
	p.k++
	return nil
}

// writer writes a run.
type writer struct {
	s *Store
	*run
	buf []byte // whole pages, and the one that is being filled
	k   int    // number of keys in the page that is being filled
}

func (s *Store) newRun() (*writer, error) {
	f, err := s.create()
	if err != nil {
		return nil, err
	}
	return &writer{s: s, run: &run{file: f}}, nil
}

func (w *writer) add(k Key) error {
	if w.k == 0 {
		w.first = append(w.first, k.Sum)
		w.buf = append(w.buf, make([]byte, pageHead)...)
	}
	w.buf = binary.BigEndian.AppendUint64(w.buf, k.Sum.Hi)
	w.buf = binary.BigEndian.AppendUint64(w.buf, k.Sum.Lo)
	w.buf = binary.BigEndian.AppendUint32(w.buf, k.Number)
	w.n++
	if w.k++; w.k == pageKeys {
		w.ends()
	}
	if len(w.buf) < writePages*pageLength {
		return nil
	}
	return w.write()
}

// ends completes the page that is being filled.
func (w *writer) ends() {
	if w.k == 0 {
		return
	}
	w.buf = append(w.buf, make([]byte, (pageLength-len(w.buf)%pageLength)%pageLength)...)
	page := w.buf[len(w.buf)-pageLength:]
	binary.LittleEndian.PutUint32(page[8:], uint32(w.k))
	binary.LittleEndian.PutUint64(page, pageSum(page, w.file, len(w.first)-1))
	w.k = 0
}

func (w *writer) write() error {
	err := w.s.append(w.file, w.buf)
	w.buf = w.buf[:0]
	return err
}

func (w *writer) flush() error {
	w.ends()
	return w.write()
}

// Sorter sorts more keys than fit into memory.
type Sorter struct {
	*Runs
	keys []Key
	most int
}

// Sorter returns a Sorter that keeps at most this number of keys in memory.
func (s *Store) Sorter(most int) *Sorter {
	return &Sorter{Runs: s.Runs(), most: max(1, most), keys: make([]Key, 0, min(most, sorterKeys))}
}

// Put adds a key to the sorter. It writes the keys to disk when there are too many of them.
func (s *Sorter) Put(k Key) error {
	if s.keys = append(s.keys, k); len(s.keys) < s.most {
		return nil
	}
	return s.spill()
}

func (s *Sorter) spill() error {
	Sort(s.keys)
	err := s.Add(s.keys)
	s.keys = s.keys[:0]
	return err
}

// Done sorts the remaining keys, and returns all of them as runs. No more keys may be put.
func (s *Sorter) Done() (*Runs, error) {
	err := s.spill()
	s.keys = nil
	return s.Runs, err
}

// Each yields all keys in order, until yield returns an error.
func (s *Sorter) Each(yield func(Key) error) error {
	runs, err := s.Done()
	if err != nil {
		return err
	}
	return runs.Each(yield)
}
