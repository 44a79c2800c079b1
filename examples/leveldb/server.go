package leveldb

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/syndtr/goleveldb/leveldb/journal"
	"macemc/sim"
	"macemc/simfs"
)

const current = "CURRENT" // contains the name of the journal

// server keeps records in one journal.
type server struct {
	fs     simfs.FS
	file   *simfs.File
	writer *journal.Writer
	sizes  []int // the sizes of the records in a batch
	sloppy bool  // does not sync the journal before the switch
}

// put is the request of the application to write a batch.
type put struct{ Number int }

// These are the facts that a server emits. A record is named by its letter and its length.
type (
	began struct{ Records []string } // it begins to write these records
	acked struct{}                   // the records that it has begun to write are synced
	found struct{ Records []string } // the records that it reads when it starts
)

var handlers = sim.Handle(sim.OnInit((*server).begin), sim.OnSignal((*server).put))

func (s *server) begin(env sim.Env) {
	s.fs.Mount(env)
	old, err := s.fs.ReadFile(current)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	var records [][]byte
	if err == nil {
		records = s.read(string(old))
	}
	s.begins(env, string(old), records)
	var told []string
	for _, r := range records {
		told = append(told, tell(r))
	}
	env.Emit(found{told})
}

// read reads a journal up to its torn end. It checks the checksums, and not whether the
// records are the right ones.
func (s *server) read(name string) (all [][]byte) {
	file, err := s.fs.Open(name)
	must(err)
	in := journal.NewReader(file, nil, false, true)
	for {
		record, err := in.Next()
		if err == io.EOF {
			return all
		}
		must(err)
		switch data, err := io.ReadAll(record); {
		case err == io.ErrUnexpectedEOF: // torn, and skipped
		case err != nil:
			panic(err)
		default:
			all = append(all, data)
		}
	}
}

// begins writes a new journal, which begins with the records of the old one, and makes CURRENT name
// the new journal.
func (s *server) begins(env sim.Env, old string, records [][]byte) {
	name := "000001.log"
	if old == name {
		name = "000002.log"
	}
	file, err := s.fs.Create(name)
	must(err)
	s.file, s.writer = file, journal.NewWriter(file)
	for _, r := range records {
		s.append(r)
	}
	must(s.writer.Flush())
	if !s.sloppy {
		must(s.file.Sync())
	}
	must(s.fs.WriteFile(current+".tmp", []byte(name), 0o644))
	tmp, err := s.fs.OpenDir("/")
	must(err)
	temporary, err := s.fs.OpenFile(current+".tmp", 0, 0)
	must(err)
	must(temporary.Sync())
	must(tmp.Sync())
	must(s.fs.Rename(current+".tmp", current))
	must(tmp.Sync())
}

func (s *server) append(data []byte) {
	w, err := s.writer.Next()
	must(err)
	_, err = w.Write(data)
	must(err)
}

func (s *server) put(env sim.Env, p put) {
	s.fs.Use(env)
	var told []string
	for k, size := range s.sizes {
		data := []byte(strings.Repeat(string(rune('a'+(p.Number*len(s.sizes)+k)%26)), size))
		told = append(told, tell(data))
	}
	env.Emit(began{told})
	for k, size := range s.sizes {
		s.append([]byte(strings.Repeat(string(rune('a'+(p.Number*len(s.sizes)+k)%26)), size)))
	}
	must(s.writer.Flush())
	must(s.file.Sync())
	env.Emit(acked{})
}

// tell describes data by the lengths of its runs of equal bytes, for example 512×'a' 256×'b'.
func tell(data []byte) string {
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
		panic(fmt.Sprintf("leveldb: %v", err))
	}
}
