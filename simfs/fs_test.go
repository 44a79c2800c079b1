package simfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"macemc/internal/disk"
	"macemc/internal/long"
	"macemc/sim"
)

// host is the Env of a node that has nothing but a disk.
type host struct {
	sim.Env
	disk *disk.Disk
}

type store struct{ *host }

type stored struct {
	*host
	name string
}

func (h *host) Store() sim.Store { return store{h} }

func (s store) Get(key string) (string, bool) { return s.disk.Get(key) }
func (s store) Put(key, value string) {
	s.host.disk = s.disk.Write(disk.Write{Kind: disk.Put, Name: key, Data: value})
}
func (s store) Delete(key string) {
	s.host.disk = s.disk.Write(disk.Write{Kind: disk.Delete, Name: key})
}
func (s store) Keys() []string            { return s.disk.Keys() }
func (s store) Files() []string           { return s.disk.Files() }
func (s store) Sync() error               { s.host.disk = s.disk.SyncKeys(); return nil }
func (s store) File(name string) sim.File { return stored{s.host, name} }

func (f stored) Append([]byte) error { panic("simfs writes at offsets") }
func (f stored) WriteAt(data []byte, offset int) error {
	f.host.disk = f.disk.Write(disk.Write{Kind: disk.Overwrite, Name: f.name, Data: string(data), Size: offset})
	return nil
}
func (f stored) Sync() error     { f.host.disk = f.disk.Sync(f.name); return nil }
func (f stored) ReadAll() []byte { return []byte(f.disk.Read(f.name)) }
func (f stored) Truncate(size int) {
	f.host.disk = f.disk.Write(disk.Write{Kind: disk.Truncate, Name: f.name, Size: size})
}

func mounted(d *disk.Disk) (*FS, *host) {
	h := &host{disk: d}
	f := &FS{Sector: 8}
	f.Mount(h)
	return f, h
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFSPassesFstest(t *testing.T) {
	f, _ := mounted(nil)
	must(t, f.MkdirAll("logs/old ones", 0o777))
	must(t, f.WriteFile("logs/a.wal", []byte("0123456789"), 0o666))
	must(t, f.WriteFile("logs/old ones/b", nil, 0o666))
	must(t, f.WriteFile("top", []byte("x"), 0o666))
	must(t, fstest.TestFS(f, "logs/a.wal", "logs/old ones/b", "top"))
}

// changer has the methods that a File and an *os.File share here.
type changer interface {
	io.WriterAt
	Truncate(int64) error
}

func TestFilesBehaveLikeOsFiles(t *testing.T) {
	f, _ := mounted(nil)
	real, err := os.OpenRoot(t.TempDir())
	must(t, err)
	defer real.Close()
	names := []string{"a", "b", "d", "d/a", "d/b"}
	failed := 0
	r := rand.New(rand.NewPCG(1, 2))
	for step := range 1_000 {
		name, other, n, m := names[r.IntN(len(names))], names[r.IntN(len(names))], r.IntN(20), r.IntN(20)
		var got, want error
		both := func(do func(changer) error) {
			if file, err := f.OpenFile(name, os.O_RDWR, 0); err != nil {
				got = err
			} else {
				got = do(file)
				must(t, file.Close())
			}
			if file, err := real.OpenFile(name, os.O_RDWR, 0); err != nil {
				want = err
			} else {
				want = do(file)
				must(t, file.Close())
			}
		}
		what := ""
		switch k := r.IntN(8); k {
		case 0:
			what = fmt.Sprint("create ", name)
			file, err := f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
			if got = err; err == nil {
				must(t, file.Close())
			}
			out, err := real.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
			if want = err; err == nil {
				must(t, out.Close())
			}
		case 1:
			name = "d"
			what = fmt.Sprint("mkdir ", name)
			got, want = f.Mkdir(name, 0o777), real.Mkdir(name, 0o777)
		case 2:
			what = fmt.Sprint("rename ", name, " to ", other)
			got, want = f.Rename(name, other), real.Rename(name, other)
		case 3:
			what = fmt.Sprint("remove ", name)
			got, want = f.Remove(name), real.Remove(name)
		case 4:
			what = fmt.Sprint("truncate ", name)
			both(func(file changer) error {
				return file.Truncate(int64(n))
			})
		case 5:
			what = fmt.Sprint("link ", name, " as ", other)
			got, want = f.Link(name, other), real.Link(name, other)
		default:
			what = fmt.Sprint("write ", name)
			both(func(file changer) error {
				_, err := file.WriteAt([]byte(strings.Repeat(string(rune('a'+step%26)), m)), int64(n))
				return err
			})
		}
		if (got == nil) != (want == nil) {
			t.Fatalf("step %d, %s: %v; the system says %v", step, what, got, want)
		}
		if got != nil {
			failed++
		}
		if a, b := dump(t, f), dump(t, real.FS()); a != b {
			t.Fatalf("step %d, %s: %s; the system has %s", step, what, a, b)
		}
	}
	t.Logf("%d of 1,000 calls failed", failed)
}

// dump writes everything in a file system as text.
func dump(t *testing.T, f fs.FS) string {
	var text []string
	must(t, fs.WalkDir(f, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			text = append(text, path)
			return err
		}
		data, err := fs.ReadFile(f, path)
		text = append(text, fmt.Sprintf("%s=%q", path, data))
		return err
	}))
	return strings.Join(text, " ")
}

