package search

// These are the messages and signals of the small services in these tests.
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
