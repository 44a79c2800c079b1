package search

// What the small services of these tests send each other and themselves.
type (
	word int
	ring int
)

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
