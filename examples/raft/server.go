package raft

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"macemc/examples/raft/core"
	"macemc/sim"
)

// These are the timers.
type (
	campaign  struct{} // no leader was heard of for too long
	heartbeat struct{} // a leader's: it is time to be heard of
	tick      struct{} // of raft's own clock, where that decides about elections
	// unheard is the timer of a snapshot whose fate is not known.
	unheard struct{ to uint64 }
)

// The work of a Ready is done in tasks, so that a crash can come between any two, and a slow disk
// can delay them.
type (
	ready   struct{} // with ready=later: to take the next Ready
	save    struct{}
	sync    struct{} // with storage=files
	send    struct{}
	apply   struct{}
	advance struct{} // with ready=later
	work    struct{} // with apply=slow: to apply the next entry
	compact struct{} // to make a snapshot of what was applied
)

// These are the facts.
type (
	elected struct{ term uint64 }
	leading struct { // as of the first Ready in which it does
		term uint64
		log  string // its commands, with those that are not committed
	}
	followed struct {
		term uint64
		lead sim.Addr
	}
	applied struct {
		index, term uint64
		command     string
	}
	acknowledged struct{ command string }
)

const (
	heartbeatEvery = 100 * time.Millisecond
	electionAfter  = time.Second
	electionApart  = 200 * time.Millisecond // no two servers have the same patience
	askAgainAfter  = 500 * time.Millisecond
	snapshotTakes  = time.Second
)

// outOfReach is the number of ticks to which raft's own election timeout is set if the driver's timer
// campaign decides about elections. It is so large that raft's timeout is never over.
const outOfReach = 1 << 30

// mark identifies an entry on the disk.
type mark struct {
	term uint64
	data string
}

// duty is work for the application: an entry to apply, or a snapshot to restore.
type duty struct {
	entry    core.Entry
	snapshot *core.Snapshot // in its place
}

// server drives one raft node.
//
// It works on one Ready at a time. It accepts the Ready, does the work one task
// after the other in the order of todo, and then calls Advance. Messages and
// timers are passed to raft all the while; their consequences are in the next
// Ready.
type server struct {
	id        uint64
	all       []sim.Addr // the server with the id i is all[i-1]
	proposals int        // that all servers are asked for, together
	settings

	disk *core.Disk // what a crash leaves; only save and compact write it

	// A restart loses all fields from here on.
	base    uint64 // the index behind which the log on the disk begins
	saved   []mark // that log, for properties
	node    *core.Node
	journal *journal
	ready   core.Ready   // in hand
	todo    []sim.Signal // its tasks that are not done; the first is posted
	taking  bool         // the task ready is posted
	duties  []duty       // with apply=slow; the task work is posted
	held    bool         // Advance waits until they are done

	term  uint64 // as of the last Ready, like the next two
	lead  uint64 // the leader's id; 0: none
	leads bool   // this server is the leader
	won   uint64 // the last term in which it was elected in this life

	applied uint64 // the index
	told    uint64 // that index, as raft knows it
	due     bool   // the log is to be cut
	log     []string
	index   map[string]bool // what is in the log; nil while that is short
	conf    core.Conf

	clients
}

// settings are the parameters in the form that a server needs.
type settings struct {
	files       bool // the log is in a file, and disk is what a crash would leave of it: see files.go
	election    int  // ticks; 0: the driver's timer
	elections   string
	later, slow bool
	early       bool // apply=first
	compact     int
	reads       int // 0: no histories are kept
	members     string
	retry       string
	goesOn      bool
	terms       uint64 // of a search's space; 0: not bounded
}

// newServer returns a server in its first life, or in a later life if it gets the disk of the
// previous one.
func newServer(p sim.Params, self sim.Addr, disk *core.Disk) *server {
	all := p.Addrs()
	s := &server{
		id: uint64(slices.Index(all, self)) + 1, all: all, proposals: p.Int(Proposals),
		settings: settings{
			files: p.Word(Storage) == "files", later: p.Word(Readies) == "later", slow: p.Word(Apply) == "slow", early: p.Word(Apply) == "first",
			compact: p.Int(Compact), reads: p.Int(Reads), members: p.Word(Members), retry: p.Word(Retry), goesOn: p.Word(Removal) == "goes-on", elections: p.Word(Elections),
			terms: uint64(p.Int(Terms)),
		},
		disk: disk, journal: new(journal),
	}
	if p.Word(Elections) != "driver" {
		s.election = p.Int(Election)
	}
	return s
}

