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

// dumb is a disk that remembers all that was ever written to it, and which of it
// was synced.
type dumb []struct {
	Write
	synced bool
}

func (d *dumb) sync(of func(Write) bool) {
	for i := range *d {
		(*d)[i].synced = (*d)[i].synced || of((*d)[i].Write)
	}
}

// content is what a list of writes makes, as text.
func content(writes []Write) string {
	keys, files := map[string]string{}, map[string]string{}
	for _, w := range writes {
		switch w.Kind {
		case Put:
			keys[w.Name] = w.Data
		case Delete:
			delete(keys, w.Name)
		case Append:
			files[w.Name] += w.Data
		case Truncate:
			if len(files[w.Name]) > w.Size {
				files[w.Name] = files[w.Name][:w.Size]
			}
		}
	}
	maps.DeleteFunc(files, func(_, data string) bool { return data == "" })
	return fmt.Sprint(keys, files)
}

// crashes are all contents that a crash may leave: what was synced, and the others
// up to one, of which half may survive.
func (d dumb) crashes() (all []string) {
	open := 0
	for _, w := range d {
		if !w.synced {
			open++
		}
	}
	for keep := range open + 1 {
		for _, half := range []bool{false, true} {
			var survive []Write
			seen := 0
			for _, w := range d {
				at := seen
				if !w.synced {
					seen++
				}
				switch {
				case w.synced || at < keep:
					survive = append(survive, w.Write)
				case at == keep && half && w.Kind == Append:
					w.Data = w.Data[:len(w.Data)/2]
					survive = append(survive, w.Write)
				}
			}
			all = append(all, content(survive))
		}
	}
	return distinct(all)
}

func distinct(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

// told is what a disk shows.
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
	return fmt.Sprint(keys, files)
}

// TestCrashesLeaveWhatADumbDiskSays: after every prefix of random writes and syncs,
// reads see the node's own writes, and a crash leaves exactly what is allowed.
func TestCrashesLeaveWhatADumbDiskSays(t *testing.T) {
	outcomes := 0
	for seed := range uint64(long.Of(1_000, 50_000)) {
		r := rand.New(rand.NewPCG(seed, 3))
		var d *Disk
		var ref dumb
		for step := range 8 {
			switch k := r.IntN(8); k {
			case 0:
				d = d.SyncKeys()
				ref.sync(Write.ofKey)
			case 1:
				file := []string{"log", "new"}[r.IntN(2)]
				d = d.Sync(file)
				ref.sync(func(w Write) bool { return !w.ofKey() && w.Name == file })
			default:
				w := Write{Kind: 1 + Kind(r.IntN(4)), Data: fmt.Sprint(seed%7, step, step)[:1+r.IntN(3)]}
				switch w.Name = []string{"log", "new"}[r.IntN(2)]; w.Kind {
				case Delete:
					w.Data = ""
				case Truncate:
					w.Data, w.Size = "", r.IntN(5)
				}
				before := d
				was := told(before)
				d = d.Write(w)
				if told(before) != was {
					t.Fatalf("seed %d: a write changed the disk before it", seed)
				}
				ref = append(ref, struct {
					Write
					synced bool
				}{w, false})
			}
			var all []Write
			for _, w := range ref {
				all = append(all, w.Write)
			}
			if told(d) != content(all) {
				t.Fatalf("seed %d: the disk shows %s; want %s", seed, told(d), content(all))
			}
			var left []string
			for k := range d.Outcomes() {
				after := d.Survive(k)
				left = append(left, told(after))
				if after.Outcomes() != 1 {
					t.Fatalf("seed %d: a second crash loses what the first has left", seed)
				}
			}
			outcomes += len(left)
			if left = distinct(left); !reflect.DeepEqual(left, ref.crashes()) {
				t.Fatalf("seed %d: a crash leaves %q; want %q, of %+v", seed, left, ref.crashes(), ref)
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
		`all that was not synced: [[store at "1"] [file log "firstagain"]]`,
		`write 2 of 2 torn after 2 bytes (append "again" to log): [[store at "1"] [file log "firstag"]]`,
		`1 of 2 writes that were not synced: [[store at "1"] [file log "first"]]`,
		`nothing that was not synced: [[file log "first"]]`,
	}
	for k := range d.Outcomes() {
		if got := fmt.Sprintf("%s: %s", d.Told(k), d.Survive(k).Lines()); got != want[k] {
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
