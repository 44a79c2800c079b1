package quic

import (
	"testing"
	"time"

	"github.com/quic-go/quic-go/bridge"
)

// The pacer multiplies the bandwidth, which is unlimited before the first round trip was measured, by a time,
// and the product overflows. So at the time at which it says that the next packet may be sent, that packet may
// not be sent. The test passes as long as the library has this bug.
func TestPacerOverflows(t *testing.T) {
	sent, _ := bridge.New()
	start := time.Unix(1000, 0)
	now := start
	packets := 0
	for ; sent.SendMode(now) == bridge.SendAny; packets++ {
		bridge.Send(sent, now, &bridge.Ping{}, nil)
	}
	if sent.SendMode(now) != bridge.SendLater {
		t.Fatalf("after %d packets the sender is not limited by its pacer", packets)
	}
	for range 100 {
		now = sent.TimeUntilSend()
		if sent.SendMode(now) != bridge.SendLater {
			t.Fatalf("it may send at %s after the last packet: mended", now.Sub(start))
		}
	}
	free := 0
	for at := now; at.Before(now.Add(time.Millisecond)); at = at.Add(time.Microsecond) {
		if sent.SendMode(at) == bridge.SendAny {
			free++
		}
	}
	t.Logf("after %d packets, %s after the last one it may not send; of the 1,000 microseconds from there it may in %d", packets, now.Sub(start), free)
}
