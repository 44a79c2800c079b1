package choose

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"macemc/internal/transcript"
)

// TestTranscripts runs testdata. Its commands:
//
//	record [answers=(..)]       run a toy service, print its path and keep it
//	replay [identity]           run a toy service along the kept path
//	prefix n=..                 cut the kept path, print it
//	parse [sign]                read a path file; sign: append its right end line
func TestTranscripts(t *testing.T) {
	transcript.RunFresh(t, "testdata", func() transcript.Handler { return new(desk).handle })
}

// desk is what the commands of one transcript share.
type desk struct{ path *Path }

func (k *desk) handle(t *testing.T, d *transcript.Data) string {
	switch d.Cmd {
	case "record":
		transcript.Allow(t, d, "answers")
		return k.record(t, d)
	case "replay":
		transcript.Allow(t, d, "identity")
		return k.replay(t, d)
	case "prefix":
		transcript.Allow(t, d, "n")
		return text(k.path.Prefix(transcript.Int(t, d, "n", 0)))
	case "parse":
		transcript.Allow(t, d, "sign")
		return parsed(d)
	default:
		d.Fatalf(t, "no command %q", d.Cmd)
		return ""
	}
}

func (k *desk) record(t *testing.T, d *transcript.Data) string {
	r := NewRecord(NewFixed(transcript.Ints(t, d, "answers")...))
	out := parseToy(t, d.Input).run(r)
	k.path = r.Path()
	if err := r.Err(); err != nil {
		return out
	}
	return text(k.path)
}

func (k *desk) replay(t *testing.T, d *transcript.Data) string {
	r := NewReplay(k.path)
	r.ByIdentity = d.HasArg("identity")
	out := parseToy(t, d.Input).run(r)
	if r.Err() == nil && !r.Done() {
		out += "not done\n"
	}
	return out
}

// parsed parses a path file and returns its text as WriteTo writes it.
func parsed(d *transcript.Data) string {
	file := d.Input + "\n"
	if d.HasArg("sign") {
		steps := strings.Count(file, "\n1 ") + strings.Count(file, "\n2 ")
		p := &Path{Steps: make([]Step, steps)}
		file += p.endLine(xxhash.Sum64String(file))
	}
	p, err := Parse(strings.NewReader(file))
	if err != nil {
		return err.Error() + "\n"
	}
	if text(p) != file {
		return "read, but written differently:\n" + text(p)
	}
	return fmt.Sprintf("%d fields, %d steps, %d choices\n", len(p.Header), len(p.Steps), p.Choices())
}

func text(p *Path) string {
	var b strings.Builder
	if _, err := p.WriteTo(&b); err != nil {
		return err.Error() + "\n"
	}
	return b.String()
}
