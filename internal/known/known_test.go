package known

import "testing"

// TestLike checks that a share is alike unless it is significantly smaller.
func TestLike(t *testing.T) {
	for _, c := range []struct {
		share, other Share
		want         bool
	}{
		{Share{5, 6}, Share{5, 5}, true},
		{Share{5, 6}, Share{4, 5}, true},
		{Share{5, 6}, Share{0, 5}, false}, // 6 of 462 ways
		{Share{1, 3}, Share{0, 5}, true},
		{Share{40, 40}, Share{3, 5}, false}, // 10 of 990
		{Share{40, 40}, Share{5, 5}, true},
		{Share{6, 6}, Share{5, 6}, true}, // 6 of 12
	} {
		if got := c.share.Like(c.other); got != c.want {
			t.Errorf("%v like %v is %t, want %t", c.share, c.other, got, c.want)
		}
	}
}
