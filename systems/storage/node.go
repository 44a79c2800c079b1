package storage

import (
	"macemc/history"
	"macemc/sim"
)

type ( // messages
	write struct{ number int } // the number is also the value
	ack   struct{ number int }
	read  struct{ round int } // the number of the round, counted by this reader
	value struct{ round, number int }
)

type ( // what the application may do whenever a node is idle
	beginWrite struct{}
	beginRead  struct{}
)

type ( // facts
	wrote struct{ number int }
	began struct{}
	got   struct{ number int }
)

// register is the name in histories of the one register that all storage objects form together.
const register = "register"

// An object holds a value, which is also its timestamp.
type object struct{ number int }

var objects = sim.Handle(sim.OnMessage((*object).write), sim.OnMessage((*object).read))

func (o *object) write(env sim.Env, from sim.Addr, m write) {
	if m.number > o.number || env.Bug(RS1) {
		o.number = m.number
	}
	env.Bag().Send(from, ack(m))
}

func (o *object) read(env sim.Env, from sim.Addr, m read) {
	env.Bag().Send(from, value{m.round, o.number})
}

// asking is the state of an operation for which all objects are asked. It ends when a majority
// has answered.
type asking struct {
	objects  []sim.Addr
	stay     bool // late answers are not accepted
	quorum   bool // the answers of a majority are taken in one event
	hasty    bool // one answer is enough, because of a known bug
	atomic   bool // the storage promises to be atomic
	busy     bool
	answered []sim.Addr // the objects that have answered, in order, while busy
}

func (a *asking) begin(env sim.Env, m sim.Message) {
	a.busy = true
	for _, o := range a.objects {
		env.Bag().Send(o, m)
	}
}

// end records the answer of node from. If the operation has enough answers now, end ends it and
// returns true.
func (a *asking) end(from sim.Addr, enough int) bool {
	at := 0
	for at < len(a.answered) && a.answered[at].Less(from) {
		at++
	}
	a.answered = append(a.answered[:at:at], append([]sim.Addr{from}, a.answered[at:]...)...)
	if len(a.answered) < enough {
		return false
	}
	a.busy, a.answered = false, nil
	return true
}

// ended ends the operation whose answers were taken in one event.
func (a *asking) ended() { a.busy = false }

// takes reports whether a node may handle an answer by itself, and not as one of a majority.
// current says whether the answer belongs to the operation under way; if not, it is late.
func (a *asking) takes(current bool) bool {
	if current {
		return !a.quorum
	}
	return !a.stay
}

func (a *asking) majority() int { return len(a.objects)/2 + 1 }

// enough returns the number of answers that are taken in one event.
func (a *asking) enough() int {
	if a.hasty {
		return 1
	}
	return a.majority()
}

// A writer writes the values 1 to most, in order.
type writer struct {
	asking
	most   int
	number int
}

var writers = sim.Handle(sim.OnSignal((*writer).beginWrite), sim.OnMessage((*writer).ack))

// quorumWriters are the handlers of a writer that takes the answers of a majority in one
// event, and late ones one by one.
var quorumWriters = sim.Handle(
	sim.OnSignal((*writer).beginWrite), sim.OnMessage((*writer).ack),
	sim.OnQuorum((*writer).enough, (*writer).acks, (*writer).ackAll),
)

// Offers offers the action that begins the next write, if no write is under way.
func (w *writer) Offers(offer func(sim.Signal)) {
	if !w.busy && w.number < w.most {
		offer(beginWrite{})
	}
}

// Accepts reports whether an answer may be handled by itself: see asking.takes.
func (w *writer) Accepts(_ sim.Addr, m sim.Message) bool { return w.takes(w.current(m.(ack))) }

// acks reports whether an answer belongs to the write under way, and returns the number of
// that write.
func (w *writer) acks(_ sim.Addr, m ack) (number int, ok bool) { return m.number, w.current(m) }

func (w *writer) ackAll(env sim.Env, _ []sim.Sent[ack]) {
	w.ended()
	w.wrote(env)
}

func (w *writer) current(m ack) bool { return w.busy && m.number == w.number }

func (w *writer) done() bool { return !w.busy && w.number == w.most }

func (w *writer) beginWrite(env sim.Env, _ beginWrite) {
	w.number++
	if w.atomic {
		history.Call(env, register, w.number, history.Write{Value: w.number})
	}
	w.begin(env, write{w.number})
}