// Init starts raft from the disk. Commands are applied again, from the first one behind the last
// snapshot on.
func (s *server) Init(env sim.Env) {
	s.journal.env = env
	if s.files {
		s.replay(env)
	}
	if env.Bug(RF2) {
		s.disk.ForgetVote()
	}
	s.term = s.disk.Hard().Term
	base := s.disk.Base()
	s.base, s.told = base.Index, base.Index
	s.restore(env, base)
	for _, e := range s.disk.Log() {
		s.saved = append(s.saved, mark{e.Term, e.Data})
	}
	o := core.Options{ID: s.id, Disk: s.disk, Logger: s.journal, Heartbeat: 1, Election: outOfReach, GoesOn: s.goesOn}
	if s.election > 0 {
		o.Election = s.election
		o.PreVote = s.elections == "prevote" || s.elections == "both"
		o.Leases = s.elections == "leases"
		o.CheckQuorum = s.elections == "quorum" || s.elections == "both" || o.Leases
	}
	var err error
	s.node, err = core.NewNode(o)
	must(err)
	switch {
	case env.Bug(RF15) && s.term > base.Term: // only in its first life
	case s.election > 0:
		env.After(heartbeatEvery, tick{})
	default:
		env.After(s.patience(), campaign{})
	}
	s.proceed(env)
}

// Deliver passes a message to raft.
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

// Handle handles a timer, a request or a task.
func (s *server) Handle(env sim.Env, signal sim.Signal) {
	s.journal.env = env
	switch signal := signal.(type) {
	case campaign:
		env.After(s.patience(), campaign{})
		if s.votes() {
			must(s.node.Campaign())
		}
	case heartbeat:
		env.After(heartbeatEvery, heartbeat{})
		if !s.stands() {
			s.node.Tick(false)
		}
		s.node.Bound(0) // out of reach, and so no part of the state
	case tick:
		env.After(heartbeatEvery, tick{})
		s.tick(env)
	case unheard:
		s.node.SnapshotFailed(signal.to)
	case propose:
		s.propose(env, signal)
	case look:
		s.look(env, signal)
	case change:
		s.change(env)
	case transfer:
		s.transfer(env, signal)
	case ready:
		s.taking = false
		s.take(env)
		return
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
		s.applyAll(env)
		s.done(env)
	case advance:
		s.done(env)
	case work:
		s.work(env)
	case compact:
		s.shorten(env)
	default:
		panic(fmt.Sprintf("raft: no case for the signal %T", signal))
	}
	s.proceed(env)
}

func (s *server) step(env sim.Env, w wire) {
	m, err := w.decode()
	must(err)
	if m.IsSnapshot() && s.changing() {
		return // as if it were lost: it is sent again
	}
	if err := s.node.Step(m); err != nil && !errors.Is(err, core.ErrProposalDropped) && !core.IsStranger(err) {
		panic(fmt.Sprintf("raft: %s: %v", m, err))
	}
	if m.From() == s.lead && s.election == 0 {
		env.After(s.patience(), campaign{})
	}
}

// changing reports whether a change of the members is committed and not applied yet. Such a change
// must be applied before a later snapshot: raft adopts the members of a snapshot at once, and
// panics when an older change is applied afterwards.
func (s *server) changing() bool {
	for i := range s.ready.Commits() {
		if e := s.ready.Commit(i); e.Change && e.Index > s.applied {
			return true
		}
	}
	return slices.ContainsFunc(s.duties, func(d duty) bool { return d.entry.Change })
}

// tick makes raft's clock tick. If the election timeout may be over at this tick, a choice of the
// run decides whether it is: see core.Node.Tick.
func (s *server) tick(env sim.Env) {
	if s.stands() {
		return
	}
	expired := false
	if _, leads := s.node.Role(); !leads && s.votes() {
		longest := 2*s.election - 1
		switch ticks := s.node.Ticks() + 1; {
		case ticks >= longest:
			expired = true
		case ticks >= s.election:
			expired = env.Weighted([]int{longest - ticks, 1}, "the election timeout is over") == 1
		}
	}
	s.node.Tick(expired)
	s.node.Bound(2 * s.election)
}

