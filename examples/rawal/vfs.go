package rawal

import (
	"os"
	"path"

	"github.com/hashicorp/raft-wal/types"
	"macemc/simfs"
)

// vfs implements types.VFS by a simulated file system. It syncs a directory when package fs of
// raft-wal does: with the first Sync of a new file, and with Delete.
type vfs struct{ *simfs.FS }

func (v vfs) ListDir(dir string) ([]string, error) { return v.List(dir) }

func (v vfs) Create(dir, name string, size uint64) (types.WritableFile, error) {
	f, err := v.OpenFile(path.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	return &created{File: f, fs: v.FS, dir: dir}, f.Truncate(int64(size))
}

func (v vfs) Delete(dir, name string) error {
	if err := v.Remove(path.Join(dir, name)); err != nil {
		return err
	}
	return v.SyncDir(dir)
}

func (v vfs) OpenReader(dir, name string) (types.ReadableFile, error) {
	return v.OpenFile(path.Join(dir, name), os.O_RDONLY, 0)
}

func (v vfs) OpenWriter(dir, name string) (types.WritableFile, error) {
	return v.OpenFile(path.Join(dir, name), os.O_RDWR, 0)
}

// created is a file that was created in this life of the server.
type created struct {
	*simfs.File
	fs     *simfs.FS
	dir    string
	synced bool
}

func (c *created) Sync() error {
	if err := c.File.Sync(); err != nil || c.synced {
		return err
	}
	c.synced = true
	return c.fs.SyncDir(c.dir)
}
