package disk

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"macemc/internal/long"
)

// dumb is a slow and simple disk for comparison: a list of all writes, with the place and the fate of each.
type dumb []written

type written struct {
	Write
	offset int
	synced bool
	failed bool // a sync of it
}

func (d *dumb) sync(of func(Write) bool, fails bool) {
	for i := range *d {
		if w := &(*d)[i]; of(w.Write) && !w.synced && !w.failed {
			w.synced, w.failed = !fails, fails
		}
	}
}

// content returns as text what a list of writes produces, where a file is an array of bytes.
func content(writes []written) string {
	keys, files := map[string]string{}, map[string][]byte{}
	for _, w := range writes {
		switch w.Kind {
		case Put:
			keys[w.Name] = w.Data
		case Delete:
			delete(keys, w.Name)
		case Append, Overwrite:
			file := files[w.Name]
			for len(file) < w.offset+len(w.Data) {
				file = append(file, 0)
			}
			copy(file[w.offset:], w.Data)
			files[w.Name] = file
		case Truncate:
			if len(files[w.Name]) > w.Size {
				files[w.Name] = files[w.Name][:w.Size:w.Size]
			}
		}
	}
	text := map[string]string{}
	for name, file := range files {
		if len(file) > 0 {
			text[name] = string(file)
		}
	}
	return fmt.Sprintf("%q %q", keys, text)
}

// crashes returns all contents that a crash may leave. It tries every fate for every write: lost, kept, or torn in
// half.
func (d dumb) crashes(reorder bool) (all []string) {
	const lost, kept, half = 0, 1, 2
	fates := make([]int, len(d))
	var try func(k, torn int)
	try = func(k, torn int) {
		if k == len(d) {
			if d.possible(fates, reorder) {
				var survive []written
				for i, w := range d {
					if fates[i] == half {
						w.Data = w.Data[:len(w.Data)/2]
					}
					if fates[i] != lost {
						survive = append(survive, w)
					}
				}
				all = append(all, content(survive))
			}
			return
		}
		for fate := lost; fate <= half; fate++ {
			if d[k].synced && fate != kept || fate == half && (d[k].Kind != Append && d[k].Kind != Overwrite || len(d[k].Data) < 2 || torn > 0) {
				continue
			}
			fates[k] = fate
			try(k+1, torn+fate/half)
		}
	}
	try(0, 0)
	return distinct(all)
}

// possible reports whether the documentation of the package allows these fates.
func (d dumb) possible(fates []int, reorder bool) bool {
	gone := false // of the writes that nobody synced, one is lost
	for k, w := range d {
		ordered := !w.synced && !w.failed && !reorder
		if ordered && gone && fates[k] > 0 {
			return false
		}
		gone = gone || ordered && fates[k] != 1
		if fates[k] != 2 {
			continue
		}
		for l := k + 1; l < len(d); l++ {
			if later := d[l]; fates[l] > 0 && later.Name == w.Name && later.ofKey() == w.ofKey() && (w.Kind == Append || changes(later, w)) {
				return false
			}
		}
	}
	return true
}

// changes reports whether a write changes one of the bytes that o overwrites.
func changes(w, o written) bool {
	for at := o.offset; at < o.offset+len(o.Data); at++ {
		if w.Kind == Truncate && at >= w.Size || w.Kind != Truncate && at >= w.offset && at < w.offset+len(w.Data) {
			return true
		}
	}
	return false
}

