package spill

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macemc/internal/canon"
)

// draw draws n keys. Many of them have the same high half of the identity.
func draw(r *rand.Rand, n int) []Key {
	keys := make([]Key, n)
	for i := range keys {
		keys[i] = Key{canon.Hash{Hi: r.Uint64() >> r.IntN(64), Lo: r.Uint64() >> r.IntN(64)}, uint32(i)}
	}
	return keys
}

// TestRuns compares runs with a map, for batches of all sizes.
func TestRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s, err := Open(filepath.Join(t.TempDir(), "states"))
	if err != nil {
		t.Fatal(err)
	}
	runs, twin, merged := s.Runs(), map[canon.Hash]uint32{}, false
	for range 60 {
		keys := draw(r, 1+r.IntN(1<<r.IntN(14)))
		for h := range twin { // some that are known
			if keys = append(keys, Key{h, 7}); len(keys)%3 == 0 {
				break
			}
		}
		Sort(keys)
		keys = slices.CompactFunc(keys, func(a, b Key) bool { return a.Sum == b.Sum })
		known := map[int]bool{}
		if err := runs.Known(keys, func(k int, number uint32) {
			if known[k] = true; twin[keys[k].Sum] != number {
				t.Errorf("number %d of %v; want %d", number, keys[k].Sum, twin[keys[k].Sum])
			}
		}); err != nil {
			t.Fatal(err)
		}
		var fresh []Key
		for k := range keys {
			_, want := twin[keys[k].Sum]
			if known[k] != want {
				t.Fatalf("key %v is known: %v; want %v", keys[k].Sum, known[k], want)
			}
			if !want {
				fresh = append(fresh, keys[k])
				twin[keys[k].Sum] = keys[k].Number
			}
		}
		before := len(runs.all)
		if err := runs.Add(fresh); err != nil {
			t.Fatal(err)
		}
		merged = merged || len(runs.all) < before
	}
	if runs.Len() != len(twin) || !merged || len(runs.all) > 20 {
		t.Errorf("%d keys in %d runs; want %d", runs.Len(), len(runs.all), len(twin))
	}
	last, n := Key{}, 0
	if err := runs.Each(func(k Key) error {
		if n > 0 && compareKeys(last, k) >= 0 || twin[k.Sum] != k.Number {
			t.Errorf("%v comes after %v", k, last)
		}
		last, n = k, n+1
		return nil
	}); err != nil || n != len(twin) {
		t.Errorf("%d keys; want %d: %v", n, len(twin), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.dir); err == nil {
		t.Error("the directory is left")
	}
}

// A sorter yields every key that was put in, in order, equal identities too.
func TestSorter(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, most := range []int{1, 7, 1000, 1 << 20} {
		keys := draw(r, 2000)
		for i := range 500 {
			keys[i].Sum = keys[i+500].Sum
		}
		sorter := s.Sorter(most)
		for _, k := range keys {
			if err := sorter.Put(k); err != nil {
				t.Fatal(err)
			}
		}
		Sort(keys)
		var got []Key
		if err := sorter.Each(func(k Key) error { got = append(got, k); return nil }); err != nil || !slices.Equal(got, keys) {
			t.Errorf("of %d at a time, %d keys are not those that were put in: %v", most, len(got), err)
		}
	}
}

