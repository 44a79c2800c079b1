package simfs

import (
	"io/fs"
	"os"
	"path"
	"slices"
)

// Create creates an empty file, or empties an existing one.
func (f *FS) Create(name string) (*File, error) {
	return f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// Open opens a file or a directory for reading.
func (f *FS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := f.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return file, nil
}

// OpenDir opens a directory so that it can be synced.
func (f *FS) OpenDir(name string) (*File, error) {
	file, err := f.OpenFile(name, os.O_RDONLY, 0)
	if err == nil && !file.entry.dir {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotDir}
	}
	return file, err
}

// OpenFile opens a file as os.OpenFile does. Modes are not kept.
func (f *FS) OpenFile(name string, flag int, _ fs.FileMode) (*File, error) {
	writes := flag&(os.O_WRONLY|os.O_RDWR) != 0
	at, err := f.find("open", name)
	switch {
	case err == nil && flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	case err == nil && at.dir && writes:
		return nil, &fs.PathError{Op: "open", Path: name, Err: errIsDir}
	case err == nil:
		file := &File{fs: f, path: name, entry: at, flag: flag}
		if writes && flag&os.O_TRUNC != 0 {
			err = file.Truncate(0)
		}
		return file, err
	case flag&os.O_CREATE == 0:
		return nil, err
	}
	dir, all, last, err := f.parent("open", name)
	if err != nil {
		return nil, err
	}
	made := entry{last, false, f.fresh(last)}
	f.write(dir, append(all, made))
	return &File{fs: f, path: name, entry: made, flag: flag}, nil
}

// Mkdir creates a directory.
func (f *FS) Mkdir(name string, _ fs.FileMode) error {
	dir, all, last, err := f.parent("mkdir", name)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, named(last)) {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	f.write(dir, append(all, entry{last, true, f.fresh(last)}))
	return nil
}

// MkdirAll creates a directory and its missing parents.
func (f *FS) MkdirAll(name string, mode fs.FileMode) error {
	elements := split(name)
	for k := range elements {
		at, err := f.find("mkdir", path.Join(elements[:k+1]...))
		if err != nil {
			err = f.Mkdir(path.Join(elements[:k+1]...), mode)
		} else if !at.dir {
			err = &fs.PathError{Op: "mkdir", Path: name, Err: errNotDir}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Link gives a file an additional name.
func (f *FS) Link(old, name string) error {
	at, err := f.find("link", old)
	if err != nil {
		return err
	}
	dir, all, last, err := f.parent("link", name)
	switch {
	case err != nil:
		return err
	case at.dir:
		return &fs.PathError{Op: "link", Path: old, Err: errIsDir}
	case slices.ContainsFunc(all, named(last)):
		return &fs.PathError{Op: "link", Path: name, Err: fs.ErrExist}
	}
	f.write(dir, append(all, entry{last, false, at.id}))
	return nil
}

// Rename moves a file or a directory. It replaces a file that has the new name.
func (f *FS) Rename(old, name string) error {
	at, err := f.find("rename", old)
	if err != nil {
		return err
	}
	from, _, was, err := f.parent("rename", old)
	if err != nil {
		return err
	}
	to, all, last, err := f.parent("rename", name)
	if err != nil {
		return err
	}
	if k := slices.IndexFunc(all, named(last)); k >= 0 {
		switch there := all[k]; {
		case there.dir || at.dir:
			return &fs.PathError{Op: "rename", Path: name, Err: fs.ErrExist}
		case there.id == at.id:
			return nil
		}
		all = slices.Delete(all, k, k+1)
	}
	if at.dir && f.within(at.id, to) {
		return &fs.PathError{Op: "rename", Path: name, Err: fs.ErrInvalid}
	}
	if from == to {
		all = slices.DeleteFunc(all, named(was))
	}
	f.write(to, append(all, entry{last, at.dir, at.id}))
	if from != to {
		f.write(from, slices.DeleteFunc(f.list(from), named(was)))
	}
	return nil
}

// within reports whether other is the directory dir, or lies in dir at some depth.
func (f *FS) within(dir, other string) bool {
	return dir == other || slices.ContainsFunc(f.list(dir), func(e entry) bool { return e.dir && f.within(e.id, other) })
}

// Remove removes a file or an empty directory.
func (f *FS) Remove(name string) error {
	at, err := f.find("remove", name)
	if err != nil {
		return err
	}
	if at.dir && len(f.list(at.id)) > 0 {
		return &fs.PathError{Op: "remove", Path: name, Err: errNotEmpty}
	}
	return f.unlink(name)
}

// RemoveAll removes a file, or a directory with everything in it. It returns no error if
// there is none.
func (f *FS) RemoveAll(name string) error {
	if _, err := f.find("remove", name); err != nil {
		return nil
	}
	return f.unlink(name)
}

func (f *FS) unlink(name string) error {
	dir, all, last, err := f.parent("remove", name)
	if err != nil {
		return err
	}
	f.write(dir, slices.DeleteFunc(all, named(last)))
	return nil
}

// SyncDir makes the names in a directory durable.
func (f *FS) SyncDir(name string) error {
	at, err := f.find("sync", name)
	switch {
	case err != nil:
		return err
	case !at.dir:
		return &fs.PathError{Op: "sync", Path: name, Err: errNotDir}
	}
	return f.syncNames(name)
}

// syncNames makes all names durable. Objects without a name can be removed then.
func (f *FS) syncNames(name string) error {
	if err := f.store().Sync(); err != nil {
		return &fs.PathError{Op: "sync", Path: name, Err: err}
	}
	f.collect()
	return nil
}

// Stat describes a file or a directory.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	at, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	return f.info(at), nil
}

// ReadDir returns the entries of a directory, in order.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	at, err := f.find("readdir", name)
	switch {
	case err != nil:
		return nil, err
	case !at.dir:
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errNotDir}
	}
	return f.entries(at.id), nil
}

func (f *FS) entries(dir string) (all []fs.DirEntry) {
	for _, e := range f.list(dir) {
		all = append(all, fs.FileInfoToDirEntry(f.info(e)))
	}
	return all
}

// List returns the names in a directory, in order.
func (f *FS) List(name string) (names []string, err error) {
	at, err := f.find("list", name)
	if err == nil && !at.dir {
		err = &fs.PathError{Op: "list", Path: name, Err: errNotDir}
	}
	if err != nil {
		return nil, err
	}
	for _, e := range f.list(at.id) {
		names = append(names, e.name)
	}
	return names, nil
}

// ReadFile returns the contents of a file.
func (f *FS) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	at, err := f.find("read", name)
	switch {
	case err != nil:
		return nil, err
	case at.dir:
		return nil, &fs.PathError{Op: "read", Path: name, Err: errIsDir}
	}
	return f.store().File(at.id).ReadAll(), nil
}

// WriteFile creates a file with these contents, or replaces them. It does not sync.
func (f *FS) WriteFile(name string, data []byte, _ fs.FileMode) error {
	file, err := f.Create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return err
}