func distinct(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

// told returns the contents of a disk as text.
func told(d *Disk) string {
	keys, files := map[string]string{}, map[string]string{}
	for _, k := range d.Keys() {
		keys[k], _ = d.Get(k)
	}
	for _, f := range []string{"log", "new"} {
		if data := d.Read(f); data != "" {
			files[f] = data
		}
	}
	return fmt.Sprintf("%q %q", keys, files)
}

// TestCrashesLeaveWhatADumbDiskSays checks, after every prefix of random writes and syncs, that reads see the node's own
// writes, and that a crash may leave exactly the contents that dumb allows.
func TestCrashesLeaveWhatADumbDiskSays(t *testing.T) {
	outcomes := 0
	for seed := range uint64(long.Of(1_000, 50_000)) {
		r := rand.New(rand.NewPCG(seed, 3))
		var d *Disk
		var ref dumb
		reorder, fails := seed%2 == 0, seed%3 == 0
		for step := range 7 {
			failing := fails && r.IntN(2) == 0
			switch k := r.IntN(8); k {
			case 0:
				if failing {
					d = d.FailKeys()
				} else {
					d = d.SyncKeys()
				}
				ref.sync(Write.ofKey, failing)
			case 1:
				file := []string{"log", "new"}[r.IntN(2)]
				if failing {
					d = d.Fail(file)
				} else {
					d = d.Sync(file)
				}
				ref.sync(func(w Write) bool { return !w.ofKey() && w.Name == file }, failing)
			default:
				w := Write{Kind: 1 + Kind(r.IntN(5)), Data: fmt.Sprint(seed%7, step, step)[:1+r.IntN(3)]}
				switch w.Name = []string{"log", "new"}[r.IntN(2)]; w.Kind {
				case Delete:
					w.Data = ""
				case Truncate:
					w.Data, w.Size = "", r.IntN(5)
				case Overwrite:
					w.Size = r.IntN(6)
				}
				before := d
				was := told(before)
				d = d.Write(w)
				if told(before) != was {
					t.Fatalf("seed %d: a write changed the disk before it", seed)
				}
				offset := len(before.Read(w.Name))
				if w.Kind == Overwrite {
					offset = w.Size
				}
				ref = append(ref, written{Write: w, offset: offset})
			}
			if told(d) != content(ref) {
				t.Fatalf("seed %d: the disk shows %s; want %s", seed, told(d), content(ref))
			}
			var left []string
			for _, o := range d.Outcomes(reorder) {
				after := d.Survive(o)
				left = append(left, told(after))
				if after.Loses() {
					t.Fatalf("seed %d: a second crash loses what the first has left", seed)
				}
			}
			outcomes += len(left)
			left = distinct(left)
			if want := ref.crashes(reorder); !reflect.DeepEqual(left, want) {
				t.Fatalf("seed %d: a crash leaves %q; want %q, of %+v", seed, left, want, ref)
			}
		}
	}
	t.Logf("%d outcomes of crashes", outcomes)
}

func TestOutcomesAreTold(t *testing.T) {
	var d *Disk
	d = d.Write(Write{Kind: Append, Name: "log", Data: "first"}).Sync("log")
	d = d.Write(Write{Kind: Put, Name: "at", Data: "1"}).Write(Write{Kind: Append, Name: "log", Data: "again"})
	want := []string{
		`all that was not synced: [[store at "1"] [file log "first" "again"]]`,
		`write 2 of 2 torn after 2 bytes (append "again" to log): [[store at "1"] [file log "first" "ag"]]`,
		`1 of 2 writes that were not synced: [[store at "1"] [file log "first"]]`,
		`nothing that was not synced: [[file log "first"]]`,
	}
	for k, o := range d.Outcomes(false) {
		if got := fmt.Sprintf("%s: %s", d.Told(o), d.Survive(o).Lines()); got != want[k] {
			t.Errorf("outcome %d is %s; want %s", k, got, want[k])
		}
	}
	if got := fmt.Sprint(d.Lines()); got != `[[file log "first"] [unsynced put at = "1"] [unsynced append "again" to log]]` {
		t.Errorf("the disk is %s", got)
	}
	if d.Write(Write{Kind: Delete, Name: "at"}).SyncKeys().Write(Write{Kind: Truncate, Name: "log"}).Sync("log") != nil {
		t.Error("a disk with nothing on it is not the empty one")
	}
}

// TestContentsAreAMap compares contents with a map after random changes, and checks that they are in the order of names
// and that earlier contents have not changed.
func TestContentsAreAMap(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	var now contents[int]
	is := map[string]int{}
	type version struct {
		contents contents[int]
		text     string
	}
	var all []version
	for i := range 2000 {
		name := string(rune('a' + draw.IntN(12)))
		if draw.IntN(5) < 3 {
			now, is[name] = now.set(name, i), i
		} else {
			now = now.unset(name)
			delete(is, name)
		}
		var want contents[int]
		for _, name := range slices.Sorted(maps.Keys(is)) {
			want = append(want, named[int]{name, is[name]})
		}
		if !slices.Equal(now, want) {
			t.Fatalf("after %d changes the contents are %v, want %v", i+1, now, want)
		}
		if got, found := now.get(name); got != is[name] || found != slices.Contains(now, named[int]{name, got}) {
			t.Fatalf("after %d changes %s is %d, %t, in %v", i+1, name, got, found, now)
		}
		all = append(all, version{now, fmt.Sprint(now)})
	}
	for i, v := range all {
		if got := fmt.Sprint(v.contents); got != v.text {
			t.Fatalf("the contents after %d changes were %s, and are %s", i+1, v.text, got)
		}
	}
}
