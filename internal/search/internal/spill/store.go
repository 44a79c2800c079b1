package spill

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"
)

// File is a file that is written from its beginning to its end, and read at any position.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// Store holds the files of one search. Several goroutines may read blocks at the same time.
type Store struct {
	Create func(path string) (File, error) // creates a file: os.Create, unless a test replaces it

	dir    string
	blocks *file
	names  int // number of files made so far

	mu  sync.Mutex // guards the following fields
	err error
	now int64 // total size of all files, in bytes
}

const suffix = ".spill"

// Open creates the directory dir and returns an empty store whose files are in it.
func Open(dir string) (*Store, error) {
	s := &Store{dir: dir, Create: func(path string) (File, error) { return os.Create(path) }}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return s, s.clean()
}

// clean removes the files of this store, and those that a killed process has left in its directory.
func (s *Store) clean() error {
	left, err := os.ReadDir(s.dir)
	for _, e := range left {
		if strings.HasSuffix(e.Name(), suffix) && err == nil {
			err = os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
	return err
}

// Close removes all files of the store.
func (s *Store) Close() error {
	if s.blocks != nil {
		s.blocks.Close()
	}
	err := s.clean()
	_ = os.Remove(s.dir) // somebody else may have a file there
	return err
}

// Bytes returns the total size of the files in bytes.
func (s *Store) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Err returns the first error of the disk, or nil.
func (s *Store) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// fails records err as the store's first error, if there was none before, and returns the first
// error. The text doing says what could not be done.
func (s *Store) fails(doing string, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("states that do not fit into memory cannot be %s, in %s: %w", doing, s.dir, err)
	}
	return s.err
}

// file is a file and its size in bytes.
type file struct {
	File
	path string
	end  int64
}

func (s *Store) create() (*file, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	s.names++
	path := filepath.Join(s.dir, fmt.Sprint(s.names, suffix))
	f, err := s.Create(path)
	if err != nil {
		return nil, s.fails("written", err)
	}
	return &file{File: f, path: path}, nil
}

// append writes bytes at the end of a file.
func (s *Store) append(f *file, b []byte) error {
	if err := s.Err(); err != nil {
		return err
	}
	n, err := f.Write(b)
	f.end += int64(n)
	s.mu.Lock()
	s.now += int64(n)
	s.mu.Unlock()
	if err != nil {
		return s.fails("written", err)
	}
	return nil
}

// read reads the bytes at a position of a file.
func (s *Store) read(f *file, at int64, into []byte) error {
	if err := s.Err(); err != nil {
		return err
	}
	if _, err := f.ReadAt(into, at); err != nil {
		return s.fails("read back", err)
	}
	return nil
}

// damaged records the error that the bytes at a position of a file differ from what was written.
func (s *Store) damaged(f *file, at int64) error {
	return s.fails("read back", fmt.Errorf("%s is damaged at byte %d; remove the directory %s and search again", filepath.Base(f.path), at, s.dir))
}

// remove closes a file and removes it.
func (s *Store) remove(f *file) error {
	f.Close()
	s.mu.Lock()
	s.now -= f.end
	s.mu.Unlock()
	if err := os.Remove(f.path); err != nil {
		return s.fails("removed", err)
	}
	return nil
}

const sumLength = 8

// Write appends a block, and returns its position for Read.
func (s *Store) Write(block []byte) (at int64, err error) {
	if s.blocks == nil {
		if s.blocks, err = s.create(); err != nil {
			return 0, err
		}
	}
	at = s.blocks.end
	return at, s.append(s.blocks, append(block, binary.LittleEndian.AppendUint64(nil, xxh3.HashSeed(block, uint64(at)))...))
}

// Read reads a block of n bytes at a position that Write returned.
func (s *Store) Read(at int64, n int) (block []byte, err error) {
	block = make([]byte, n+sumLength)
	if err := s.read(s.blocks, at, block); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint64(block[n:]) != xxh3.HashSeed(block[:n], uint64(at)) {
		return nil, s.damaged(s.blocks, at)
	}
	return block[:n], nil
}