func (w *writer) ack(env sim.Env, from sim.Addr, m ack) {
	if !w.current(m) {
		return
	}
	enough := w.majority()
	if env.Bug(RS3) {
		enough = 1
	}
	if w.end(from, enough) {
		w.wrote(env)
	}
}

func (w *writer) wrote(env sim.Env) {
	env.Emit(wrote{w.number})
	if w.atomic {
		history.Return(env, register, w.number, nil)
	}
}

// A reader reads a fixed number of times.
type reader struct {
	asking
	left    int
	round   int
	largest int   // the largest value in the answers so far
	back    bool  // it is writing that value back
	results []int // the values of the reads so far
}

var readers = sim.Handle(
	sim.OnSignal((*reader).beginRead), sim.OnMessage((*reader).value), sim.OnMessage((*reader).ack),
)

// quorumReaders are the handlers of a reader that takes the answers of a majority in one
// event.
var quorumReaders = sim.Handle(
	sim.OnSignal((*reader).beginRead), sim.OnMessage((*reader).value), sim.OnMessage((*reader).ack),
	sim.OnQuorum((*reader).enough, (*reader).values, (*reader).valueAll),
	sim.OnQuorum((*reader).majority, (*reader).acksBack, (*reader).ackAll),
)

// Offers offers the action that begins the next read, if no read is under way.
func (r *reader) Offers(offer func(sim.Signal)) {
	if !r.busy && r.left > 0 {
		offer(beginRead{})
	}
}

// Accepts reports whether an answer may be handled by itself: see asking.takes.
func (r *reader) Accepts(_ sim.Addr, m sim.Message) bool {
	switch m := m.(type) {
	case value:
		return r.takes(r.current(m))
	case ack:
		return r.takes(r.confirms(m))
	default:
		return true
	}
}

func (r *reader) current(m value) bool { return r.busy && !r.back && m.round == r.round }

func (r *reader) confirms(m ack) bool { return r.busy && r.back && m.number == r.largest }

func (r *reader) done() bool { return !r.busy && r.left == 0 }

func (r *reader) beginRead(env sim.Env, _ beginRead) {
	r.left--
	r.round++
	env.Emit(began{})
	if r.atomic {
		history.Call(env, register, r.round, history.Read{})
	}
	r.begin(env, read{r.round})
}

func (r *reader) value(env sim.Env, from sim.Addr, m value) {
	if !r.current(m) {
		return
	}
	enough := r.majority()
	if env.Bug(RS2) {
		enough = 1
	}
	r.hears(env, m)
	if r.end(from, enough) {
		r.answered(env)
	}
}

// values reports whether an answer belongs to the read under way, and returns its round.
// acksBack does the same for an answer to the write that writes the value back.
func (r *reader) values(_ sim.Addr, m value) (round int, ok bool) { return m.round, r.current(m) }
func (r *reader) acksBack(_ sim.Addr, m ack) (number int, ok bool) {
	return m.number, r.confirms(m)
}

func (r *reader) valueAll(env sim.Env, of []sim.Sent[value]) {
	for _, m := range of {
		r.hears(env, m.Message)
	}
	r.ended()
	r.answered(env)
}

func (r *reader) ackAll(env sim.Env, _ []sim.Sent[ack]) {
	r.ended()
	r.returns(env)
}

// hears records the value in answer m if it is the largest so far.
func (r *reader) hears(env sim.Env, m value) {
	if m.number > r.largest || env.Bug(RS4) {
		r.largest = m.number
	}
}

// answered continues the read when a majority has answered: it ends the read, or writes the
// value back.
func (r *reader) answered(env sim.Env) {
	switch {
	case r.atomic && !env.Bug(RS5):
		r.back = true
		r.begin(env, write{r.largest})
	default:
		r.returns(env)
	}
}

// ack handles an answer to the write that writes the value back. The read ends when a majority
// has answered.
func (r *reader) ack(env sim.Env, from sim.Addr, m ack) {
	if r.confirms(m) && r.end(from, r.majority()) {
		r.returns(env)
	}
}

func (r *reader) returns(env sim.Env) {
	env.Emit(got{r.largest})
	if r.atomic {
		history.Return(env, register, r.round, r.largest)
	}
	r.results = append(r.results, r.largest)
	r.back, r.largest = false, 0
}
