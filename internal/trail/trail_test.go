package trail

import (
	"slices"
	"testing"

	"macemc/choose"
)

// TestTrail checks that one Trail reads what another one has written to the same file.
func TestTrail(t *testing.T) {
	held, err := New()
	if err != nil {
		t.Skip(err)
	}
	written, err := Open(held.File())
	if err != nil {
		t.Fatal(err)
	}
	over, under := written.Slot(), written.Slot()
	picks := append(under.Picks(), choose.Pick{Of: 3, Pick: 2}, choose.Pick{Pick: 7})
	under.Weather(true, 5)
	under.Stands(len(picks))
	over.Leave()
	written.Note([]byte("how far"))
	runs := held.Runs()
	if len(runs) != 1 || !slices.Equal(runs[0].Picks, picks) || !runs[0].Faults || runs[0].Heal != 5 || !runs[0].Whole {
		t.Errorf("under way are %+v", runs)
	}
	if again := RunOf(runs[0].Bytes()); !slices.Equal(again.Picks, picks) || !again.Faults || again.Heal != 5 || !again.Whole {
		t.Errorf("as bytes and back it is %+v", again)
	}
	under.Stands(picksMost + 1)
	if held.Runs()[0].Whole {
		t.Error("a run of which answers were left out is called whole")
	}
	if _, ok := held.Ended(); ok || string(held.Noted()) != "how far" {
		t.Errorf("noted is %q, and it has ended", held.Noted())
	}
	written.End(1)
	if status, ok := held.Ended(); !ok || status != 1 {
		t.Errorf("it ended with status %d", status)
	}
	for range slots - 1 {
		written.Slot()
	}
	if written.Slot() != nil || (*Trail)(nil).Slot() != nil {
		t.Error("there is a slot too many")
	}
}
