package finding

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// files returns two files whose content is the folder's name.
func files(folder string) []File {
	tell := func(w io.Writer) error {
		_, err := io.WriteString(w, folder)
		return err
	}
	return []File{{"first", tell}, {"second", tell}}
}

// all lists what stands below a folder, with a slash after folders.
func all(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		name, err = filepath.Rel(dir, name)
		if d.IsDir() {
			name += "/"
		}
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func expect(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := all(t, dir); !slices.Equal(got, want) {
		t.Errorf("there stands %q, want %q", got, want)
	}
}

// TestPutNeverOverwrites: Put never replaces an existing folder or file, not even an empty folder. The
// files that it writes get the name of their folder.
func TestPutNeverOverwrites(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "shelf")
	if err := os.MkdirAll(filepath.Join(dir, "f-1"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f-2"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s := NewShelf(dir)
	for _, want := range []string{"f-3", "f-4"} {
		folder, err := s.Put("f", files)
		text, _ := os.ReadFile(filepath.Join(folder, "second"))
		if err != nil || folder != filepath.Join(dir, want) || string(text) != folder {
			t.Errorf("%s, %v, and it tells %s", folder, err, text)
		}
	}
	expect(t, dir, "f-1/", "f-2", "f-3/", "f-3/first", "f-3/second", "f-4/", "f-4/first", "f-4/second")
}

// TestPutRaces: if another process creates a folder of the same name while the files are made, Put takes
// the next number.
func TestPutRaces(t *testing.T) {
	dir := t.TempDir()
	calls := 0
	folder, err := NewShelf(dir).Put("f", func(folder string) []File {
		if calls++; calls == 1 {
			if err := os.MkdirAll(filepath.Join(folder, "other"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		return files(folder)
	})
	if err != nil || folder != filepath.Join(dir, "f-2") {
		t.Errorf("%s, %v", folder, err)
	}
	expect(t, dir, "f-1/", "f-1/other/", "f-2/", "f-2/first", "f-2/second")
}

// TestPutFails: a file whose Write fails is left out. If it is the first file, there is no folder.
func TestPutFails(t *testing.T) {
	broken := errors.New("broken")
	half := func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of it")
		return broken
	}
	dir := t.TempDir()
	folder, err := NewShelf(dir).Put("f", func(folder string) []File { return append(files(folder), File{"third", half}) })
	if folder == "" || !errors.Is(err, broken) || !strings.Contains(err.Error(), filepath.Join(folder, "third")) {
		t.Errorf("%q, %v", folder, err)
	}
	expect(t, dir, "f-1/", "f-1/first", "f-1/second")

	dir = t.TempDir()
	folder, err = NewShelf(dir).Put("f", func(folder string) []File { return append([]File{{"zeroth", half}}, files(folder)...) })
	if folder != "" || !errors.Is(err, broken) {
		t.Errorf("%q, %v", folder, err)
	}
	expect(t, dir)

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := NewShelf(filepath.Join(file, "below")).Put("f", files); err == nil || !strings.HasPrefix(err.Error(), "the finding cannot be written: ") {
		t.Error(err)
	}
}

// TestPutWhole: if the disk does not take a file, there is no folder at all, rather than one with some of
// its files.
func TestPutWhole(t *testing.T) {
	dir := t.TempDir()
	folder, err := NewShelf(dir).Put("f", func(folder string) []File {
		return append(files(folder), File{"no/third", func(io.Writer) error { return nil }}) // a name that cannot be stored
	})
	if folder != "" || err == nil || !strings.HasPrefix(err.Error(), "the finding cannot be written: ") {
		t.Errorf("%q, %v", folder, err)
	}
	expect(t, dir)
}

// TestSweep: a new shelf removes the unfinished folder of a process that was killed, and keeps that of a
// process which is still writing.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".unfinished-7", "error.path"), 0o777); err != nil {
		t.Fatal(err)
	}
	if release, ours := lock(dir); !ours {
		t.Skip("folders have no locks here")
	} else {
		release()
	}
	_, err := NewShelf(dir).Put("f", func(folder string) []File {
		NewShelf(dir) // another search begins
		return append(files(folder), File{"third", func(io.Writer) error {
			NewShelf(dir)
			return nil
		}})
	})
	if err != nil {
		t.Error(err)
	}
	expect(t, dir, "f-1/", "f-1/first", "f-1/second", "f-1/third")
	NewShelf(filepath.Join(dir, "nothing")) // makes nothing
	expect(t, dir, "f-1/", "f-1/first", "f-1/second", "f-1/third")
}

// TestAbandon: if a process abandons its shelf before it ends, it leaves no unfinished folder.
func TestAbandon(t *testing.T) {
	dir := t.TempDir()
	s := NewShelf(dir)
	_, err := s.Put("f", func(folder string) []File {
		return append(files(folder), File{"third", func(io.Writer) error {
			if n := len(all(t, dir)); n != 3 {
				t.Errorf("%d files and folders", n)
			}
			s.Abandon()
			expect(t, dir)
			return nil
		}})
	})
	if err == nil {
		t.Error("no error")
	}
	expect(t, dir)
	if _, err := s.Put("f", files); err == nil {
		t.Error("something is written after all")
	}
	expect(t, dir)
}
