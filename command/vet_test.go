package command

import (
	"strings"
	"testing"
)

// The exit status of vet distinguishes what it found from what it could not read.
func TestVetStatus(t *testing.T) {
	for _, c := range []struct {
		pkg, says string
		want      int
	}{
		{"./internal/vet/testdata/good", "", exitNothing},
		{"./internal/vet/testdata/bad", "bad.go:", exitFound},
		{"./internal/vet/testdata/nowhere", "nowhere", exitInput},
	} {
		said, errs, status := inFolder(t, "..", "vet", c.pkg)
		if status != c.want || said != "" || !strings.Contains(errs, c.says) {
			t.Errorf("vet %s: status %d, want %d, stdout %q, and stderr\n%s", c.pkg, status, c.want, said, errs)
		}
	}
}
