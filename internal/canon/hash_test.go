package canon

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"
)

func TestHash(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() Hash { return Hash{r.Uint64(), r.Uint64()} }
	for range 1000 {
		a, b, c, salt := random(), random(), random(), r.Uint64()
		if a.Add(b) != b.Add(a) || a.Add(b).Add(c) != a.Add(b.Add(c)) || a.Add(b).Sub(b) != a {
			t.Fatalf("Add and Sub are no group at %v, %v, %v", a, b, c)
		}
		if a.Then(b) == b.Then(a) || a.Mix(salt) == a.Mix(salt+1) || a.Mix(salt) == b.Mix(salt) {
			t.Fatalf("order or position does not count at %v, %v, %d", a, b, salt)
		}
		if a.Add(b).Mix(salt) == a.Mix(salt).Add(b.Mix(salt)) {
			t.Fatalf("Mix is linear at %v, %v, %d", a, b, salt)
		}
	}
	for _, c := range []struct{ got, want string }{
		{Hash{1, 2}.String(), "00000000000000010000000000000002"},
		{Hash{0, 1<<64 - 1}.Add(Hash{0, 1}).String(), "00000000000000010000000000000000"},
		{Hash{1, 0}.Sub(Hash{0, 1}).String(), "0000000000000000ffffffffffffffff"},
		{OfString("").String(), "99aa06d3014798d86001c324468d497f"},
		{OfString("macemc").String(), "9807b1414ae93b2c5c4ef6e8cb96c350"},
		{Hash{}.Mix(0).String(), "341960db6678ebb1ae04154d71380342"},
		{Hash{}.Then(Hash{1, 2}).String(), "23a52401977004fa5d43caf460528aa6"},
	} {
		if c.got != c.want {
			t.Errorf("hash is %s, want %s", c.got, c.want)
		}
	}
}

// TestMixSpreads flips each bit of a hash and of the salt, and checks that about half of the
// 128 bits of the result change.
func TestMixSpreads(t *testing.T) {
	h := Hash{3, 4}
	for bit := range 192 {
		in, salt := h, uint64(5)
		switch bit / 64 {
		case 0:
			in.Lo ^= 1 << bit
		case 1:
			in.Hi ^= 1 << (bit - 64)
		case 2:
			salt ^= 1 << (bit - 128)
		}
		if n := distance(h.Mix(5), in.Mix(salt)); n < 32 || n > 96 {
			t.Errorf("bit %d changes %d bits", bit, n)
		}
	}
}

func distance(a, b Hash) int { return bits.OnesCount64(a.Hi^b.Hi) + bits.OnesCount64(a.Lo^b.Lo) }

// TestMixOfPoorHashes mixes hashes that are small numbers with small positions, and checks that no two sums
// have an equal half.
func TestMixOfPoorHashes(t *testing.T) {
	const n = 600
	his, los := make(map[uint64]bool, 2*n*n), make(map[uint64]bool, 2*n*n)
	take := func(h Hash) {
		if his[h.Hi] || los[h.Lo] {
			t.Fatalf("%v has a half that was met before", h)
		}
		his[h.Hi], los[h.Lo] = true, true
	}
	for a := range uint64(n) {
		for b := range uint64(n) {
			take(Hash{0, a}.Mix(1).Add(Hash{0, b}.Mix(2)))
			take(Hash{a, 0}.Then(Hash{b, 1}))
		}
	}
}

// TestOfPair compares the hash of two numbers in registers with that of the same bytes in memory.
func TestOfPair(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		var memory [16]byte
		binary.LittleEndian.PutUint64(memory[:], r.Uint64())
		binary.LittleEndian.PutUint64(memory[8:], r.Uint64())
		for _, a := range []uintptr{1, 2, 4, 8} {
			for _, b := range []uintptr{1, 2, 4, 8} {
				if a+b < 4 {
					continue
				}
				got := ofPair(word(unsafe.Pointer(&memory[0]), a), word(unsafe.Pointer(&memory[a]), b), a, b)
				if want := ofBytes(memory[:a+b]); got != want {
					t.Fatalf("%d and %d bytes of %x: %v, want %v", a, b, memory, got, want)
				}
			}
		}
	}
}

// TestCompareHashes checks that hashes are ordered by their first half, and then by their second.
func TestCompareHashes(t *testing.T) {
	ordered := []Hash{{Hi: 0, Lo: 0}, {Hi: 0, Lo: 9}, {Hi: 1, Lo: 0}, {Hi: 1, Lo: 1}}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := a.Compare(b); got != min(1, max(-1, i-j)) {
				t.Errorf("%v compares with %v as %d", a, b, got)
			}
		}
	}
}
