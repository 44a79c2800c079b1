package command

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// mdb --serve answers the lines of its input, and ends with them.
func TestServe(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, in, out, errs string
		status              int
	}{
		{"../docs/examples/handshake-HS1 --serve --at 3", `{"id": 1, "op": "do", "line": "next"}` + "\n" + `{"op": "do", "line": "next"}` + "\n",
			`{"id":1,"place":{"branch":"trunk","step":4,"of":4},"answer":{"text":"> 4 ◆ ┝▶✗  n1 lose confirm{} from n0\n"}}` + "\n" +
				`{"id":null,"place":{"branch":"trunk","step":4,"of":4},"error":"there is no step after this one; no event is possible any more"}` + "\n", "", exitNothing},
		{"handshake --serve", `{"op": "do", "line": "quit"}` + "\n" + "never read\n", `{"id":null,"answer":{"text":""}}` + "\n", "", exitNothing},
		{"nothing --serve", "", "", "macemc: nothing is no file, and as a system:", exitInput},
		{"handshake --serve -x next", "", "", "macemc: --serve and -x exclude each other", exitInput},
	} {
		cmd := exec.Command(self, append([]string{"mdb"}, strings.Fields(c.args)...)...)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		var out, errs bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.in), &out, &errs
		_ = cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != c.status || out.String() != c.out || !strings.HasPrefix(errs.String(), c.errs) {
			t.Errorf("mdb %s: status %d, stdout\n%s\nstderr %s", c.args, got, out.String(), errs.String())
		}
	}
}
