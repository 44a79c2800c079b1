package raft

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	core "go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"macemc/sim"
)

// The timers.
type (
	campaign  struct{} // no leader was heard of for too long
	heartbeat struct{} // a leader's: it is time to be heard of
)

// propose is the application's request that a command be replicated, and the
// timer by which it asks again.
type propose struct{ command string }

// What a Ready asks for is done in three tasks, so that a slow disk and a
// crash can come between any two.
type (
	save  struct{}
	sync  struct{} // with storage=files
	send  struct{}
	apply struct{}
)

// The facts.
type (
	elected struct{ term uint64 }
	applied struct {
		index, term uint64
		command     string
	}
)

const (
	heartbeatEvery = 100 * time.Millisecond
	electionAfter  = time.Second
	electionApart  = 200 * time.Millisecond // no two servers have the same patience
	askAgainAfter  = 500 * time.Millisecond
)

// outOfReach is how many ticks raft's own election timeout is: its random
// part comes from a global generator, and no run could be repeated if it
// mattered. The service's timer campaign stands in for it.
const outOfReach = 1 << 30

// server drives one RawNode.
//
// One Ready at a time is in hand. It was accepted, what it asks for is being
// done, one task after the other in the order of todo, and then raft is told by
// Advance. Messages and timers go to raft all the while; what they cause is in
// the next Ready.
type server struct {
	id        uint64
	all       []sim.Addr // the server with the id i is all[i-1]
	proposals int        // that all servers are asked for, together

	disk  *core.MemoryStorage // what a crash leaves; only save writes it
	files bool                // a picture of what a crash leaves: see files.go

	// The rest is memory.
	node    *core.RawNode
	journal *journal
	ready   core.Ready   // in hand
	todo    []sim.Signal // its tasks that are not done; the first is posted

	term  uint64 // as of the last Ready, like the next two
	lead  uint64 // the leader's id; core.None
	leads bool   // it is this server
	log   []string
}

// newServer is a server in its first life, or, with the disk of the last, in a
// later one.
func newServer(p sim.Params, self sim.Addr, disk *core.MemoryStorage) *server {
	all := p.Addrs()
	return &server{
		id: uint64(slices.Index(all, self)) + 1, all: all, proposals: p.Int(Proposals),
		disk: disk, files: p.Word(Storage) == "files", journal: new(journal),
	}
}

// blank is a disk on which is nothing but who the voters are.
func blank(p sim.Params) *core.MemoryStorage {
	var voters []uint64
	for i := range p.Addrs() {
		voters = append(voters, uint64(i)+1)
	}
	disk := core.NewMemoryStorage()
	must(disk.ApplySnapshot(&pb.Snapshot{Metadata: &pb.SnapshotMetadata{ConfState: &pb.ConfState{Voters: voters}}}))
	return disk
}

// Init starts raft from what is on the disk. Commands are applied again from
// the first: the log is in memory.
func (s *server) Init(env sim.Env) {
	s.journal.env = env
	if s.files {
		s.replay(env)
	}
	hard, _, err := s.disk.InitialState()
	must(err)
	if env.Bug(RF2) && hard != nil {
		must(s.disk.SetHardState(&pb.HardState{Term: hard.Term, Commit: hard.Commit}))
	}
	s.term = hard.GetTerm()
	s.node, err = core.NewRawNode(&core.Config{
		ID: s.id, Storage: s.disk, Logger: s.journal,
		HeartbeatTick: 1, ElectionTick: outOfReach,
		MaxSizePerMsg: math.MaxUint64, MaxInflightMsgs: 16,
	})
	must(err)
	env.After(s.patience(), campaign{})
	s.proceed(env)
}

// Deliver hands raft a message.
func (s *server) Deliver(env sim.Env, _ sim.Addr, m sim.Message) {
	s.journal.env = env
	switch m := m.(type) {
	case wire:
		s.step(env, m)
	default:
		panic(fmt.Sprintf("raft: no case for the message %T", m))
	}
	s.proceed(env)
}

// Handle takes a timer, a request or a task.
func (s *server) Handle(env sim.Env, signal sim.Signal) {
	s.journal.env = env
	switch signal := signal.(type) {
	case campaign:
		env.After(s.patience(), campaign{})
		must(s.node.Campaign())
	case heartbeat:
		env.After(heartbeatEvery, heartbeat{})
		s.node.Tick()
	case propose:
		s.propose(env, signal)
	case save:
		s.save(env)
		s.done(env)
	case sync:
		must(env.Store().File(logName).Sync())
		s.done(env)
	case send:
		s.send(env)
		s.done(env)
	case apply:
		s.apply(env)
		s.done(env)
	default:
		panic(fmt.Sprintf("raft: no case for the signal %T", signal))
	}
	s.proceed(env)
}

func (s *server) step(env sim.Env, w wire) {
	m, err := w.decode()
	must(err)
	if env.Tracing() {
		env.Logf("gets %s", describe(m))
	}
	if err := s.node.Step(m); err != nil && !errors.Is(err, core.ErrProposalDropped) {
		panic(fmt.Sprintf("raft: %s: %v", describe(m), err))
	}
	if m.GetFrom() == s.lead {
		env.After(s.patience(), campaign{})
	}
}

