package pebble

import (
	"errors"
	"io"
	"os"
	"path"

	"github.com/cockroachdb/pebble/v2/vfs"
	"macemc/simfs"
)

// disk implements vfs.FS by a simulated file system.
type disk struct{ *simfs.FS }

var _ vfs.FS = disk{}

// file implements vfs.File by a file of the simulated file system.
type file struct{ *simfs.File }

func (d disk) open(name string, flag int) (vfs.File, error) {
	f, err := d.OpenFile(name, flag, 0o644)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

func (d disk) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return d.open(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

func (d disk) Open(name string, _ ...vfs.OpenOption) (vfs.File, error) {
	return d.open(name, os.O_RDONLY)
}

func (d disk) OpenReadWrite(name string, _ vfs.DiskWriteCategory, _ ...vfs.OpenOption) (vfs.File, error) {
	return d.open(name, os.O_RDWR|os.O_CREATE)
}

func (d disk) OpenDir(name string) (vfs.File, error) {
	f, err := d.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

func (d disk) ReuseForWrite(old, name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	if err := d.Rename(old, name); err != nil {
		return nil, err
	}
	return d.open(name, os.O_RDWR)
}

func (d disk) Stat(name string) (vfs.FileInfo, error) {
	info, err := d.FS.Stat(name)
	if err != nil {
		return nil, err
	}
	return about{info}, nil
}

func (d disk) Lock(string) (io.Closer, error)                 { return nil, errors.ErrUnsupported }
func (d disk) GetDiskUsage(string) (u vfs.DiskUsage, _ error) { return u, errors.ErrUnsupported }
func (d disk) PathBase(name string) string                    { return path.Base(name) }
func (d disk) PathJoin(elem ...string) string                 { return path.Join(elem...) }
func (d disk) PathDir(name string) string                     { return path.Dir(name) }
func (d disk) Unwrap() vfs.FS                                 { return nil }

func (f file) Preallocate(int64, int64) error { return nil }
func (f file) SyncTo(int64) (bool, error)     { return true, f.Sync() }
func (f file) SyncData() error                { return f.Sync() }
func (f file) Prefetch(int64, int64) error    { return nil }
func (f file) Fd() uintptr                    { return vfs.InvalidFd }

func (f file) Stat() (vfs.FileInfo, error) {
	info, err := f.File.Stat()
	if err != nil {
		return nil, err
	}
	return about{info}, nil
}

// about implements vfs.FileInfo, the attributes of a file.
type about struct{ os.FileInfo }

func (about) DeviceID() (id vfs.DeviceID) { return id }
