package hashiraft

import (
	"encoding/json"
	"errors"
	"sync"

	"github.com/hashicorp/raft"

	"macemc/program"
)

// A store is the log and the variables of a server in one file, which each change
// replaces: written beside it, synced, and renamed.
type store struct {
	mu   sync.Mutex
	disk *program.Disk
	Logs map[uint64]*raft.Log
	Vars map[string][]byte
}

var errNotFound = errors.New("not found") // the text that raft looks for

// open reads the store from the disk.
func open(disk *program.Disk) (*store, error) {
	s := &store{disk: disk, Logs: map[uint64]*raft.Log{}, Vars: map[string][]byte{}}
	text, err := disk.ReadFile("raft")
	if err != nil {
		return s, nil
	}
	return s, json.Unmarshal(text, s)
}

func (s *store) save() error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := s.disk.WriteFile("raft.new", text); err != nil {
		return err
	}
	if err := s.disk.Open("raft.new").Sync(); err != nil {
		return err
	}
	if err := s.disk.Rename("raft.new", "raft"); err != nil {
		return err
	}
	return s.disk.Open("raft").Sync()
}

func (s *store) bounds() (first, last uint64) {
	for i := range s.Logs {
		if first == 0 || i < first {
			first = i
		}
		last = max(last, i)
	}
	return first, last
}

func (s *store) FirstIndex() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, _ := s.bounds()
	return first, nil
}

func (s *store) LastIndex() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, last := s.bounds()
	return last, nil
}

func (s *store) GetLog(index uint64, log *raft.Log) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, is := s.Logs[index]
	if !is {
		return raft.ErrLogNotFound
	}
	*log = *l
	return nil
}

func (s *store) StoreLog(log *raft.Log) error { return s.StoreLogs([]*raft.Log{log}) }

func (s *store) StoreLogs(logs []*raft.Log) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range logs {
		s.Logs[l.Index] = l
	}
	return s.save()
}

func (s *store) DeleteRange(from, to uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := from; i <= to; i++ {
		delete(s.Logs, i)
	}
	return s.save()
}

func (s *store) Set(key, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Vars[string(key)] = value
	return s.save()
}

func (s *store) Get(key []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, is := s.Vars[string(key)]
	if !is {
		return nil, errNotFound
	}
	return value, nil
}

func (s *store) SetUint64(key []byte, value uint64) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.Set(key, text)
}

func (s *store) GetUint64(key []byte) (value uint64, err error) {
	text, err := s.Get(key)
	if err != nil {
		return 0, err
	}
	return value, json.Unmarshal(text, &value)
}