// TestJoin: Join finds the number of each identity, and Keep leaves out the keys for which its argument
// returns false.
func TestJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	runs, of := s.Runs(), draw(r, 3000)
	for k := range of {
		of[k].Sum.Lo = uint64(k)
	}
	for k := 0; k < len(of); k += 1000 {
		part := slices.Clone(of[k : k+1000])
		Sort(part)
		if err := runs.Add(part); err != nil {
			t.Fatal(err)
		}
	}
	steps, want := s.Sorter(100), map[Key]int{}
	for range 5000 {
		from, to := uint32(r.IntN(50)), of[r.IntN(len(of))]
		want[Key{canon.Hash{Hi: uint64(from), Lo: uint64(to.Number)}, 0}]++
		if err := steps.Put(Key{to.Sum, from}); err != nil {
			t.Fatal(err)
		}
	}
	pairs := s.Sorter(100)
	if err := steps.Join(runs, func(of Key, number uint32) error {
		k := Key{canon.Hash{Hi: uint64(of.Number), Lo: uint64(number)}, 0}
		want[k]--
		return pairs.Put(k)
	}); err != nil {
		t.Fatal(err)
	}
	for k, n := range want {
		if n != 0 {
			t.Fatalf("%v is joined %d times too few", k, n)
		}
	}
	all, err := pairs.Done()
	if err != nil || all.Len() != 5000 {
		t.Fatal(all.Len(), err)
	}
	few := func(k Key) bool { return k.Sum.Hi%7 == 3 }
	if err := all.Keep(func(k Key) (bool, error) { return few(k), nil }); err != nil {
		t.Fatal(err)
	}
	left := 0
	for k := range seq(all, t) {
		if left++; !few(k) {
			t.Errorf("%v is kept", k)
		}
	}
	if left == 0 || left != all.Len() || len(all.all) != 1 {
		t.Errorf("%d are left, of %d", left, all.Len())
	}
	if err := all.Keep(func(Key) (bool, error) { return false, nil }); err != nil || all.Len() != 0 {
		t.Error(all.Len(), err)
	}
	if err := steps.Join(all, func(Key, uint32) error { return nil }); err == nil {
		t.Error("an identity that is nowhere is joined")
	}
}

// seq iterates over the keys of runs.
func seq(r *Runs, t *testing.T) func(yield func(Key) bool) {
	return func(yield func(Key) bool) {
		if err := r.Each(func(k Key) error { yield(k); return nil }); err != nil {
			t.Fatal(err)
		}
	}
}

// A flipped bit, wherever it is, is an error when its page or block is read, and ever after.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 60 {
		s, err := Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		runs := s.Runs()
		keys := draw(r, 1000)
		Sort(keys)
		if err := runs.Add(keys); err != nil {
			t.Fatal(err)
		}
		at, err := s.Write([]byte("a packed state"))
		if err != nil {
			t.Fatal(err)
		}
		names, _ := filepath.Glob(filepath.Join(s.dir, "*"))
		for k := range len(names) {
			flip(t, r, names[k])
		}
		each := runs.Each(func(Key) error { return nil })
		_, read := s.Read(at, len("a packed state"))
		if each == nil || read == nil || !strings.Contains(each.Error(), "damaged at byte") || read.Error() != each.Error() {
			t.Errorf("errors: %v, %v", each, read)
		}
		if _, err := s.Write([]byte("more")); err == nil || s.Err() == nil {
			t.Error("a damaged store goes on")
		}
		s.Close()
	}
}

func flip(t *testing.T, r *rand.Rand, name string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// A page that stands where another one was written is damage.
func TestMisplaced(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	keys := draw(rand.New(rand.NewPCG(4, 4)), 2*pageKeys)
	Sort(keys)
	runs := s.Runs()
	if err := runs.Add(keys); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(runs.all[0].path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(runs.all[0].path, append(b[pageLength:], b[:pageLength]...), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := runs.Each(func(Key) error { return nil }); err == nil {
		t.Error("two pages that changed places are not noticed")
	}
}

// short is a file on a disk that is full after some bytes.
type short struct {
	*os.File
	left int
}

var errFull = errors.New("no space left on device")

func (f *short) Write(b []byte) (int, error) {
	n := min(len(b), f.left)
	f.left -= n
	if n < len(b) {
		n, _ = f.File.Write(b[:n])
		return n, errFull
	}
	return f.File.Write(b)
}

// A full disk is an error that names the directory, and stays.
func TestFull(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Create = func(path string) (File, error) {
		f, err := os.Create(path)
		return &short{f, 10_000}, err
	}
	var first error
	for range 100 {
		if _, first = s.Write(make([]byte, 1000)); first != nil {
			break
		}
	}
	if !errors.Is(first, errFull) || !strings.Contains(first.Error(), s.dir) {
		t.Fatalf("the error is %v", first)
	}
	if err := s.Runs().Add(draw(rand.New(rand.NewPCG(5, 5)), 1)); err != first {
		t.Errorf("afterwards it is %v", err)
	}
}

// TestLeft: a store removes the files that a killed process has left in its directory, and no other files.
func TestLeft(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"1.spill", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "notes.txt" {
		t.Errorf("left: %v, %v", left, err)
	}
}
