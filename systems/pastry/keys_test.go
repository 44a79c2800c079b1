package pastry

import (
	"crypto/sha1"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The arithmetic of keys agrees with that of integers modulo 2 to the power of 160.
func TestKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	draw := func() key {
		k := key{r.Uint32(), r.Uint64(), r.Uint64()}
		switch r.IntN(4) {
		case 0:
			k.high, k.mid = 0, 0
		case 1:
			k.low = 0
		}
		return k
	}
	ring := new(big.Int).Lsh(big.NewInt(1), 160)
	for range 10_000 {
		a, b, c := draw(), draw(), draw()
		if r.IntN(4) == 0 {
			b.high = a.high
		}
		if r.IntN(4) == 0 {
			b.high, b.mid = a.high, a.mid
		}
		x, y, z := number(a), number(b), number(c)
		minus := func(x, y *big.Int) *big.Int { return new(big.Int).Mod(new(big.Int).Sub(x, y), ring) }
		away := func(x, y *big.Int) *big.Int {
			d, e := minus(x, y), minus(y, x)
			if d.Cmp(e) < 0 {
				return d
			}
			return e
		}
		if d := number(a.minus(b)); d.Cmp(minus(x, y)) != 0 {
			t.Fatalf("%v - %v is %v", x, y, d)
		}
		if a.compare(b) != x.Cmp(y) {
			t.Fatalf("%v and %v compare as %d", x, y, a.compare(b))
		}
		if d := number(a.away(b)); d.Cmp(away(x, y)) != 0 {
			t.Fatalf("%v and %v are %v away", x, y, d)
		}
		p, q := fmt.Sprintf("%040x", x), fmt.Sprintf("%040x", y)
		shared := 0
		for shared < digits && p[shared] == q[shared] {
			shared++
		}
		if a.shared(b) != shared {
			t.Fatalf("%s and %s share %d digits", p, q, a.shared(b))
		}
		want := away(x, z).Cmp(away(y, z))
		if want == 0 {
			want = minus(z, x).Cmp(minus(z, y))
		}
		if closer(c, a, b) != (want < 0) {
			t.Fatalf("%v closer to %v than %v: %t", x, z, y, closer(c, a, b))
		}
	}
	if got, want := number(hashed.of(addr(0))), new(big.Int).SetBytes(sum("n0")); got.Cmp(want) != 0 {
		t.Errorf("the key of n0 is %x, want %x", got, want)
	}
	for s := range of {
		seen := map[key]bool{}
		for _, k := range of[s] {
			seen[k] = true
		}
		if len(seen) < most {
			t.Errorf("of %d nodes only %d have keys of their own", most, len(seen))
		}
	}
}

func sum(text string) []byte {
	s := sha1.Sum([]byte(text))
	return s[:]
}

func number(k key) *big.Int {
	n := new(big.Int).SetUint64(uint64(k.high))
	n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(k.mid))
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(k.low))
}
