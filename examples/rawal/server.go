package rawal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/hashicorp/raft-wal/segment"
	"github.com/hashicorp/raft-wal/types"
	"macemc/sim"
	"macemc/simfs"
)

const dir = "wal"

// server keeps one segment.
type server struct {
	fs    simfs.FS
	tail  types.SegmentWriter
	limit int
}

// put is the request of the application to append a batch.
type put struct{ Number int }

// These are the facts that a server emits.
type (
	began struct{ Entries []entry } // it calls Append with these entries
	acked struct{ Last int }        // Append has returned; Last is the index of the last entry
	found struct{ Entries []entry } // the entries that it reads after it has recovered
)

// entry is an entry of the log. Data describes its bytes as runs of equal ones, such as 512×'a'
// 256×0.
type entry struct {
	Index int
	Data  string
}

// runs describes data as runs of equal bytes.
func runs(data []byte) string {
	var text []string
	for len(data) > 0 {
		n := 1
		for n < len(data) && data[n] == data[0] {
			n++
		}
		what := "0"
		if data[0] != 0 {
			what = strconv.QuoteRune(rune(data[0]))
		}
		text = append(text, fmt.Sprintf("%d×%s", n, what))
		data = data[n:]
	}
	return strings.Join(text, " ")
}

var handlers = sim.Handle(sim.OnInit((*server).begin), sim.OnSignal((*server).put))

// info returns the description of the segment that raft-wal would read from its database of
// metadata, which does not exist here.
func (s *server) info() types.SegmentInfo {
	return types.SegmentInfo{ID: 1, BaseIndex: 1, MinIndex: 1, SizeLimit: uint32(s.limit)}
}

// begin does the same as WAL.Open: it recovers the last segment, and creates it if there is
// none.
func (s *server) begin(env sim.Env) {
	s.fs.Mount(env)
	must(s.fs.MkdirAll(dir, 0o755))
	must(s.fs.SyncDir("/"))
	filer := segment.NewFiler(dir, vfs{&s.fs})
	tail, err := filer.RecoverTail(s.info())
	if errors.Is(err, fs.ErrNotExist) {
		tail, err = filer.Create(s.info())
	}
	must(err)
	s.tail = tail
	env.Emit(found{s.read()})
}

// read reads all entries of the log.
func (s *server) read() (all []entry) {
	for i := 1; i <= int(s.tail.LastIndex()); i++ {
		buf, err := s.tail.GetLog(uint64(i))
		must(err)
		all = append(all, entry{i, runs(buf.Bs)})
		must(buf.Close())
	}
	return all
}

// put appends a batch of entries. A choice of the run selects the lengths of these entries from
// shapes.
func (s *server) put(env sim.Env, p put) {
	s.fs.Use(env)
	if sealed, _, err := s.tail.Sealed(); sealed || err != nil {
		return // another segment would begin
	}
	shape := shapes[env.Choose(len(shapes), "which batch")]
	var batch []types.LogEntry
	var told []entry
	for k, size := range shape {
		index, data := int(s.tail.LastIndex())+1+k, bytes.Repeat([]byte{byte('a' + p.Number)}, size)
		told = append(told, entry{index, runs(data)})
		batch = append(batch, types.LogEntry{Index: uint64(index), Data: data})
	}
	env.Emit(began{told})
	must(s.tail.Append(batch))
	env.Emit(acked{told[len(told)-1].Index})
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("rawal: %v", err))
	}
}