// votes reports whether the server may stand for election. It may if it is a voter of its
// configuration, or of the old half of a joint configuration. A learner may not.
func (s *server) votes() bool {
	return slices.Contains(s.conf.Voters, s.id) || slices.Contains(s.conf.Outgoing, s.id)
}

// removed reports whether the server is no member any more.
func (s *server) removed() bool { return len(s.conf.Voters) > 0 && !s.counts(s.id) }

// stands reports whether the server's clock stands still. It does if the server was removed, unless
// it is a leader that goes on with parameter Removal. Such a leader goes on with its heartbeats,
// too: without them, members that lack an entry would never get it.
func (s *server) stands() bool {
	_, leads := s.node.Role()
	return s.removed() && !(s.goesOn && leads)
}

// proceed begins the work on the next Ready, unless there is none or the work on another one goes
// on. With ready=later it takes the Ready in a step of its own, and otherwise at once.
func (s *server) proceed(env sim.Env) {
	if term, leads := s.node.Role(); leads && term > s.won {
		s.won = term
		env.Emit(elected{term})
	}
	if !s.later {
		s.take(env)
		return
	}
	if !s.taking && len(s.todo) == 0 && !s.held && s.node.HasReady() {
		s.taking = true
		env.Post(ready{})
	}
}

func (s *server) take(env sim.Env) {
	for len(s.todo) == 0 && !s.held && s.node.HasReady() {
		s.accept(env)
		if len(s.todo) > 0 {
			env.Post(s.todo[0])
		} else {
			s.finish(env)
		}
	}
}

// accept takes the next Ready, and records the tasks that it needs. Raft's contract demands that a
// Ready's data is on the disk before its messages are sent, since a message may say that data is on
// the disk.
func (s *server) accept(env sim.Env) {
	s.ready = s.node.Take()
	hard, news := s.ready.Hard()
	if news {
		s.term = hard.Term
	}
	if lead, leads, ok := s.ready.Soft(); ok {
		s.lead = lead
		s.follow(env, leads)
	}
	if env.Bug(RF12) && news && hard.Vote != 0 && s.lead == 0 {
		s.lead = hard.Vote
		env.Emit(followed{s.term, s.all[s.lead-1]})
	}
	for _, r := range s.ready.Reads() {
		s.readable(env, r)
	}
	order := &inTurn
	switch {
	case s.early:
		order = &applyFirst
	case env.Bug(RF1):
		order = &sendFirst
	case env.Bug(RF4):
		order = &sendUnsynced
	}
	_, snapshot := s.ready.Snapshot()
	saves := s.ready.Entries() > 0 || news || snapshot
	asked := 0
	for k, task := range order.tasks {
		if s.asks(env, task, saves, snapshot) {
			asked |= 1 << k
		}
	}
	s.todo = order.of[asked]
}

// The orders in which the tasks of a Ready are done.
var (
	inTurn       = orderOf(save{}, sync{}, send{}, apply{}, advance{})
	applyFirst   = orderOf(apply{}, save{}, sync{}, send{}, advance{})
	sendFirst    = orderOf(send{}, save{}, sync{}, apply{}, advance{})
	sendUnsynced = orderOf(save{}, send{}, sync{}, apply{}, advance{})
)

// order is an order in which tasks are done. For each set of these tasks, of has the list of its tasks in
// this order. All states share the lists, so nothing may change them.
type order struct {
	tasks []sim.Signal
	of    [][]sim.Signal // by the set, with bit k for the k-th task
}

func orderOf(tasks ...sim.Signal) order {
	o := order{tasks, make([][]sim.Signal, 1<<len(tasks))}
	for set := range o.of {
		for k, task := range tasks {
			if set>>k&1 == 1 {
				o.of[set] = append(o.of[set], task)
			}
		}
	}
	return o
}

