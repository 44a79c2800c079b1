package live

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"macemc/internal/disk"
)

// The storage has its contents when it is opened again, whatever was cut off the end of its
// journal: all writes but the last few, and possibly a part of an append.
func TestStorageSurvivesATornEnd(t *testing.T) {
	dir := t.TempDir()
	s, d, life, err := openStorage(dir)
	if err != nil || life != 0 || len(d.writes()) != 0 {
		t.Fatalf("a new storage: %v, life %d, %v", err, life, d)
	}
	writes := []disk.Write{
		{Kind: disk.Put, Name: "a", Data: "1"}, {Kind: disk.Append, Name: "log", Data: "first;"}, {Kind: disk.Put, Name: "b", Data: ""},
		{Kind: disk.Delete, Name: "a"}, {Kind: disk.Append, Name: "log", Data: "second;"}, {Kind: disk.Truncate, Name: "log", Size: 3},
		{Kind: disk.Append, Name: "log", Data: "third"}, {Kind: disk.Overwrite, Name: "log", Data: "over", Size: 2},
		{Kind: disk.Overwrite, Name: "far", Data: "end", Size: 5}, {Kind: disk.Overwrite, Name: "log", Data: "!", Size: 7},
	}
	for _, w := range writes {
		s.put(w)
	}
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, journalName)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	may := map[string]bool{}
	for k := range len(writes) + 1 {
		c := newContents()
		for _, w := range writes[:k] {
			c.write(w)
		}
		may[told(c)] = true
		if k < len(writes) && (writes[k].Kind == disk.Append || writes[k].Kind == disk.Overwrite) {
			for n := range writes[k].Data {
				torn := c.clone()
				w := writes[k]
				w.Data = w.Data[:n]
				if w.Data != "" {
					torn.write(w)
				}
				may[told(torn)] = true
			}
			torn := c.clone() // all of the data is there, and its checksum is not
			torn.write(writes[k])
			may[told(torn)] = true
		}
	}
	for n := range len(whole) + 1 {
		for _, junk := range []string{"", "\x00\x00\x00", "xyzxyzxyzxyzxyzxyzxyzxyzxyz"} {
			if junk != "" && (n < len(journalMagic) || n%16 > 0) {
				continue
			}
			if err := os.WriteFile(name, append(append([]byte{}, whole[:n]...), junk...), 0o600); err != nil {
				t.Fatal(err)
			}
			s, d, _, err := openStorage(dir)
			if err != nil {
				t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
			}
			if !may[told(d)] && junk == "" {
				t.Fatalf("%d of %d bytes and %q: %s", n, len(whole), junk, told(d))
			}
			was := told(d)
			if err := s.close(); err != nil {
				t.Fatal(err)
			}
			if n%8 > 0 { // opening takes its time, since it syncs
				continue
			}
			if s, d, _, err = openStorage(dir); err != nil || told(d) != was {
				t.Fatalf("what was read back did not stay: %v", err)
			}
			if err := s.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(name, []byte("something else, which is longer"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := openStorage(dir); err == nil {
		t.Error("a file of another kind is opened")
	}
}

func told(c *contents) (text string) {
	for _, w := range c.writes() {
		text += w.String() + "\n"
	}
	return text
}

// A journal that has grown is written anew, with the same contents.
func TestStorageIsWrittenAnew(t *testing.T) {
	s, d, _, err := openStorage(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	data := string(make([]byte, 1000))
	for range rewriteAt / 500 {
		w := disk.Write{Kind: disk.Put, Name: "key", Data: data}
		s.put(w)
		d.write(w)
		if err := errors.Join(s.flush(), s.grown(d)); err != nil {
			t.Fatal(err)
		}
		if s.size > 2*rewriteAt {
			t.Fatal("it grows for ever")
		}
	}
	want := told(d)
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	s, d, _, err = openStorage(s.dir)
	if err != nil || told(d) != want {
		t.Fatalf("%v: other contents", err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
}
