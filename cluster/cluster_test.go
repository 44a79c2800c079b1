package cluster

import (
	"os/exec"
	"strings"
	"testing"
)

// A program without the commands of the cluster does not depend on NATS.
func TestProgramsWithoutItDependOnNoNATS(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "macemc/command", "macemc/macetest").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "nats-io") || !strings.Contains(string(out), "macemc/internal/search\n") {
		t.Errorf("macemc/command depends on NATS, or nothing was listed")
	}
}

// The server listens to other machines only if it can identify them.
func TestOpenServerIsRefused(t *testing.T) {
	for listen, refused := range map[string]bool{"127.0.0.1:4222": false, "localhost:0": false, "[::1]:1": false, "0.0.0.0:4222": true, ":4222": true, "10.0.0.1:1": true} {
		if _, _, err := address("--listen", listen, false, "a token"); (err != nil) != refused {
			t.Errorf("%s: %v", listen, err)
		}
		if _, _, err := address("--listen", listen, true, "a token"); err != nil {
			t.Errorf("%s, secured: %v", listen, err)
		}
	}
}
