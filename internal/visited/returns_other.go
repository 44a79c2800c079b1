//go:build race || !linux

package visited

// returns leaves the memory to Words.Close.
func returns([]uint64) {}

// spread leaves it to the system how large the pages of a table are.
func spread([]byte) {}
