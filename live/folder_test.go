package live

import (
	"path/filepath"
	"testing"
)

// RecordIn makes its folder, with those above it.
func TestRecordInMakesItsFolder(t *testing.T) {
	w, err := RecordIn(filepath.Join(t.TempDir(), "a", "b"))(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