func TestErrors(t *testing.T) {
	f, h := mounted(nil)
	file, err := f.Create("a")
	must(t, err)
	if _, err := file.WriteAt(nil, -1); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a write before the beginning: %v", err)
	}
	must(t, file.Close())
	if _, err := file.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a write to a closed file: %v", err)
	}
	file, err = f.OpenFile("a", os.O_RDONLY, 0)
	must(t, err)
	if _, err := file.WriteAt([]byte("x"), 0); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a write to a file that is open for reading: %v", err)
	}
	if _, err := f.OpenFile("a", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there is created: %v", err)
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "Mount") {
			t.Errorf("a file system that is not mounted says %s", text)
		}
	}()
	h.disk = nil
	_, _ = (&FS{}).Create("a")
}

// twin is a simple file system for comparison: a list of all writes. A crash assigns a fate to each.
type twin struct {
	all     []change
	names   map[string]int // as the program sees them; those in d begin with d/
	objects int
}

const lost, kept, half = 0, 1, 2

type change struct {
	names  map[string]int // the names in directory dir; nil for a change of a file
	dir    string
	object int
	data   string
	offset int
	size   int // for a truncation
	cut    bool
	synced bool
}

// content returns a file after changes with these fates. If fates is nil, all are kept.
func (w *twin) content(object int, fates []int) string {
	var data []byte
	for k, c := range w.all {
		if c.names != nil || c.object != object || fates != nil && fates[k] == lost {
			continue
		}
		if c.cut {
			data = data[:min(len(data), c.size)]
			continue
		}
		part := c.data
		if fates != nil && fates[k] == half {
			part = part[:len(part)/2]
		}
		for len(data) < c.offset+len(part) {
			data = append(data, 0)
		}
		copy(data[c.offset:], part)
	}
	return string(data)
}

func (w *twin) tree(fates []int) string {
	dirs := map[string]map[string]int{}
	for k, c := range w.all {
		if c.names != nil && (fates == nil || fates[k] != lost) {
			dirs[c.dir] = c.names
		}
	}
	text := []string{".", "d"}
	for _, names := range dirs {
		for name, object := range names {
			text = append(text, fmt.Sprintf("%s=%q", name, w.content(object, fates)))
		}
	}
	slices.Sort(text)
	return strings.Join(text, " ")
}

// named adds the present names of a directory as a write.
func (w *twin) named(dir string) {
	now := map[string]int{}
	for name, object := range w.names {
		if strings.HasPrefix(name, "d/") == (dir == "d") {
			now[name] = object
		}
	}
	w.all = append(w.all, change{names: now, dir: dir})
}

func dirOf(name string) string {
	if strings.HasPrefix(name, "d/") {
		return "d"
	}
	return "."
}

func (w *twin) write(object, offset int, data string, sector int) {
	for len(data) > 0 {
		begin := offset / sector * sector
		n := min(len(data), begin+sector-offset)
		now := w.content(object, nil)
		for len(now) < offset {
			now += "\x00"
		}
		tail := ""
		if len(now) > offset+n {
			tail = now[offset+n : min(len(now), begin+sector)]
		}
		w.all = append(w.all, change{object: object, offset: begin, data: now[begin:offset] + data[:n] + tail})
		offset, data = offset+n, data[n:]
	}
}

// possible reports whether doc.go allows these fates.
func (w *twin) possible(fates []int, reorder bool) bool {
	gone, torn := false, 0
	for k, c := range w.all {
		switch {
		case c.synced && fates[k] != kept, fates[k] == half && (c.names != nil || c.cut || len(c.data) < 2):
			return false
		case !c.synced && !reorder && gone && fates[k] != lost:
			return false
		}
		gone = gone || !c.synced && fates[k] != kept
		if fates[k] != half {
			continue
		}
		if torn++; torn > 1 {
			return false
		}
		for l := k + 1; l < len(w.all); l++ {
			later := w.all[l]
			if fates[l] == lost || later.names != nil || later.object != c.object {
				continue
			}
			if later.cut && later.size < c.offset+len(c.data) || !later.cut && later.offset < c.offset+len(c.data) && c.offset < later.offset+len(later.data) {
				return false
			}
		}
	}
	return true
}

