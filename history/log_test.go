package history

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestLog checks that the histories of a Log are decided as those of a simulated service are.
func TestLog(t *testing.T) {
	l := NewLog(2)
	lost := l.Call(0, "kv", Put{"a", 1}) // the answer is lost: the write may take effect or not
	read := l.Call(1, "kv", Get{"a"})
	l.Return(read, nil)
	read = l.Call(1, "kv", Get{"a"})
	l.Return(read, 1)
	if err := l.Check(Map()); err != nil || l.Returned() != 2 || lost != 0 {
		t.Errorf("a write that took effect between two reads: %v, of %d operations", err, l.Returned())
	}
	read = l.Call(0, "kv", Get{"a"})
	l.Return(read, nil)
	err := l.Check(Map())
	var wrong *NotLinearizable
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "n0 returns nothing from Get a") || !bytes.Contains(wrong.Page, []byte("Get a")) {
		t.Errorf("a read that goes back: %v", err)
	}

	l = NewLog(1)
	for range 60 { // too many operations to try in all orders
		l.Forget(l.Call(0, "kv", Get{"a"}))
	}
	l.Return(l.Call(0, "kv", Put{"a", 1}), nil)
	if err := l.Check(Map()); err != nil || l.Returned() != 1 {
		t.Error("reads that were forgotten: ", err)
	}
}
