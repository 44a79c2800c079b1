package history

import (
	"errors"
	"fmt"

	"macemc/sim"
)

// Log is a history of the clients of a running service. Call and Return record it, as the
// functions of these names do in a simulation. A Log that goroutines share needs a mutex.
// Record a call before it is made, and a return after the answer came.
type Log struct {
	facts   []sim.Emitted
	clients []sim.Addr
}

// NewLog returns a log of that many clients, at most the number of nodes that a system may
// have. Errors of Check name them n0, n1, and so on.
func NewLog(clients int) *Log {
	return &Log{clients: sim.Params{Nodes: clients}.Addrs()}
}

// Call records that a client begins an operation on an object, and returns the id for
// Return. If the answer never comes, leave Return out.
func (l *Log) Call(client int, object string, input any) (id int) {
	id = len(l.facts)
	l.facts = append(l.facts, sim.Emitted{At: l.clients[client], Step: id, Fact: called{object, id, input}})
	return id
}

// Return records what an operation returned.
func (l *Log) Return(id int, output any) {
	mustCompare("output", output)
	began := l.facts[id]
	l.facts = append(l.facts, sim.Emitted{At: began.At, Step: len(l.facts), Fact: returned{began.Fact.(called).Object, id, output}})
}

// Forget removes the call with an id, which has not returned and changes nothing, such as a
// read whose answer was lost. Operations that never return make Check slower.
func (l *Log) Forget(id int) { l.facts[id] = sim.Emitted{At: l.facts[id].At, Step: id} }

// Returned returns the number of operations that have returned.
func (l *Log) Returned() (n int) {
	for _, f := range l.facts {
		if _, is := f.Fact.(returned); is {
			n++
		}
	}
	return n
}

// NotLinearizable is the error of a history that is not linearizable, with porcupine's
// picture of it.
type NotLinearizable struct {
	why  error
	Page []byte // the picture, as an HTML page
}

func (e *NotLinearizable) Error() string { return e.why.Error() }

// Check reports whether the history is linearizable, with m as the model of every object.
// It asks the monitor of Linearizable and porcupine, which must agree. If it is not
// linearizable, the error is a *NotLinearizable.
func (l *Log) Check(m Model) error {
	page, err := picture(m, l.facts)
	if err != nil {
		return err
	}
	all := &objects{}
	all.Init()
	for _, f := range l.facts {
		if why := all.observe(m, f.At, f.Fact); why != nil {
			if page == nil {
				return fmt.Errorf("the monitor says that %w, and porcupine that the history is linearizable", why)
			}
			return &NotLinearizable{why, page}
		}
	}
	if page != nil {
		return errors.New("porcupine says that the history is not linearizable, and the monitor says that it is: one of the two models is wrong, so compare them")
	}
	return nil
}
