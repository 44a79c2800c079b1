package command

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// If a report cannot be written, the command does not end as a success, whatever it has found, and one line
// gives the reason.
func TestPrintedToNowhere(t *testing.T) {
	t.Chdir(t.TempDir())
	put("junk", "")
	for _, c := range []struct {
		line   string
		status int
	}{
		{"list", exitInput},
		{"list --help", exitInput},
		{"bugs", exitInput},
		{"search handshake --depth 2 --no-walks --quiet", exitInput},
		{"search handshake --depth 2 --no-walks --quiet --json", exitInput},
		{"search handshake --bug HS1 --quiet --no-shrink", exitFound},
		{"replay macemc-findings/handshake-HS1-1", exitInput},
		{"graph macemc-findings/handshake-HS1-1", exitInput},
		{"mdb macemc-findings/handshake-HS1-1 -x show", exitInput},
	} {
		var errs bytes.Buffer
		tool := &tool{Program: whole(), calling: calling{Name: "macemc"}, stdout: full{}, stderr: &errs, getenv: func(string) string { return "" }}
		status := tool.run(words(c.line))
		if want := "macemc: some of the output could not be written: no space left on device\n"; status != c.status || errs.String() != want {
			t.Errorf("%s: exit %d, want %d; standard error is %q", c.line, status, c.status, errs.String())
		}
	}
}

// A device or a pipe is written to, and not replaced by a file; a search whose files
// cannot be written does not end as if all was well.
func TestDevices(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	info, err := os.Stat("/dev/full")
	if err != nil || info.Mode().IsRegular() {
		t.Skip("there is no /dev/full")
	}
	// Replacing a link would replace the link, and not its file.
	link := filepath.Join(folder, "full")
	if err := os.Symlink("/dev/full", link); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--junit", "--sarif"} {
		_, errs, status := execute("search", "handshake", "--depth", "2", "--no-walks", "--quiet", flag, link)
		if status != exitInput || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "no space left on device") {
			t.Errorf("%s: exit %d, %q", flag, status, errs)
		}
		if at, err := os.Lstat(link); err != nil || at.Mode()&os.ModeSymlink == 0 {
			t.Fatalf("%s replaced the device", flag)
		}
	}
}
