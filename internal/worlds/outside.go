package worlds

import (
	"fmt"
	"runtime"
	"strings"
)

// outside returns an error if there are goroutines before the first world begins, except the caller and
// those of package testing: a tape does not record what other goroutines do.
func outside() error {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	for _, stack := range strings.Split(string(buf), "\n\n") {
		if strings.Contains(stack, "testing.") || strings.Contains(stack, "worlds.outside(") || strings.Contains(stack, "created by os/signal.") {
			continue
		}
		lines := strings.Split(strings.TrimSpace(stack), "\n")
		return fmt.Errorf("a goroutine was started before the body ran: %s; start it in the body, so that the recording has what it does",
			strings.Join(strings.Fields(strings.Join(lines[max(0, len(lines)-2):], " ")), " "))
	}
	return nil
}
