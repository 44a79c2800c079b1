package history

import (
	"errors"
	"fmt"

	"macemc/sim"
)

// Log is the history of clients of a service that runs: what Call and Return tell in a
// simulation, told by the goroutines that ask it. Whoever shares one between goroutines
// guards it by a mutex; a call is told before it is made, and a return after the answer came.
type Log struct {
	facts   []sim.Emitted
	clients []sim.Addr
}

// NewLog is the log of so many clients, at most as many as a system may have nodes. They are
// n0 and so on in what Check says.
func NewLog(clients int) *Log {
	return &Log{clients: sim.Params{Nodes: clients}.Addrs()}
}

// Call tells that a client begins an operation on an object, and gives the id by which it
// returns. One whose answer is not known never returns.
func (l *Log) Call(client int, object string, input any) (id int) {
	id = len(l.facts)
	l.facts = append(l.facts, sim.Emitted{At: l.clients[client], Step: id, Fact: called{object, id, input}})
	return id
}

// Return tells what an operation returned.
func (l *Log) Return(id int, output any) {
	mustCompare("output", output)
	began := l.facts[id]
	l.facts = append(l.facts, sim.Emitted{At: began.At, Step: len(l.facts), Fact: returned{began.Fact.(called).Object, id, output}})
}

// Forget takes back a call that changes nothing whether it took effect or not: that of a
// read whose answer was lost. What never returns costs the more the
// more there is of it.
func (l *Log) Forget(id int) { l.facts[id].Fact = nil }

// Returned is how many operations have returned.
func (l *Log) Returned() (n int) {
	for _, f := range l.facts {
		if _, is := f.Fact.(returned); is {
			n++
		}
	}
	return n
}

// NotLinearizable is what is wrong with a history, with porcupine's picture of it.
type NotLinearizable struct {
	why  error
	Page []byte // HTML
}

func (e *NotLinearizable) Error() string { return e.why.Error() }

// Check decides whether the history is linearizable, as a model of every object: by the
// monitor that Linearizable is, and by porcupine, which must agree. The error is a
// *NotLinearizable if it is not.
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
		return errors.New("porcupine says that the history is not linearizable, and the monitor that it is")
	}
	return nil
}
