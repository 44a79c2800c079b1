package program

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// dumb is a reference disk: a list with the file of each append, and whether the append is synced.
type dumb []struct {
	name, text string
	synced     bool
}

// after returns what remains of the appends if the given number of unsynced ones at the end
// is lost, the first of them possibly torn.
func (d dumb) after(lost int, torn bool) map[string]string {
	loose := 0
	for _, w := range d {
		if !w.synced {
			loose++
		}
	}
	out := map[string]string{}
	seen := 0
	for _, w := range d {
		text := w.text
		if !w.synced {
			if seen++; seen > loose-lost {
				if text = ""; torn && seen == loose-lost+1 {
					text = w.text[:len(w.text)/2]
				}
			}
		}
		if text != "" {
			out[w.name] += text
		}
	}
	return out
}

// After a crash a disk with some synced appends has the contents that the reference allows.
// If an append is lost and a later one of its file is not, zeros take its place.
func TestCrash(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var log dumb
		type op struct {
			name, text string
			sync       bool
		}
		var ops []op
		for i := range 2 + r.IntN(8) {
			name := string(rune('a' + r.IntN(2)))
			ops = append(ops, op{name, fmt.Sprintf("<%d>", i), r.IntN(3) == 0})
		}
		for _, o := range ops {
			log = append(log, struct {
				name, text string
				synced     bool
			}{o.name, o.text, false})
			if o.sync {
				for i := range log {
					log[i].synced = log[i].synced || log[i].name == o.name
				}
			}
		}
		loose := 0
		for _, w := range log {
			if !w.synced {
				loose++
			}
		}
		for lost := range loose + 1 {
			for _, torn := range []bool{false, true} {
				w := New(t)
				d := w.Host("h").Disk()
				at := map[string]int64{}
				for _, o := range ops { // without Open, since creating a file is a change, too
					d.change(change{kind: 'w', name: o.name, at: int(at[o.name]), data: []byte(o.text)})
					at[o.name] += int64(len(o.text))
					if o.sync {
						(&File{disk: d, name: o.name}).Sync()
					}
				}
				d.survive(lost, torn && lost > 0)
				want := log.after(lost, torn && lost > 0)
				for _, name := range []string{"a", "b"} {
					got, _ := d.ReadFile(name)
					if text := strings.ReplaceAll(string(got), "\x00", ""); text != want[name] {
						t.Fatalf("seed %d, %d lost, torn %v: %s is %q, want %q (%v)", seed, lost, torn, name, text, want[name], ops)
					}
				}
			}
		}
	}
}

// A file is replaced by writing another one, syncing it and renaming it. A crash leaves the
// complete old file or the complete new one.
func TestReplace(t *testing.T) {
	for lost := range 3 {
		w := New(t)
		d := w.Host("h").Disk()
		d.WriteFile("x", []byte("old"))
		d.SyncAll()
		d.WriteFile("x.new", []byte("new"))
		d.Open("x.new").Sync()
		d.Rename("x.new", "x")
		d.survive(min(lost, d.loose()), false)
		if got, err := d.ReadFile("x"); err != nil || string(got) != "old" && string(got) != "new" || lost == 0 && string(got) != "new" {
			t.Errorf("%d lost: %q, %v", lost, got, err)
		}
	}
}
