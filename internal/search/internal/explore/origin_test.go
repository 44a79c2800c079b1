package explore

import (
	"math"
	"strconv"
	"testing"
	"unsafe"

	"macemc/internal/canon"
	"macemc/internal/world"
)

// The origins of states are the same after their level is expanded, whether they are kept in brief or not.
func TestOriginsOfExpandedStates(t *testing.T) {
	for name, c := range map[string]struct {
		of    func(i int) Origin
		brief bool
	}{
		"near":       {func(i int) Origin { return Origin{7_000_000_000%math.MaxUint32 + uint32(i*64), uint16(i % 256), 9} }, true},
		"no parents": {func(i int) Origin { return Origin{NoParent, 0, 0} }, true},
		"descending": {func(i int) Origin { return Origin{uint32(math.MaxUint16 - 64*i), 255, 0} }, true},
		"far": {func(i int) Origin {
			return Origin{uint32(i*math.MaxUint16)/(blockStates-1) + uint32(i/(blockStates-1)), 0, 0}
		}, false},
		"many events":  {func(i int) Origin { return Origin{1, uint16(i/(blockStates-1)) * 256, 0} }, false},
		"many answers": {func(i int) Origin { return Origin{1, 0, uint16(i / (blockStates - 1))} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := newLedger(1, func(int) int { return 1 << 30 }, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			e := l.Entry()
			add := func(o Origin) {
				e.Pack(world.Vector{uint32(l.Len()) + 1})
				e.append(o)
			}
			for i := range blockStates {
				add(c.of(i))
			}
			level := e.Level()
			for i := range blockStates { // they reuse memory of the level before
				add(Origin{uint32(i), 1, 1})
			}
			l.Expanded(level, e.Level())
			add(Origin{5, 1, 1})
			if got := l.Block(0).brief != nil; got != c.brief {
				t.Errorf("in brief: %v", got)
			}
			for i := range blockStates {
				if got := l.Origin(uint32(i)); got != c.of(i) {
					t.Fatalf("the origin of state %d is %v; want %v", i, got, c.of(i))
				}
				if got := l.Origin(uint32(blockStates + i)); got != (Origin{uint32(i), 1, 1}) {
					t.Fatalf("the origin of state %d, which is not expanded, is %v", blockStates+i, got)
				}
			}
		})
	}
}

// With fingerprints, a state takes less than 16 bytes once its level is expanded: its origin in brief, and its share of
// the set.
func TestFingerprintsTakeSixteenBytes(t *testing.T) {
	l, err := newLedger(1, func(int) int { return 1 << 30 }, nil, &Prints{Bits: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	e, origin, most := l.Entry(), float64(unsafe.Sizeof(brief{}))/blockStates, 0.0
	for n := 1; n <= 400_000; n++ {
		if err := e.Room(1); err != nil {
			t.Fatal(err)
		}
		e.Pack(world.Vector{uint32(n)})
		e.Add(canon.OfString(strconv.Itoa(n)), Origin{})
		if e.Told(); n >= 100_000 {
			most = max(most, origin+float64(l.Set.Bytes())/float64(n))
		}
	}
	if most >= 16 {
		t.Errorf("a state takes up to %.1f bytes", most)
	}
}