// crashes returns all trees that a crash may leave.
func (w *twin) crashes(reorder bool) (all []string) {
	fates := make([]int, len(w.all))
	var try func(k int)
	try = func(k int) {
		if k == len(fates) {
			if w.possible(fates, reorder) {
				all = append(all, w.tree(fates))
			}
			return
		}
		for fate := lost; fate <= half; fate++ {
			if fates[k] = fate; !w.all[k].synced || fate == kept {
				try(k + 1)
			}
		}
	}
	try(0)
	slices.Sort(all)
	return slices.Compact(all)
}

func (w *twin) unsynced() (n int) {
	for _, c := range w.all {
		if !c.synced {
			n++
		}
	}
	return n
}

func TestCrashesAgreeWithReference(t *testing.T) {
	outcomes := 0
	for seed := range uint64(long.Of(60, 20_000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		f, h := mounted(nil)
		must(t, f.Mkdir("d", 0o777))
		must(t, f.SyncDir("."))
		w := &twin{names: map[string]int{}}
		reorder := seed%2 == 0
		names := []string{"a", "b", "d/a"}
		for range 10 {
			if w.unsynced() > 6 {
				break
			}
			name, other := names[r.IntN(len(names))], names[r.IntN(len(names))]
			object, is := w.names[name]
			switch k := r.IntN(9); {
			case k == 0:
				must(t, f.SyncDir("d"))
				for i := range w.all {
					w.all[i].synced = w.all[i].synced || w.all[i].names != nil
				}
			case !is:
				_, err := f.Create(name)
				must(t, err)
				w.objects++
				w.names[name] = w.objects
				w.named(dirOf(name))
			case k == 1:
				must(t, f.Remove(name))
				delete(w.names, name)
				w.named(dirOf(name))
			case k == 2 && name != other:
				must(t, f.Rename(name, other))
				delete(w.names, name)
				w.names[other] = object
				w.named(dirOf(other))
				if dirOf(name) != dirOf(other) {
					w.named(dirOf(name))
				}
			default:
				file, err := f.OpenFile(name, os.O_RDWR, 0)
				must(t, err)
				size := len(w.content(object, nil))
				switch to := r.IntN(12); {
				case k == 3:
					must(t, file.Sync())
					for i := range w.all {
						w.all[i].synced = w.all[i].synced || w.all[i].names == nil && w.all[i].object == object
					}
				case k == 4:
					must(t, file.Truncate(int64(to)))
					if to < size {
						w.all = append(w.all, change{object: object, size: to, cut: true})
					} else if to > size {
						w.all = append(w.all, change{object: object, offset: to - 1, data: "\x00"})
					}
				default:
					data := strings.Repeat(string(rune('a'+len(w.all))), 1+r.IntN(10))
					_, err := file.WriteAt([]byte(data), int64(to))
					must(t, err)
					w.write(object, to, data, 8)
				}
			}
			if got, want := dump(t, f), w.tree(nil); sorted(got) != sorted(want) {
				t.Fatalf("seed %d: the program sees %s; want %s", seed, got, want)
			}
			var left []string
			for _, o := range h.disk.Outcomes(reorder) {
				after, _ := mounted(h.disk.Survive(o))
				left = append(left, sorted(dump(t, after)))
			}
			outcomes += len(left)
			slices.Sort(left)
			left = slices.Compact(left)
			if want := w.crashes(reorder); !slices.Equal(left, want) {
				t.Fatalf("seed %d: a crash leaves %q; want %q; of %+v", seed, left, want, w.all)
			}
		}
	}
	t.Logf("%d outcomes of crashes", outcomes)
}

func sorted(tree string) string {
	parts := strings.Split(tree, " ")
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

func TestMountRemovesObjectsWithoutNames(t *testing.T) {
	f, h := mounted(nil)
	must(t, f.MkdirAll("d/e", 0o777))
	must(t, f.WriteFile("d/e/a", []byte("old"), 0o666))
	must(t, f.SyncDir("/"))
	must(t, f.RemoveAll("d"))
	must(t, f.SyncDir("/"))
	_, h = mounted(h.disk)
	if files, keys := h.disk.Files(), h.disk.Keys(); len(files) > 0 || len(keys) > 1 {
		t.Errorf("files %q and keys %q are left", files, keys)
	}
}
