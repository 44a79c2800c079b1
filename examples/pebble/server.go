package pebble

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"
	"macemc/sim"
	"macemc/simfs"
)

// server keeps records in one manifest, with a marker that names its file.
type server struct {
	fs     simfs.FS
	marker *atomicfs.Marker
	file   vfs.File
	writer *record.Writer
	number int  // the number of the manifest
	size   int  // the size of the first record of a batch
	early  bool // moves the marker before the manifest is synced
}

// edit is the request of the application to write a batch of records.
type edit struct{ Number int }

// The facts that a server emits. A record is named by its letter and its length.
type (
	began struct{ Records []string } // it begins to write these records
	acked struct{}                   // the records that it has begun to write are synced
	found struct{ Records []string } // the records that it reads when it starts
)

var handlers = sim.Handle(sim.OnInit((*server).begin), sim.OnSignal((*server).edit))

// begin does what DB.Open does: it follows the marker to the manifest, and writes a new one.
func (s *server) begin(env sim.Env) {
	s.fs.Mount(env)
	marker, name, err := atomicfs.LocateMarker(disk{&s.fs}, "/", "manifest")
	must(err)
	s.marker = marker
	must(marker.RemoveObsolete())
	var records [][]byte
	if name != "" {
		records = s.read(name)
		_, err := fmt.Sscanf(name, "MANIFEST-%d", &s.number)
		must(err)
	}
	s.manifest(records)
	if name != "" {
		must(s.fs.Remove(name))
	}
	var all []string
	for _, r := range records {
		all = append(all, runs(r))
	}
	env.Emit(found{all})
}

// read reads the records of a manifest up to its torn end.
func (s *server) read(name string) (all [][]byte) {
	f, err := disk{&s.fs}.Open(name)
	must(err)
	in := record.NewReader(f, 0)
	for {
		r, err := in.Next()
		if err == nil {
			var data []byte
			if data, err = io.ReadAll(r); err == nil {
				all = append(all, data)
				continue
			}
		}
		if err == io.EOF || record.IsInvalidRecord(err) || errors.Is(err, io.ErrUnexpectedEOF) {
			return all
		}
		panic(err)
	}
}

// manifest writes a new manifest with these records, and moves the marker to it.
func (s *server) manifest(records [][]byte) {
	s.number++
	name := fmt.Sprintf("MANIFEST-%06d", s.number)
	f, err := disk{&s.fs}.Create(name, vfs.WriteCategoryUnspecified)
	must(err)
	s.file, s.writer = f, record.NewWriter(f)
	for _, r := range records {
		s.append(r)
	}
	must(s.writer.Flush())
	if !s.early {
		must(s.file.Sync())
	}
	must(s.marker.Move(name))
	if s.early {
		must(s.file.Sync())
	}
}

func (s *server) append(data []byte) {
	w, err := s.writer.Next()
	must(err)
	_, err = w.Write(data)
	must(err)
}

func (s *server) edit(env sim.Env, e edit) {
	s.fs.Use(env)
	var batch [][]byte
	var all []string
	for k, size := range []int{s.size, 300} {
		batch = append(batch, []byte(strings.Repeat(string(rune('a'+(2*e.Number+k)%26)), size)))
		all = append(all, runs(batch[k]))
	}
	env.Emit(began{all})
	for _, r := range batch {
		s.append(r)
	}
	must(s.writer.Flush())
	must(s.file.Sync())
	env.Emit(acked{})
}

// runs describes data as runs of equal bytes.
func runs(data []byte) string {
	var text []string
	for len(data) > 0 {
		n := 1
		for n < len(data) && data[n] == data[0] {
			n++
		}
		text = append(text, fmt.Sprintf("%d×%q", n, data[0]))
		data = data[n:]
	}
	return strings.Join(text, " ")
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("pebble: %v", err))
	}
}
