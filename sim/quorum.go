package sim

import (
	"fmt"
	"reflect"
	"strings"

	"macemc/internal/sight"
)

// Sent is a message with its sender, its receiver and its link.
type Sent[M any] struct {
	From, To Addr
	Link     Link
	Message  M
}

// OnQuorum returns the Handler that handles several messages of type M at once. As soon as size(n) of them
// have arrived, each from another sender, they can be handled in one event. A majority of answers is
// the usual case:
//
//	sim.OnQuorum((*proposer).majority, (*proposer).promises, (*proposer).write)
//
//	func (p *proposer) majority() int                                       // how many
//	func (p *proposer) promises(from sim.Addr, m promise) (ballot int, ok bool) // which
//	func (p *proposer) write(env sim.Env, of []sim.Sent[promise])           // in the order of their senders
//
// match reports whether a message may be one of them now, and of which kind it is: only
// messages of one kind are taken together. size and match must be pure functions of the node's
// state and of their arguments, and size is at least 1.
//
// Every set of pending messages that fits is an event of its own. The messages that are not
// taken stay where they are. Messages may be taken from a Bag, from a Set, where they remain, and
// from the heads of TCP connections and UDP channels.
//
// Messages of a type that has an OnQuorum and no OnMessage come in quorums only. If it has both,
// they may also come one by one, where Accepts accepts them; match is the only guard of a
// quorum. A node that is carried by a layer cannot have an OnQuorum, since its messages come
// from the layer.
func OnQuorum[N, M any, K comparable](size func(N) int, match func(N, Addr, M) (kind K, ok bool), method func(N, Env, []Sent[M])) Handler[N] {
	return Handler[N]{handling{
		Handler: handlerOf(sight.HandlerQuorum, reflect.TypeFor[M](), method),
		quorum: quorum{
			of: sight.Quorum{
				Of:   reflect.TypeFor[M](),
				Size: func(n any) int { return size(n.(N)) },
				Match: func(n any, from int, m any) (kind any, ok bool) {
					return match(n.(N), addrOf(from), m.(M))
				},
			},
			take: func(n any, env Env, q Quorum) {
				of := make([]Sent[M], len(q))
				for i, t := range q {
					of[i] = Sent[M]{t.From, t.To, t.Link, t.Message.(M)}
				}
				method(n.(N), env, of)
			},
		},
	}}
}

// quorum holds the functions given to OnQuorum, without their type parameters.
type quorum struct {
	of   sight.Quorum
	take func(any, Env, Quorum)
}

// Quorum is the Value of an event that takes several messages, in the order of their senders.
type Quorum []Sent[Message]

// Text returns a list of the messages. It calls value to get the text of each.
func (q Quorum) Text(value func(any) string) string {
	var all []string
	for _, t := range q {
		all = append(all, fmt.Sprintf("%s from %s by %s", value(t.Message), t.From, t.Link))
	}
	return strings.Join(all, ", ")
}

// Quorum calls the handler that takes the messages of q at once.
func (n *handled) Quorum(env Env, q Quorum) {
	t := n.table
	t.quorums[t.quorum.get(q[0].Message)-1](n.subject, env, q)
}
