package statelog

import (
	"io"
	"os"
	"path/filepath"
)

// Dir is a directory of the operating system, as an FS.
type Dir string

// Create creates a file, or empties it.
func (d Dir) Create(name string) (File, error) { return os.Create(d.in(name)) }

// Open opens a file for reading.
func (d Dir) Open(name string) (io.ReadCloser, error) { return os.Open(d.in(name)) }

// List returns the names in the directory. A directory that does not exist has none.
func (d Dir) List() (names []string, err error) {
	entries, err := os.ReadDir(string(d))
	if os.IsNotExist(err) {
		return nil, nil
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// Rename gives a file another name.
func (d Dir) Rename(old, name string) error { return os.Rename(d.in(old), d.in(name)) }

// Remove removes a file.
func (d Dir) Remove(name string) error { return os.Remove(d.in(name)) }

// Sync makes the names in the directory durable.
func (d Dir) Sync() error { return syncDir(string(d)) }

func (d Dir) in(name string) string { return filepath.Join(string(d), name) }
