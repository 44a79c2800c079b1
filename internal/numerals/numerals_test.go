package numerals

import "testing"

func TestMany(t *testing.T) {
	for want, got := range map[string]string{
		"0 walks": Many(0, "walk"), "1 walk": Many(1, "walk"), "10,000 walks": Many(10_000, "walk"), "2 properties": Many(2, "property"),
		"3 branches": Many(3, "branch"), "5 steps": Range(5, 5, "step"), "128 to 80,000 steps": Range(128, 80_000, "step"),
	} {
		if got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345", 100000: "100,000", 1234567: "1,234,567", -1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456",
	} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) is %s, want %s", n, got, want)
		}
	}
}

// A bound is rounded up, never down.
