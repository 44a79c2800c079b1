package simfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"macemc/sim"
)

// FS is the file system of one node. The zero FS is ready for Mount.
type FS struct {
	// Sector is the number of bytes that the disk writes atomically. 0 means 512.
	Sector int

	env  sim.Env // the Env of the running handler
	made int     // the number of the object that was made last
}

// Mount prepares the file system in a new life of its node. It removes the contents of files
// and directories to which no name leads any more.
func (f *FS) Mount(env sim.Env) {
	f.env, f.made = env, 0
	f.collect()
	for _, id := range f.objects() {
		number, _, _ := strings.Cut(id, "-")
		n, _ := strconv.Atoi(number)
		f.made = max(f.made, n)
	}
}

// Use passes the Env of the current handler to the file system.
func (f *FS) Use(env sim.Env) { f.env = env }

func (f *FS) store() sim.Store {
	if f.env == nil {
		panic("simfs: no handler runs; call Mount in Init, and Use at the beginning of every other handler")
	}
	return f.env.Store()
}

func (f *FS) sector() int {
	if f.Sector == 0 {
		return 512
	}
	return f.Sector
}

// An entry is a name in a directory, with the identity of the object that it stands for. The object
// of a file is a file of the Store, which has the contents. The object of a directory is a key of
// the Store, under which its entries are listed.
type entry struct {
	name string
	dir  bool
	id   string
}

// root is the identity of the root directory's object, which has no number.
const root = "0-root"

func key(dir string) string { return "directory " + dir }

// list reads the entries of a directory, in order.
func (f *FS) list(dir string) (all []entry) {
	text, _ := f.store().Get(key(dir))
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		id, name, _ := strings.Cut(rest, " ")
		all = append(all, entry{name, kind == "d", id})
	}
	return all
}

// write replaces the entries of a directory in one write.
func (f *FS) write(dir string, all []entry) {
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	var text strings.Builder
	for _, e := range all {
		kind := "f"
		if e.dir {
			kind = "d"
		}
		fmt.Fprintf(&text, "%s %s %s\n", kind, e.id, e.name)
	}
	f.store().Put(key(dir), text.String())
}

// fresh returns the identity of a new object. It contains the name only so that people can
// read it.
func (f *FS) fresh(name string) string {
	f.made++
	return fmt.Sprintf("%d-%s", f.made, strings.NewReplacer(" ", "_", "\\", "_").Replace(name))
}

// objects returns the objects that have names, in order.
func (f *FS) objects() (all []string) {
	var walk func(dir string)
	walk = func(dir string) {
		for _, e := range f.list(dir) {
			if all = append(all, e.id); e.dir {
				walk(e.id)
			}
		}
	}
	walk(root)
	slices.Sort(all)
	return slices.Compact(all)
}

// collect removes objects without a name.
func (f *FS) collect() {
	store, live := f.store(), f.objects()
	for _, id := range store.Files() {
		if _, found := slices.BinarySearch(live, id); !found {
			store.File(id).Truncate(0)
			_ = store.File(id).Sync() // if it fails, the next Mount removes it
		}
	}
	for _, k := range store.Keys() {
		id, isDir := strings.CutPrefix(k, key(""))
		if _, found := slices.BinarySearch(live, id); isDir && id != root && !found {
			store.Delete(k)
		}
	}
}

// split returns the elements of a path, which may begin with a slash.
func split(name string) []string {
	name = strings.Trim(path.Clean("/"+name), "/")
	if name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

// find returns the entry to which a path leads. op is the name of the operation, for
// errors.
func (f *FS) find(op, name string) (entry, error) {
	at := entry{".", true, root}
	for _, element := range split(name) {
		if !at.dir {
			return entry{}, &fs.PathError{Op: op, Path: name, Err: errNotDir}
		}
		all := f.list(at.id)
		k := slices.IndexFunc(all, func(e entry) bool { return e.name == element })
		if k < 0 {
			return entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
		at = all[k]
	}
	return at, nil
}

// parent returns the directory of a path with its entries, and the last element of the
// path.
func (f *FS) parent(op, name string) (dir string, all []entry, last string, err error) {
	elements := split(name)
	if len(elements) == 0 || strings.ContainsAny(name, "\n") {
		return "", nil, "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	last = elements[len(elements)-1]
	at, err := f.find(op, path.Join(elements[:len(elements)-1]...))
	switch {
	case err != nil:
		return "", nil, "", &fs.PathError{Op: op, Path: name, Err: errors.Unwrap(err)}
	case !at.dir:
		return "", nil, "", &fs.PathError{Op: op, Path: name, Err: errNotDir}
	}
	return at.id, f.list(at.id), last, nil
}

var (
	errNotDir   = errors.New("not a directory")
	errIsDir    = errors.New("is a directory")
	errNotEmpty = errors.New("directory not empty")
)

func named(name string) func(entry) bool {
	return func(e entry) bool { return e.name == name }
}