// asks reports whether the present Ready needs this task. saves is set if the Ready has data to save, and
// snapshot if a snapshot is a part of this data.
func (s *server) asks(env sim.Env, task sim.Signal, saves, snapshot bool) bool {
	switch task.(type) {
	case save:
		return saves
	case sync:
		if s.files && env.Bug(RF6) { // has an eye on the entries alone
			return s.ready.Entries() > 0
		}
		return s.files && saves
	case send:
		return s.ready.Messages() > 0
	case apply:
		if env.Bug(RF8) { // of what was saved
			return s.ready.Entries() > 0
		}
		return !s.slow && (s.ready.Commits() > 0 || snapshot)
	case advance:
		return s.later
	default:
		panic(fmt.Sprintf("raft: no case for the task %T", task))
	}
}

// follow sets the timer for the server's role.
func (s *server) follow(env sim.Env, leads bool) {
	if leads && !s.leads {
		env.Emit(leading{s.term, s.commands()})
	}
	if !leads && s.lead != 0 {
		env.Emit(followed{s.term, s.all[s.lead-1]})
	}
	switch {
	case s.election > 0: // raft has its own
	case leads && !s.leads:
		env.Cancel(campaign{})
		env.After(heartbeatEvery, heartbeat{})
	case s.leads && !leads:
		env.Cancel(heartbeat{})
		env.After(s.patience(), campaign{})
	}
	s.leads = leads
}

// commands describes the commands of the log, as it will be when the present Ready is saved.
func (s *server) commands() string {
	var all []string
	n := len(s.saved)
	if s.ready.Entries() > 0 {
		n = min(n, max(0, int(s.ready.Entry(0).Index-s.base)-1))
	}
	base := s.disk.Base()
	if base.Data != "" {
		all = strings.Split(base.Data, "\n")
	}
	for _, m := range s.saved[:n] {
		all = append(all, m.data)
	}
	for i := range s.ready.Entries() {
		all = append(all, s.ready.Entry(i).Data)
	}
	return strings.Join(all, "\n")
}

// done goes on to the next task.
func (s *server) done(env sim.Env) {
	s.todo = s.todo[1:]
	if len(s.todo) > 0 {
		env.Post(s.todo[0])
		return
	}
	s.finish(env)
}

// finish reports to raft that the work of the present Ready is done. With apply=slow it does so before
// the entries are applied, as raft's contract allows. But if there is a snapshot or a change of the
// members among them, it waits until this is applied, since raft accepts another change once finish
// has reported.
func (s *server) finish(env sim.Env) {
	if s.slow {
		hold := false
		add := func(d duty) {
			if len(s.duties) == 0 {
				env.Post(work{})
			}
			s.duties = append(s.duties, d)
		}
		if snapshot, ok := s.ready.Snapshot(); ok {
			add(duty{snapshot: &snapshot})
			hold = true
		}
		for i := range s.ready.Commits() {
			e := s.ready.Commit(i)
			add(duty{entry: e})
			hold = hold || e.Change
		}
		if hold && !env.Bug(RF16) {
			s.held = true
			return
		}
	}
	s.advance(env)
}

func (s *server) advance(env sim.Env) {
	if snapshot, ok := s.ready.Snapshot(); ok {
		s.told = snapshot.Index
	}
	if n := s.ready.Commits(); n > 0 {
		s.told = s.ready.Commit(n - 1).Index
	}
	s.node.Done(s.ready)
	s.ready, s.todo, s.held = core.Ready{}, nil, false
	s.cut(env)
}

func (s *server) save(env sim.Env) {
	if s.files {
		s.write(env)
	}
	from := uint64(0)
	if env.Bug(RF7) { // what is new is behind what is there
		from = s.disk.Last() + 1
	}
	s.disk.Save(&s.ready, from)
	if snapshot, ok := s.ready.Snapshot(); ok {
		s.base, s.saved = snapshot.Index, nil
	}
	for i := range s.ready.Entries() {
		e := s.ready.Entry(i)
		if e.Index <= s.base || e.Index < from {
			continue
		}
		if at := int(e.Index - s.base - 1); at < len(s.saved) {
			s.saved = slices.Clip(s.saved[:at])
		}
		s.saved = append(s.saved, mark{e.Term, e.Data})
	}
	if env.Bug(RF9) { // what is saved here is as good as done
		for i := range s.ready.Entries() {
			s.acknowledge(env, s.ready.Entry(i).Data)
		}
	}
}

func (s *server) send(env sim.Env) {
	for i := range s.ready.Messages() {
		m := s.ready.Message(i)
		env.UDP().Send(s.all[m.To()-1], encode(m))
		if m.IsSnapshot() {
			env.After(snapshotTakes, unheard{m.To()})
		}
	}
}

