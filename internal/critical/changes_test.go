package critical

import (
	"slices"
	"testing"
)

// TestStepsMoveWithTheirCauses: delay moves a step together with the steps that it causes, and hasten moves a
// step together with the steps that caused it. Both keep the order of these steps.
func TestStepsMoveWithTheirCauses(t *testing.T) {
	causes := map[int]int{2: 0, 4: 2, 5: 1, 6: 4} // 0 causes 2, 2 causes 4, and 4 causes 6; 1 causes 5
	cause := func(k int) int {
		if of, is := causes[k]; is {
			return of
		}
		return -1
	}
	run := []int{0, 1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		name      string
		got, want []int
	}{
		{"delayed", delay(run, 0, 5, cause), []int{1, 3, 5, 0, 2, 4, 6}},
		{"delayed, and not beyond", delay(run, 2, 3, cause), []int{0, 1, 3, 2, 4, 5, 6}},
		{"hastened", hasten(run, 0, 6, cause), []int{0, 2, 4, 6, 1, 3, 5}},
		{"hastened, and not beyond", hasten(run, 3, 6, cause), []int{0, 1, 2, 4, 6, 3, 5}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
