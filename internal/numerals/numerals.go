package numerals

import (
	"strconv"
	"strings"
)

// Count writes a number with separators, as in 10,000.
func Count(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// Many writes a number with its noun: 1 walk, 10,000 walks, 2 properties.
func Many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	plural := noun + "s"
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		plural = stem + "ies"
	} else if strings.HasSuffix(noun, "ch") {
		plural = noun + "es"
	}
	return Count(n) + " " + plural
}

// Range writes a range of numbers with their noun: 5 steps, 128 to 10,000 steps.
func Range(low, high int, noun string) string {
	if low == high {
		return Many(high, noun)
	}
	return Count(low) + " to " + Many(high, noun)
}
