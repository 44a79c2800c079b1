package live

import (
	"testing"
	"time"
)

// A node's clock goes as fast as its timers: ten seconds of it are one second with a pace of 0.1.
func TestClockKeepsPace(t *testing.T) {
	c := clock{pace: 0.1, began: time.Now().Add(-time.Hour)}
	if read := c.reading(); read < 10*time.Hour || read > 11*time.Hour {
		t.Errorf("after an hour the clock shows %s", read)
	}
}
