package handler

import (
	"fmt"
	"strings"

	"macemc/internal/disk"
	"macemc/sim"
	"macemc/trace"
)

// store implements sim.Store for one node, and file implements sim.File for one file in it.
type store struct{ e *Env }

type file struct {
	e    *Env
	name string
}

// RuntimePort says that a store is not part of a node's state: see sight.Port.
func (s *store) RuntimePort() {}

// RuntimePort says that a file is not part of a node's state: see sight.Port.
func (f *file) RuntimePort() {}

func (e *Env) Store() sim.Store {
	e.use("Store")
	return &e.store
}

// write performs a write and adds its effect. It returns the error of the disk.
func (s *Step) write(w disk.Write) error {
	if s.WroteTime() {
		s.running.untold("the store", w.Name+" "+w.Data)
	}
	n, err := s.answer.Write(w)
	e := s.slot()
	switch e.Kind = trace.EffectWrite; {
	case err != nil:
		e.Value = fmt.Sprintf("%s: it fails after %s", w, disk.Bytes(n))
	case s.Tracing:
		e.Value = w.String()
	default: // the text of a disk.Write is made only if it is needed
		e.Value = w
	}
	return err
}

// must performs a write for a method that cannot return an error. If the write fails, the handler ends,
// since the service could not know that the data is missing.
func (s *Step) must(w disk.Write) {
	if err := s.write(w); err != nil {
		s.answer.Fail(fmt.Sprintf("a write to the storage of %s failed: %v", s.running.self, err))
	}
}

// sync syncs a file, or the keys if file is "".
func (s *Step) sync(file string) error {
	err := s.answer.Sync(file)
	e := s.slot()
	if e.Kind, e.Value = trace.EffectSync, disk.Synced(file); err != nil {
		e.Value = fmt.Sprintf("%s: it fails", e.Value)
	}
	return err
}

func (s *store) Get(key string) (string, bool) { return s.e.use("Store.Get").answer.Disk().Get(key) }
func (s *store) Keys() []string                { return s.e.use("Store.Keys").answer.Disk().Keys() }

func (s *store) Files() []string { return s.e.use("Store.Files").answer.Disk().Files() }

func (s *store) Put(key, value string) {
	s.e.use("Store.Put").must(disk.Write{Kind: disk.Put, Name: key, Data: value})
}

func (s *store) Delete(key string) {
	s.e.use("Store.Delete").must(disk.Write{Kind: disk.Delete, Name: key})
}

func (s *store) Sync() error { return s.e.use("Store.Sync").sync("") }

func (s *store) File(name string) sim.File {
	s.e.use("Store.File")
	if name == "" || strings.ContainsAny(name, "/\\") {
		panic(fmt.Sprintf("macemc: env.Store().File(%q): a file has a name without a slash; there are no folders", name))
	}
	return &file{s.e, name}
}

func (f *file) Append(data []byte) error {
	s := f.e.use("Store.Append")
	if len(data) == 0 {
		return nil
	}
	return s.write(disk.Write{Kind: disk.Append, Name: f.name, Data: string(data)})
}

func (f *file) WriteAt(data []byte, offset int) error {
	s := f.e.use("Store.WriteAt")
	if offset < 0 {
		panic(fmt.Sprintf("macemc: File.WriteAt(%d) of %s: an offset is 0 or more", offset, f.name))
	}
	if len(data) == 0 {
		return nil
	}
	return s.write(disk.Write{Kind: disk.Overwrite, Name: f.name, Data: string(data), Size: offset})
}

func (f *file) Sync() error { return f.e.use("Store.Sync").sync(f.name) }

func (f *file) ReadAll() []byte { return []byte(f.e.use("Store.ReadAll").answer.Disk().Read(f.name)) }

func (f *file) Truncate(size int) {
	s := f.e.use("Store.Truncate")
	if n := len(s.answer.Disk().Read(f.name)); size < 0 || size > n {
		panic(fmt.Sprintf("macemc: File.Truncate(%d) of %s: it has %d bytes; Truncate only makes a file shorter", size, f.name, n))
	}
	s.must(disk.Write{Kind: disk.Truncate, Name: f.name, Size: size})
}
