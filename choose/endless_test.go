package choose

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// endless is a reader without an end.
type endless byte

func (e endless) Read(b []byte) (int, error) {
	copy(b, bytes.Repeat([]byte{byte(e)}, len(b)))
	return len(b), nil
}

// TestParseEndless checks that a file without an end, such as /dev/zero, is refused.
func TestParseEndless(t *testing.T) {
	for want, r := range map[string]io.Reader{
		"not a path file: the first line is ":                                      endless(0),
		"path file has more than 10000 bytes, and macemc writes none of that size": io.MultiReader(strings.NewReader("macemc path 1\n"), endless('a')),
	} {
		if _, err := parseUpTo(r, 10_000); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	if _, err := Parse(endless('\n')); err == nil || !strings.HasPrefix(err.Error(), `not a path file: the first line is ""`) {
		t.Error(err)
	}
}
