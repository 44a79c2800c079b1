package choose

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func samplePath() *Path {
	return &Path{
		Header: []Field{{"system", "randtree"}, {"bug", "RT1"}, {"note", "two\nlines"}, {"bug", "RT2"}},
		Start:  []Choice{{Coin, 3, 2, "root: n2"}},
		Steps: []Step{
			{Event: Choice{Event, 1, 0, "n0 timer"}},
			{Event: Choice{Event, 4, 1, "n1 message"}, Coins: []Choice{{Coin, 2, 0, "child: n2"}, {Coin, 5, 4, ""}}},
		},
	}
}

func TestPathRoundTrip(t *testing.T) {
	p := samplePath()
	got, err := Parse(strings.NewReader(text(p)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, got); diff != "" {
		t.Errorf("written, then read:\n%s", diff)
	}
	if p.Choices() != 4 {
		t.Errorf("%d choices, want 4", p.Choices())
	}
}

func TestPathHeader(t *testing.T) {
	p := samplePath()
	if v, ok := p.Get("bug"); v != "RT1" || !ok {
		t.Errorf("Get: %q, %v", v, ok)
	}
	if v, ok := p.Get("none"); v != "" || ok {
		t.Errorf("Get of what is not there: %q, %v", v, ok)
	}
	p.Set("bug", "RT3")
	p.Set("seed", "7")
	p.Add("seed", "8")
	want := []Field{{"system", "randtree"}, {"bug", "RT3"}, {"note", "two\nlines"}, {"seed", "7"}, {"seed", "8"}}
	if diff := cmp.Diff(want, p.Header); diff != "" {
		t.Errorf("header:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"7", "8"}, p.All("seed")); diff != "" {
		t.Errorf("All:\n%s", diff)
	}
}

// TestPrefixIsOnItsOwn appends to a prefix; the path does not change.
func TestPrefixIsOnItsOwn(t *testing.T) {
	p := samplePath()
	prefix := p.Prefix(1)
	prefix.Set("system", "other")
	prefix.Start = append(prefix.Start, Choice{Kind: Coin})
	prefix.Steps = append(prefix.Steps, Step{})
	if diff := cmp.Diff(samplePath(), p); diff != "" {
		t.Errorf("path after changing its prefix:\n%s", diff)
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, test := range []struct {
		path Path
		want string
	}{
		{Path{Header: []Field{{"a b", ""}}}, `path header has the key "a b"; a key has only printable characters, no space and no colon`},
		{Path{Header: []Field{{"", "x"}}}, `path header has the key ""; a key has only printable characters, no space and no colon`},
		{Path{Start: []Choice{{Coin, 2, 2, "x"}}}, `path line "start" has pick 2 of 2 for "x"; picks are from 0 and below the number of alternatives`},
		{Path{Steps: []Step{{Event: Choice{Event, 2, -1, "x"}}}}, `path line "1" has pick -1 of 2 for "x"; picks are from 0 and below the number of alternatives`},
	} {
		n, err := test.path.WriteTo(io.Discard)
		if n != 0 || err == nil || err.Error() != test.want {
			t.Errorf("err %v, want %s", err, test.want)
		}
	}
}

func TestParseReader(t *testing.T) {
	cause := errors.New("disk on fire")
	if _, err := Parse(iotest.ErrReader(cause)); !errors.Is(err, cause) {
		t.Errorf("err %v, want one of the reader", err)
	}
	if _, err := Parse(strings.NewReader("macemc path 1\r\n\r\n")); err == nil ||
		err.Error() != "path file has lines that end in CR LF; convert it to LF" {
		t.Errorf("err %v", err)
	}
}

// TestDamage changes a path file in every possible place, and checks that Parse always returns an error.
func TestDamage(t *testing.T) {
	whole := text(samplePath())
	for n := range len(whole) - 1 { // the last line feed may be missing
		if _, err := parse(whole[:n]); err == nil {
			t.Errorf("cut after %d bytes, it was read", n)
		}
		damaged := []byte(whole)
		damaged[n] ^= 1
		if _, err := parse(string(damaged)); err == nil {
			t.Errorf("with byte %d changed, it was read", n)
		}
	}
}

func TestKind(t *testing.T) {
	for kind, want := range map[Kind]string{Event: "event", Coin: "coin", 9: "kind(9)"} {
		if kind.String() != want {
			t.Errorf("%d is %q, want %q", uint8(kind), kind, want)
		}
	}
	defer func() {
		if p := recover(); p != "macemc bug: question of kind(9)" {
			t.Errorf("recording an unknown kind: %v", p)
		}
	}()
	NewRecord(NewFixed()).Answer(question(9, "", "a"))
}

// TestFormatExample parses the example in the description of the format.
func TestFormatExample(t *testing.T) {
	source, err := os.ReadFile("encode.go")
	if err != nil {
		t.Fatal(err)
	}
	var example strings.Builder
	for line := range strings.Lines(string(source)) {
		if line == "//\n" || strings.HasPrefix(line, "//\t") {
			example.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "//"), "\t"))
		}
	}
	file := strings.Trim(example.String(), "\n") + "\n"
	p, err := Parse(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if text(p) != file {
		t.Errorf("the example is\n%s, but written it is\n%s", file, text(p))
	}
}

// FuzzParse checks that Parse does not panic, and that a path that was read, written and read again is the
// same. Every text can be an identity. A text can also be a header value, or Parse rejects it as a key.
func FuzzParse(f *testing.F) {
	f.Add(text(samplePath()))
	f.Add(" | ")
	f.Add("\"")
	f.Add("a [0/1] | b")
	f.Add("\xff\x00\u2028")
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(data), "----\n") {
			f.Add(part)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := parse(s); err == nil {
			roundTrip(t, p)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("the error has several lines: %q", err)
		}
		// The same as a body with the right end line.
		p, err := parseBody(s)
		if err == nil {
			roundTrip(t, p)
		}
		p = samplePath()
		p.Add("text", s)
		p.Start[0].What = s
		p.Steps[0].Event.What = s
		p.Steps[1].Coins[0].What = s
		p.Steps[1].Coins[1].What = s + s
		roundTrip(t, p)
		if p.Add(s, ""); isKey(s) {
			roundTrip(t, p)
		}
	})
}

func roundTrip(t *testing.T, p *Path) {
	t.Helper()
	written := text(p)
	got, err := Parse(strings.NewReader(written))
	if err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
	if diff := cmp.Diff(p, got); diff != "" {
		t.Fatalf("%s\n%s", diff, written)
	}
}
