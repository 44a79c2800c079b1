package command

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
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
		{"nothing --serve", "", "", "macemc: there is no file nothing, and it is no system either:", exitInput},
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

// mdb --web and search --web print the address of a page, which answers until somebody quits.
func TestExplore(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	for args, status := range map[string]int{
		"mdb ../docs/examples/handshake-HS1 --web": exitNothing, "search handshake --bug HS1 --quiet --no-lines --web --out " + out: exitFound,
		"search handshake --bug HS1 --quiet --no-lines --web --in-process --out " + out: exitFound,
	} {
		cmd := exec.Command(self, strings.Fields(args)...)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		said, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		url := ""
		lines := bufio.NewScanner(said)
		for url == "" && lines.Scan() {
			url = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\w+/`).FindString(lines.Text())
		}
		for _, line := range []string{"show", "quit"} {
			got, err := http.Post(url+"ask", "application/json", strings.NewReader(`{"op": "do", "line": "`+line+`"}`))
			if err != nil {
				t.Errorf("%s: %s: %v", args, line, err)
				_ = cmd.Process.Kill()
				break
			}
			if text, _ := io.ReadAll(got.Body); !strings.Contains(string(text), `"answer"`) {
				t.Errorf("%s: %s is answered %s", args, line, text)
			}
			got.Body.Close()
		}
		_, _ = io.Copy(io.Discard, said)
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != status {
			t.Errorf("%s: %v; want the status %d", args, err, status)
		}
	}
}