// applyAll applies the entries that the present Ready has committed.
func (s *server) applyAll(env sim.Env) {
	if snapshot, ok := s.ready.Snapshot(); ok {
		s.restore(env, snapshot)
	}
	if env.Bug(RF8) {
		for i := range s.ready.Entries() {
			s.apply(env, s.ready.Entry(i))
		}
		return
	}
	for i := range s.ready.Commits() {
		s.apply(env, s.ready.Commit(i))
	}
}

// work applies the next entry or snapshot.
func (s *server) work(env sim.Env) {
	d := s.duties[0]
	s.duties = slices.Clone(s.duties[1:])
	if d.snapshot != nil {
		s.restore(env, *d.snapshot)
	} else {
		s.apply(env, d.entry)
	}
	if len(s.duties) > 0 {
		env.Post(work{})
	} else if s.held {
		s.advance(env)
	}
}

// apply appends a committed command to the log, unless it is there: a request that was repeated may
// be committed twice.
func (s *server) apply(env sim.Env, e core.Entry) {
	s.applied = e.Index
	if e.Change {
		s.conf = s.node.ApplyChange(e)
		env.Emit(applied{e.Index, e.Term, "members " + s.conf.String()})
		s.changed(env)
	} else {
		env.Emit(applied{e.Index, e.Term, e.Data})
		if e.Data != "" && !s.logged(e.Data) { // "": a new leader's first
			s.keep(e.Data)
			env.Cancel(propose{e.Data})
			s.acknowledge(env, e.Data)
		}
	}
	s.answer(env)
	// Who joins has to be sent a snapshot in which it is a member, or raft ignores it.
	if e.Change || s.compact > 0 && s.applied-s.base >= uint64(s.compact) {
		s.due = true
	}
	s.cut(env)
}

// indexedFrom is the length of s.log from which on the server also keeps its commands in the map
// s.index, so that logged need not search s.log.
const indexedFrom = 100

// logged reports whether a command is in the log.
func (s *server) logged(command string) bool {
	if s.index == nil {
		return slices.Contains(s.log, command)
	}
	return s.index[command]
}

// keep appends a command to the log.
func (s *server) keep(command string) {
	s.log = append(s.log, command)
	switch {
	case s.index != nil:
		s.index[command] = true
	case len(s.log) == indexedFrom:
		s.index = map[string]bool{}
		for _, c := range s.log {
			s.index[c] = true
		}
	}
}

// restore sets the application's state to that of a snapshot.
func (s *server) restore(env sim.Env, snapshot core.Snapshot) {
	s.applied, s.conf, s.log, s.index = snapshot.Index, snapshot.Conf, nil, nil
	for c := range strings.SplitSeq(snapshot.Data, "\n") {
		if c == "" { // there is none
			continue
		}
		s.keep(c)
		env.Cancel(propose{c})
		s.acknowledge(env, c)
	}
	s.changed(env)
	s.answer(env)
}

// cut posts the task that shortens the log, if that is due. It first waits until the server has reported to
// raft that all applied entries are applied, since raft may still read entries of which it does not know this.
func (s *server) cut(env sim.Env) {
	if s.due && s.applied <= s.told {
		env.Post(compact{})
	}
}

// shorten replaces the applied part of the log by a snapshot.
func (s *server) shorten(env sim.Env) {
	if s.applied > s.told {
		return // a Ready is in hand again: when it is done
	}
	s.due = false
	if s.applied <= s.base {
		return
	}
	snapshot := core.Snapshot{Index: s.applied, Term: s.saved[s.applied-s.base-1].term, Conf: s.conf, Data: strings.Join(s.log, "\n")}
	if s.files {
		s.writeCompacted(env, snapshot)
	}
	if !env.Bug(RF13) { // the log is what grows
		s.disk.Snap(snapshot.Index, snapshot.Conf, snapshot.Data)
	}
	s.disk.Cut(snapshot.Index)
	s.saved = slices.Clone(s.saved[snapshot.Index-s.base:])
	s.base = snapshot.Index
}

func (s *server) patience() time.Duration {
	return electionAfter + time.Duration(s.id)*electionApart
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("raft: %v", err))
	}
}
