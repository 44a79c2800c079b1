package command

import (
	"path/filepath"
	"strings"
	"testing"
)

// A path that an earlier version wrote replays, or one line says why it does not. The files were made by
// hand from a path of the handshake: as the first versions wrote it, with fewer keys (old, short), with a key that is
// no more (retired), of another format (version0), and of a service that has changed since: a message has
// another name (renamed), or a state fewer events (fewer).
func TestPathsOfEarlierVersions(t *testing.T) {
	want := map[string]string{
		"old":      `handshake with HS1: dead after 4 steps: "both are connected" can no longer hold`,
		"short":    "handshake with HS1: nothing failed in 4 steps",
		"retired":  `the path's header says strategy: "depth-first", which this version does not know; it knows `,
		"version0": "this path file has version 0; this macemc reads version 1: use the macemc that wrote it, or record it again",
		"renamed":  `replay diverged at step 2: recorded "n1 message greeting{} from n0 by udp" (pick 0 of 4), which is not possible now; possible are: `,
		"fewer":    `replay diverged at step 4: recorded "n1 lose confirm{} from n0" (pick 1 of 2), which is now pick 1 of 3: `,
	}
	files, err := filepath.Glob("testdata/earlier/*.path")
	if err != nil || len(files) != len(want) {
		t.Fatalf("there are %d files, want %d: %v", len(files), len(want), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".path")
		stdout, stderr, status := execute("replay", file)
		text, is := strings.CutPrefix(stderr, "macemc: "+file+": ")
		if stderr == "" {
			text, is = stdout, status == 0
		} else {
			is = is && status == exitInput && stdout == "" && strings.Count(stderr, "\n") == 1
		}
		if !is || !strings.HasPrefix(text, want[name]) {
			t.Errorf("%s: status %d, printed %q and %q; want %q", name, status, stdout, stderr, want[name])
		}
	}
}
