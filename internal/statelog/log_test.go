package statelog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macemc/internal/disk"
	"macemc/internal/long"
	"macemc/sim"
	"macemc/simfs"
)

// host is the Env of a node that has only a disk. It calls changed after each change of the disk.
type host struct {
	sim.Env
	disk    *disk.Disk
	changed func(*disk.Disk)
}

func (h *host) set(d *disk.Disk) {
	h.disk = d
	if h.changed != nil {
		h.changed(d)
	}
}

func (h *host) Store() sim.Store { return store{h} }

type store struct{ *host }

func (s store) Get(key string) (string, bool) { return s.disk.Get(key) }
func (s store) Put(key, value string) {
	s.set(s.disk.Write(disk.Write{Kind: disk.Put, Name: key, Data: value}))
}
func (s store) Delete(key string)         { s.set(s.disk.Write(disk.Write{Kind: disk.Delete, Name: key})) }
func (s store) Keys() []string            { return s.disk.Keys() }
func (s store) Files() []string           { return s.disk.Files() }
func (s store) Sync() error               { s.set(s.disk.SyncKeys()); return nil }
func (s store) File(name string) sim.File { return stored{s.host, name} }

type stored struct {
	*host
	name string
}

func (f stored) Append([]byte) error { panic("simfs writes at offsets") }
func (f stored) WriteAt(data []byte, offset int) error {
	f.set(f.disk.Write(disk.Write{Kind: disk.Overwrite, Name: f.name, Data: string(data), Size: offset}))
	return nil
}
func (f stored) Sync() error     { f.set(f.disk.Sync(f.name)); return nil }
func (f stored) ReadAll() []byte { return []byte(f.disk.Read(f.name)) }
func (f stored) Truncate(size int) {
	f.set(f.disk.Write(disk.Write{Kind: disk.Truncate, Name: f.name, Size: size}))
}

// simulated is a directory on a simulated disk, as an FS.
type simulated struct{ fs *simfs.FS }

func (s simulated) Create(name string) (File, error)        { return s.fs.Create(name) }
func (s simulated) Open(name string) (io.ReadCloser, error) { return s.fs.Open(name) }
func (s simulated) List() ([]string, error)                 { return s.fs.List(".") }
func (s simulated) Rename(old, name string) error           { return s.fs.Rename(old, name) }
func (s simulated) Remove(name string) error                { return s.fs.Remove(name) }
func (s simulated) Sync() error                             { return s.fs.SyncDir(".") }

func mounted(d *disk.Disk, changed func(*disk.Disk)) (FS, *host) {
	h := &host{disk: d}
	f := &simfs.FS{Sector: 64}
	f.Mount(h)
	h.changed = changed
	return simulated{f}, h
}

// content is the contents of a log, as its records. A checkpoint contains all records before it.
type content []string

func (c content) text() []byte { return []byte(strings.Join(c, ",")) }

// recovered reads a log, and returns its contents.
func recovered(fs FS) (all content, l *Log, rec *Recovered, err error) {
	l, rec, err = Recover(fs, Reader{
		Header: func(h []byte) error {
			if string(h) != "the header" {
				return fmt.Errorf("the header is %q", h)
			}
			return nil
		},
		Checkpoint: func(text []byte) error {
			if all = nil; len(text) > 0 {
				all = strings.Split(string(text), ",")
			}
			return nil
		},
		Record: func(kind Kind, text []byte) error {
			if kind != KindRecord+Kind(len(text)%3) {
				return fmt.Errorf("the record %q has the kind %d", text, kind)
			}
			all = append(all, string(text))
			return nil
		},
	})
	return all, l, rec, err
}

// user appends to a log as a script says, and knows which records were appended and how many were committed.
type user struct {
	log       *Log
	all       content
	committed int
}

func (u *user) append(t *testing.T) {
	text := fmt.Sprintf("%d:%s", len(u.all), strings.Repeat("x", len(u.all)*7%40))
	u.all = append(u.all, text)
	must(t, u.log.Append(KindRecord+Kind(len(text)%3), []byte(text)))
}

func (u *user) commit(t *testing.T) {
	must(t, u.log.Commit())
	u.committed = len(u.all)
}

func (u *user) checkpoint(t *testing.T) {
	must(t, u.log.Checkpoint(u.all.text()))
	u.committed = len(u.all)
}