// propose asks until the command is applied: a proposal is lost with the
// leader that took it, and nobody says so.
func (s *server) propose(env sim.Env, p propose) {
	if slices.Contains(s.log, p.command) {
		return
	}
	err := s.node.Propose([]byte(p.command))
	if err != nil && !errors.Is(err, core.ErrProposalDropped) {
		panic(fmt.Sprintf("raft: proposing %q: %v", p.command, err))
	}
	if err == nil && env.Bug(RF3) {
		return
	}
	env.After(askAgainAfter, p)
}

// proceed takes the next Ready in hand, if there is one and none is.
func (s *server) proceed(env sim.Env) {
	for len(s.todo) == 0 && s.node.HasReady() {
		s.accept(env)
		if len(s.todo) > 0 {
			env.Post(s.todo[0])
		} else {
			s.advance()
		}
	}
}

// accept takes a Ready in hand and notes what is to be done for it. Raft's
// contract: what it gives to save is on the disk before a message of the same
// Ready is sent, for the message may say that it is.
func (s *server) accept(env sim.Env) {
	s.ready = s.node.Ready()
	if !core.IsEmptySnap(s.ready.Snapshot) {
		panic("raft: a snapshot came, though no log is ever compacted")
	}
	if !core.IsEmptyHardState(s.ready.HardState) {
		s.term = s.ready.HardState.GetTerm()
	}
	if soft := s.ready.SoftState; soft != nil {
		s.lead = soft.Lead
		s.follow(env, soft.RaftState == core.StateLeader)
	}
	order := [...]sim.Signal{save{}, sync{}, send{}, apply{}}
	switch {
	case env.Bug(RF1):
		order = [...]sim.Signal{send{}, save{}, sync{}, apply{}}
	case env.Bug(RF4):
		order = [...]sim.Signal{save{}, send{}, sync{}, apply{}}
	}
	for _, task := range order {
		if s.asks(env, task) {
			s.todo = append(s.todo, task)
		}
	}
}

// asks reports whether the Ready in hand has something to do for a task.
func (s *server) asks(env sim.Env, task sim.Signal) bool {
	switch task.(type) {
	case save:
		return len(s.ready.Entries) > 0 || !core.IsEmptyHardState(s.ready.HardState)
	case sync:
		if env.Bug(RF6) { // has an eye on the entries alone
			return s.files && len(s.ready.Entries) > 0
		}
		return s.files && s.asks(env, save{})
	case send:
		return len(s.ready.Messages) > 0
	case apply:
		return len(s.ready.CommittedEntries) > 0
	default:
		panic(fmt.Sprintf("raft: no case for the task %T", task))
	}
}

// follow keeps the timer that fits the server's role.
func (s *server) follow(env sim.Env, leads bool) {
	switch {
	case leads && !s.leads:
		env.Cancel(campaign{})
		env.After(heartbeatEvery, heartbeat{})
		env.Emit(elected{s.term})
	case s.leads && !leads:
		env.Cancel(heartbeat{})
		env.After(s.patience(), campaign{})
	}
	s.leads = leads
}

// done goes on to the task after the one that was done.
func (s *server) done(env sim.Env) {
	s.todo = s.todo[1:]
	if len(s.todo) > 0 {
		env.Post(s.todo[0])
		return
	}
	s.advance()
}

func (s *server) advance() {
	s.node.Advance(s.ready)
	s.ready, s.todo = core.Ready{}, nil
}

// save writes the disk. Entries are immutable by raft's contract, and a hard
// state by its use, so the disk may hold the very ones that raft holds.
func (s *server) save(env sim.Env) {
	if s.files {
		s.write(env)
	}
	must(s.disk.Append(s.ready.Entries))
	if hard := s.ready.HardState; !core.IsEmptyHardState(hard) {
		must(s.disk.SetHardState(hard))
	}
}

func (s *server) send(env sim.Env) {
	for _, m := range s.ready.Messages {
		if env.Tracing() {
			env.Logf("sends %s", describe(m))
		}
		env.UDP().Send(s.all[m.GetTo()-1], encode(m))
	}
}

// apply appends the committed commands to the log, each once: what was asked
// for again may be committed again.
func (s *server) apply(env sim.Env) {
	for _, e := range s.ready.CommittedEntries {
		if e.GetType() != pb.EntryNormal {
			panic(fmt.Sprintf("raft: a %s was committed, though none is ever proposed", e.GetType()))
		}
		command := string(e.GetData())
		env.Emit(applied{e.GetIndex(), e.GetTerm(), command})
		if command == "" || slices.Contains(s.log, command) {
			continue // "": a new leader's first
		}
		s.log = append(s.log, command)
		env.Cancel(propose{command})
	}
}

func (s *server) patience() time.Duration {
	return electionAfter + time.Duration(s.id)*electionApart
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("raft: %v", err))
	}
}
