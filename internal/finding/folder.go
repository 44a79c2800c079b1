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
	"strings"
	"sync"
)

// Shelf is the folder that contains the folders of findings. The folder of a finding appears there whole or
// not at all, and is never changed afterwards.
type Shelf struct {
	dir string

	mu        sync.Mutex // another goroutine may end the process
	begun     string     // a folder that is being written; "" means none
	release   func()     // releases the lock of that folder
	abandoned bool
}

// NewShelf returns the shelf in the folder dir. The first finding creates that folder. NewShelf removes
// unfinished folders of processes that were killed.
func NewShelf(dir string) *Shelf {
	sweep(dir)
	return &Shelf{dir: dir}
}

// unfinished is how the name of a folder that is being written begins.
const unfinished = ".unfinished-"

// sweep removes those unfinished folders in dir that no process is writing. A process that writes one holds
// a lock on it, which ends with the process.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), unfinished) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		if release, ours := lock(name); ours {
			os.RemoveAll(name)
			release()
		}
	}
}

// File is one file of a finding's folder.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// Put writes a new folder NAME-1, or NAME-2 if that exists, and so on, and returns its name. files gets that
// name, and returns the files to write. If the Write of a file returns an error, Put leaves the file out and
// returns the error together with the folder. But if that is the first file, or if the disk refuses a file, for
// instance since it is full, there is no folder at all.
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
		if err != nil && exists(folder) { // another process has created it meanwhile
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

// try writes all files into an unfinished folder, and then renames that to folder. lacks is the error about
// files that are missing in the folder because their Write failed. If err is not nil, there is no folder.
func (s *Shelf) try(folder string, files []File) (lacks, err error) {
	temporary, err := s.begin()
	if err != nil {
		return nil, err
	}
	defer s.end()
	for i, f := range files {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil && i == 0 {
			return nil, err
		} else if err != nil {
			lacks = errors.Join(lacks, fmt.Errorf("%s cannot be written: %w", filepath.Join(folder, f.Name), err))
			continue
		}
		if err := os.WriteFile(filepath.Join(temporary, f.Name), b.Bytes(), 0o666); err != nil {
			return nil, err
		}
	}
	if err := os.Chmod(temporary, 0o755); err != nil {
		return nil, err
	}
	return lacks, os.Rename(temporary, folder)
}

// begin creates an unfinished folder and locks it. If another process removes the folder before it is
// locked, begin tries again. On systems without locks no process removes a folder of another.
func (s *Shelf) begin() (temporary string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.abandoned {
		return "", errors.New("the process is about to end")
	}
	for range 3 {
		var ours bool
		if s.begun, err = os.MkdirTemp(s.dir, unfinished); err != nil {
			return "", err
		}
		if s.release, ours = lock(s.begun); ours && exists(s.begun) {
			break
		}
		os.RemoveAll(s.begun)
		s.release()
	}
	return s.begun, os.MkdirAll(s.begun, 0o777)
}

// end removes the unfinished folder, unless it was given its name.
func (s *Shelf) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun != "" {
		os.RemoveAll(s.begun)
		s.release()
		s.begun = ""
	}
}

// Abandon removes the unfinished folder before the process ends. Nothing is written after that. s may be
// nil.
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