// run executes a script, in which a letter stands for a record, a commit or a checkpoint.
func (u *user) run(t *testing.T, script string) {
	for _, c := range script {
		switch c {
		case 'r':
			u.append(t)
		case 'c':
			u.commit(t)
		case 'C':
			u.checkpoint(t)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryCrashLeavesAPrefix checks that a crash at any write of a log leaves a prefix of the appended records, with all
// that were committed, and that the same holds for a crash of the process that recovers the log.
func TestEveryCrashLeavesAPrefix(t *testing.T) {
	outcomes := 0
	for _, script := range []string{"rrcrC", "rcCrrcCrcC", "CrrrcrrcCC"}[:long.Of(2, 3)] {
		for _, reorder := range []bool{false, true} {
			u := &user{}
			seen := map[string]bool{}
			var crash func(d *disk.Disk, deep int)
			crash = func(d *disk.Disk, deep int) {
				if d.TooMany(reorder) > 0 {
					t.Fatalf("%s: too many writes are open to list the outcomes of a crash", script)
				}
				for _, o := range d.Outcomes(reorder) {
					after := d.Survive(o)
					outcomes++
					fs, h := mounted(after, nil)
					all, l, _, err := recovered(fs)
					if errors.Is(err, ErrNone) && u.committed == 0 && len(u.all) == 0 {
						continue // it was never begun
					}
					if err != nil {
						t.Fatalf("%s, a crash that leaves %s: %v", script, d.Told(o), err)
					}
					if n := len(all); n < u.committed || n > len(u.all) || !slices.Equal(all, u.all[:n]) {
						t.Fatalf("%s, a crash that leaves %s: %q was recovered; appended was %q, committed %d", script, d.Told(o), all, u.all, u.committed)
					}
					key := fmt.Sprint(deep, h.disk)
					if seen[key] {
						continue
					}
					seen[key] = true
					if deep == 0 { // the one who goes on may crash, too
						h.changed = func(d *disk.Disk) { crash(d, 1) }
					}
					must(t, l.Checkpoint(all.text()))
					h.changed = nil
					must(t, l.Append(KindRecord, []byte("new")))
					must(t, l.Commit())
					if again, _, rec, err := recovered(fs); err != nil || rec.Damaged() || !slices.Equal(again, append(all, "new")) {
						t.Fatalf("%s: %q after it went on from %q: %v", script, again, all, err)
					}
				}
			}
			fs, _ := mounted(nil, func(d *disk.Disk) { crash(d, 0) })
			l, err := Create(fs, []byte("the header"), nil)
			must(t, err)
			u.log = l
			u.run(t, script)
		}
	}
	t.Logf("%d outcomes of crashes", outcomes)
}

// written writes a log to a directory of the operating system by a script, and returns the directory.
func written(t *testing.T, script string) (dir string, u *user) {
	t.Helper()
	dir = t.TempDir()
	l, err := Create(Dir(dir), []byte("the header"), nil)
	must(t, err)
	u = &user{log: l}
	u.run(t, script)
	must(t, l.Close())
	return dir, u
}

// TestDamageIsNoticed changes each byte of a segment, and cuts the segment at each place. Recover must return a prefix of
// the records or an error, so that no record in the middle is lost without notice.
func TestDamageIsNoticed(t *testing.T) {
	dir, u := written(t, "rrcCrrrcrrc")
	newest := filepath.Join(dir, segmentName(2))
	whole, err := os.ReadFile(newest)
	must(t, err)
	refused, passed := 0, 0
	try := func(what string, text []byte) {
		must(t, os.WriteFile(newest, text, 0o666))
		all, _, rec, err := recovered(Dir(dir))
		if err != nil {
			refused++
			return
		}
		if rec.Passed > 0 {
			passed++
		}
		if n := len(all); n > len(u.all) || !slices.Equal(all, u.all[:n]) {
			t.Fatalf("%s: %q was recovered of %q", what, all, u.all)
		}
		if len(all) < len(u.all) && !rec.Damaged() && len(text) == len(whole) {
			t.Fatalf("%s: %q was recovered of %q, and nobody said that it is damaged", what, all, u.all)
		}
		if len(all) == len(u.all) {
			t.Fatalf("%s: the damage was not noticed", what)
		}
	}
	for i := range whole {
		for bit := range long.Of(1, 8) {
			text := slices.Clone(whole)
			text[i] ^= 1 << bit
			try(fmt.Sprintf("bit %d of byte %d", bit, i), text)
		}
		try(fmt.Sprintf("cut at %d", i), whole[:i])
	}
	if refused > 0 || passed == 0 { // the segment before leads to the checkpoint
		t.Errorf("%d were refused, and %d passed over to the segment before", refused, passed)
	}
}

// TestRecordsAreChained checks that a record which is removed, repeated or replaced by another is noticed, though each
// frame is intact.
func TestRecordsAreChained(t *testing.T) {
	dir, u := written(t, "rrrrc")
	name := filepath.Join(dir, segmentName(1))
	whole, err := os.ReadFile(name)
	must(t, err)
	at := func(k int) int { return strings.Index(string(whole), u.all[k]) - frameLength }
	end := func(k int) int { return at(k) + frameLength + len(u.all[k]) }
	for what, text := range map[string][]byte{
		"taken out": slices.Concat(whole[:at(1)], whole[end(1):]),
		"doubled":   slices.Concat(whole[:end(1)], whole[at(1):]),
		"exchanged": slices.Concat(whole[:at(1)], whole[at(2):end(2)], whole[at(1):end(1)], whole[end(2):]),
	} {
		must(t, os.WriteFile(name, text, 0o666))
		all, _, rec, err := recovered(Dir(dir))
		must(t, err)
		if n := len(all); n < 1 || n > 2 || !slices.Equal(all, u.all[:n]) || !rec.Damaged() {
			t.Errorf("%s: %q was recovered; want the records before", what, all)
		}
	}
}

// full is a disk that accepts a limited number of bytes.
type full struct {
	FS
	left int
}

type fullFile struct {
	File
	of *full
}

var errFull = errors.New("no space left on device")

func (f *full) Create(name string) (File, error) {
	file, err := f.FS.Create(name)
	return fullFile{file, f}, err
}

func (f fullFile) Write(b []byte) (int, error) {
	n := min(len(b), f.of.left)
	f.of.left -= n
	if _, err := f.File.Write(b[:n]); err != nil || n == len(b) {
		return n, err
	}
	return n, errFull
}

// TestFullDisk checks that, wherever the disk becomes full, the log returns an error and accepts nothing more, and that
// the disk has a prefix with which a later process can continue.
func TestFullDisk(t *testing.T) {
	for left := range 400 {
		fs, _ := mounted(nil, nil)
		short := &full{fs, left}
		var all content
		l, err := Create(short, []byte("the header"), nil)
		begun := err == nil
		for err == nil && len(all) < 12 {
			all = append(all, fmt.Sprint("record ", len(all)))
			err = l.Append(KindRecord+Kind(len(all[len(all)-1])%3), []byte(all[len(all)-1]))
			if err == nil {
				err = l.Commit()
			}
			if err == nil && len(all) == 6 {
				err = l.Checkpoint(all.text())
			}
		}
		switch {
		case err == nil:
			continue
		case !errors.Is(err, errFull):
			t.Fatalf("%d bytes: %v", left, err)
		case begun && (l.Append(KindRecord, nil) == nil || l.Commit() == nil || l.Checkpoint(nil) == nil):
			t.Fatalf("%d bytes: a log that failed takes more", left)
		}
		got, again, _, err := recovered(fs)
		if !begun && errors.Is(err, ErrNone) {
			continue
		}
		must(t, err)
		if len(got) < len(all)-1 || !slices.Equal(got, all[:len(got)]) {
			t.Fatalf("%d bytes: %q was recovered of %q", left, got, all)
		}
		must(t, again.Checkpoint(got.text()))
	}
}

// TestSegments checks that segments before the last two are removed, that a segment which was not completed is ignored, and
// that Create returns an error for a directory that has a log.
func TestSegments(t *testing.T) {
	dir, u := written(t, "rCrCrCr")
	must(t, os.WriteFile(filepath.Join(dir, segmentName(9)+unfinished), []byte(magic), 0o666))
	if all, _ := segments(Dir(dir)); !slices.Equal(all, []int{3, 4}) {
		t.Errorf("segments %d are there, want 3 and 4", all)
	}
	if all, _, rec, err := recovered(Dir(dir)); err != nil || rec.Damaged() || !slices.Equal(all, u.all) {
		t.Errorf("%q was recovered of %q: %v", all, u.all, err)
	}
	if _, err := Create(Dir(dir), nil, nil); err == nil {
		t.Error("a log was begun where there is one")
	}
	for _, n := range []int{3, 4} {
		must(t, os.Truncate(filepath.Join(dir, segmentName(n)), 20))
	}
	if _, _, _, err := recovered(Dir(dir)); err == nil || !strings.Contains(err.Error(), "all 2 segments") {
		t.Errorf("a log of which nothing is whole: %v", err)
	}
}

// TestLock checks that only one process can use a directory.
func TestLock(t *testing.T) {
	dir := Dir(filepath.Join(t.TempDir(), "new", "state"))
	unlock, err := dir.Lock()
	must(t, err)
	if _, err := dir.Lock(); err == nil {
		t.Error("a second one has it")
	}
	unlock()
	unlock, err = dir.Lock()
	must(t, err)
	unlock()
}

func BenchmarkRecover(b *testing.B) {
	dir := Dir(b.TempDir())
	l, err := Create(dir, []byte("the header"), nil)
	if err != nil {
		b.Fatal(err)
	}
	record := make([]byte, 8192) // a thousand fingerprints
	const records = 2000
	for range records {
		if err := l.Append(KindRecord, record); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(records * int64(len(record)))
	for b.Loop() {
		if _, rec, err := Recover(dir, Reader{
			Header: func([]byte) error { return nil }, Checkpoint: func([]byte) error { return nil }, Record: func(Kind, []byte) error { return nil },
		}); err != nil || rec.Records != records {
			b.Fatal(rec, err)
		}
	}
	b.ReportMetric(float64(records*len(record)/8)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfp/s")
}
