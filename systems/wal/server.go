package wal

import (
	"fmt"
	"strconv"

	"macemc/sim"
)

type (
	put struct{ Value int } // write this number, the successor of the last one
	ack struct{ Value int } // this number is written
)

// The log is in one of two files, first and second. The store has the name of the file in use under
// the key current. If that key is not set, the file first is in use.
const (
	current = "log"
	first   = "a"
	second  = "b"
)

// shortenEvery is the number of records at which the log is shortened.
const shortenEvery = 3

// server holds the register.
type server struct {
	value   int
	log     string // the file in use
	records int    // number of records in it
}

var servers = sim.Handle(sim.OnInit((*server).open), sim.OnMessage((*server).put))

func (s *server) open(env sim.Env) {
	s.log = first
	if name, is := env.Store().Get(current); is {
		s.log = name
	}
	s.replay(env)
}

// record returns the record of a value in the log. A record ends with a dot.
func record(value int) []byte { return []byte(strconv.Itoa(value) + ".") }

// replay reads the log, and cuts off the last record if it is not whole.
func (s *server) replay(env sim.Env) {
	file := env.Store().File(s.log)
	data := file.ReadAll()
	at := 0
	for at+1 < len(data) && data[at+1] == '.' {
		s.value = int(data[at] - '0')
		s.records++
		at += 2
	}
	if env.Bug(WL3) { // takes what there is of the last record for all of it
		if at < len(data) {
			s.value = int(data[at] - '0')
			s.records++
		}
		return
	}
	if at < len(data) {
		file.Truncate(at)
		must(file.Sync())
	}
}

func (s *server) put(env sim.Env, from sim.Addr, m put) {
	switch {
	case m.Value == s.value+1:
		s.write(env, from, m.Value)
	case m.Value <= s.value:
		env.UDP().Send(from, ack{s.value})
	}
}

func (s *server) write(env sim.Env, from sim.Addr, value int) {
	file := env.Store().File(s.log)
	if env.Bug(WL5) { // appends the end of a record by itself
		must(file.Append(record(value)[:1]))
		must(file.Append(record(value)[1:]))
	} else {
		must(file.Append(record(value)))
	}
	s.value = value
	s.records++
	if env.Bug(WL1) { // answers before the record is on the disk
		env.UDP().Send(from, ack{value})
		must(file.Sync())
	} else {
		must(file.Sync())
		env.UDP().Send(from, ack{value})
	}
	if s.records >= shortenEvery {
		s.shorten(env)
	}
}

// shorten replaces the log by one that has a single record, for the present value.
func (s *server) shorten(env sim.Env) {
	store, old := env.Store(), s.log
	s.log, s.records = first, 1
	if old == first {
		s.log = second
	}
	file := store.File(s.log)
	file.Truncate(0) // what a crash within an earlier switch left
	must(file.Append(record(s.value)))
	if !env.Bug(WL2) { // switches to a log that is not on the disk yet
		must(file.Sync())
	}
	if env.Bug(WL4) { // empties the old log before the switch is on the disk
		empty(store.File(old))
		store.Put(current, s.log)
		must(store.Sync())
		return
	}
	store.Put(current, s.log)
	must(store.Sync())
	empty(store.File(old))
}

func empty(file sim.File) {
	file.Truncate(0)
	must(file.Sync())
}

// must panics if err is not nil. Disks do not fail in this system; a server whose sync may fail
// would have more to do.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("wal: the disk fails: %v", err))
	}
}
