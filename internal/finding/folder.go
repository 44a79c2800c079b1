package finding

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// Shelf is where the folders of findings stand. A folder appears there whole
// or not at all, and nothing that stands there is ever changed.
type Shelf struct {
	dir string

	mu        sync.Mutex // the one who ends the process may be another goroutine
	begun     string     // a folder that is being written; "": none
	abandoned bool
}

// NewShelf is the shelf in a folder, which is made with the first finding.
func NewShelf(dir string) *Shelf { return &Shelf{dir: dir} }

// File is one file of a folder.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// Put writes a new folder NAME-1, or NAME-2 if there is one, and so on. It asks
// for the files when it knows the folder's name, which it returns. A file that
// cannot be made is left out, and its error told with the folder; without the
// first file there is no folder.
func (s *Shelf) Put(name string, files func(folder string) []File) (folder string, err error) {
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return "", unwritten(err)
	}
	for n := 1; ; n++ {
		folder = filepath.Join(s.dir, name+"-"+strconv.Itoa(n))
		if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return "", unwritten(err)
			}
			continue
		}
		lacks, err := s.try(folder, files(folder))
		if err != nil && exists(folder) { // somebody else was faster
			continue
		}
		if err != nil {
			return "", unwritten(err)
		}
		return folder, lacks
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func unwritten(err error) error { return fmt.Errorf("the finding cannot be written: %w", err) }

// try writes all files beside the folder, and then gives it its name.
func (s *Shelf) try(folder string, files []File) (lacks, err error) {
	temporary, err := s.begin()
	if err != nil {
		return nil, err
	}
	defer s.end()
	for i, f := range files {
		err := write(filepath.Join(temporary, f.Name), f.Write)
		if err != nil && i == 0 {
			return nil, err
		}
		if err != nil {
			lacks = errors.Join(lacks, fmt.Errorf("%s cannot be written: %w", filepath.Join(folder, f.Name), err))
		}
	}
	if err := os.Chmod(temporary, 0o755); err != nil {
		return nil, err
	}
	return lacks, os.Rename(temporary, folder)
}

// write makes a file of what is written at once: one that fails on the way
// leaves none.
func write(name string, fill func(io.Writer) error) error {
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o666)
}

func (s *Shelf) begin() (temporary string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.abandoned {
		return "", errors.New("the process ends")
	}
	s.begun, err = os.MkdirTemp(s.dir, ".unfinished-")
	return s.begun, err
}

// end takes away what was not given its name.
func (s *Shelf) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun != "" {
		os.RemoveAll(s.begun)
		s.begun = ""
	}
}

// Abandon takes away what is not whole yet, before the process ends. Nothing is
// written after it. A nil shelf has nothing.
func (s *Shelf) Abandon() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandoned = true
	if s.begun != "" {
		os.RemoveAll(s.begun)
	}
}
