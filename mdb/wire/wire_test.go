package wire

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/transcript"
	"macemc/mdb"
)

const manual = "../../docs/serve.md"

// opened returns a Wire to a finding of docs/examples, or to a system.
func opened(t testing.TB, name string, set mdb.Settings) *Wire {
	t.Helper()
	if example := filepath.Join("../../docs/examples", name); strings.Contains(name, "-") {
		name = example
	}
	s, err := mdb.Opener{Find: catalog.Find, Tool: "macemc"}.Open(name, set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return New(s)
}

// TestTranscripts runs testdata. Its command is
//
//	serve NAME    answer the lines of the input about a finding of docs/examples, or a system
func TestTranscripts(t *testing.T) {
	transcript.RunFresh(t, "testdata", func() transcript.Handler {
		return func(t *testing.T, d *transcript.Data) string {
			transcript.Allow(t, d, d.CmdArgs[0].Key)
			var out strings.Builder
			err := opened(t, d.CmdArgs[0].Key, mdb.Settings{}).Serve(strings.NewReader(d.Input), &out)
			if err != nil {
				out.WriteString("error: " + err.Error() + "\n")
			}
			return out.String()
		}
	})
}

// docs/serve.md is generated from the table of operations, with the answers to its examples.
func TestManual(t *testing.T) {
	w := opened(t, "handshake-HS1", mdb.Settings{})
	want := Manual(func(request string) string { return cut(string(w.Answer([]byte(request)))) })
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(manual, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(manual); err != nil || string(got) != want {
		t.Errorf("%s is stale (%v); run go test ./mdb/wire -run Manual -rewrite", manual, err)
	}
	if strings.Contains(want, `"error"`+":") {
		t.Errorf("an example is answered by an error")
	}
}

// cut shortens the long values in an answer.
func cut(text string) string {
	const most = 420
	if len(text) <= most {
		return text
	}
	return text[:most] + " ..."
}

// Every line of input is answered by one line of JSON that has an answer or an error, and only
// lines that are executed move the session.
func TestAnyRequest(t *testing.T) {
	w := opened(t, "handshake-HS1", mdb.Settings{})
	rng := rand.New(rand.NewPCG(1, 1))
	keys := []string{"op", "line", "step", "from", "to", "branch", "coins", "event", "with", "with_step", "more", "styled", "nothing"}
	values := []string{"1", "0", "-1", "4", "99", "null", "true", "[0]", "{}", `"live"`, `"trunk"`, `"next"`, `"jump 3"`, `"\n"`, "1e99", `"`, "}{", "\x00"}
	errors := 0
	for range 3000 {
		text := `{"op": "` + names()[rng.IntN(len(names()))] + `"`
		for range rng.IntN(3) {
			text += `, "` + keys[rng.IntN(len(keys))] + `": ` + values[rng.IntN(len(values))]
		}
		if text += "}"; rng.IntN(8) == 0 {
			text = text[rng.IntN(len(text)):]
		}
		answer := w.Answer([]byte(text))
		var r Reply
		if err := json.Unmarshal(answer, &r); err != nil || strings.Contains(string(answer), "\n") || (r.Error == "") == (r.Answer == nil) && string(r.ID) != "null" {
			t.Fatalf("%s is answered %s (%v)", text, answer, err)
		}
		if r.Error != "" {
			errors++
		}
	}
	if errors < 100 || errors == 3000 {
		t.Errorf("%d of 3000 requests were errors", errors)
	}
}
