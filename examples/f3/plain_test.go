package f3_test

import (
	"strings"
	"testing"

	"github.com/filecoin-project/go-f3/emulator"
	"github.com/filecoin-project/go-f3/gpbft"
)

// Without macemc, by the library's own emulator: a participant that skips to round 1 while
// it is in QUALITY, and proposes another chain than the others, has no acceptable value
// when CONVERGE ends. The alarm returns an error, and sets no other one.
func TestRestsAfterSkippingARound(t *testing.T) {
	base := &gpbft.TipSet{Epoch: 0, Key: []byte("base")}
	mine := &gpbft.TipSet{Epoch: 1, Key: []byte("mine")}
	theirs := &gpbft.TipSet{Epoch: 1, Key: []byte("theirs")}
	var powers gpbft.PowerEntries
	for id := range gpbft.ActorID(4) {
		powers = append(powers, gpbft.PowerEntry{ID: id, Power: gpbft.NewStoragePower(1)})
	}
	driver := emulator.NewDriver(t)
	instance := emulator.NewInstance(t, 0, powers, base, mine)
	driver.AddInstance(instance)
	theirs.PowerTable = mine.PowerTable
	other := instance.Proposal().BaseChain().Append(theirs)

	driver.RequireStartInstance(0)
	driver.RequireQuality()
	for _, sender := range []gpbft.ActorID{1, 2, 3} { // late, or not at all: it makes no difference
		driver.RequireDeliverMessage(&gpbft.GMessage{Sender: sender, Vote: instance.NewQuality(other)})
	}

	// The others have failed in round 0, and go on in round 1.
	since := instance.NewJustification(0, gpbft.COMMIT_PHASE, &gpbft.ECChain{}, 1, 2, 3)
	driver.RequireDeliverMessage(&gpbft.GMessage{
		Sender: 1, Vote: instance.NewConverge(1, other), Justification: since, Ticket: emulator.ValidTicket,
	})
	for _, sender := range []gpbft.ActorID{1, 2} {
		driver.RequireDeliverMessage(&gpbft.GMessage{Sender: sender, Vote: instance.NewPrepare(1, other), Justification: since})
	}
	driver.RequireConverge(1, instance.Proposal(), since) // it has skipped

	if _, err := driver.DeliverAlarm(); err == nil || !strings.Contains(err.Error(), "no values at CONVERGE") {
		t.Fatalf("the alarm at the end of CONVERGE returns %v: the library is mended", err)
	}
	if rang, err := driver.DeliverAlarm(); rang || err != nil {
		t.Fatalf("another alarm was set, and returns %v: the library is mended", err)
	}
}
