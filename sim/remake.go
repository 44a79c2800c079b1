package sim

import (
	"fmt"
	"reflect"

	"macemc/internal/canon"
	"macemc/internal/guard"
)

// Remade is a field that is not part of the state, and that a function makes again in each
// copy of a node. It is made by Remake.
type Remade struct{ made canon.Made }

// Remake declares that a copy of a node does not take over a field, such as a closure whose
// variables nobody else can see. The field is "pkg.Type.field", and f returns its value in
// the copy. N is a pointer to a struct, or an interface: f gets the nearest such object
// around the field, for example the node. An interface is for types that cannot be named.
// The argument in is a pointer to the struct with the field. Both belong to the copy, in
// which such fields are not yet set.
//
// The new value must behave as the old one does. It must depend on nothing but the state,
// so f may read n and in, and bind the value to them:
//
//	Remade: []sim.Remade{
//		sim.Remake("impl.peer.send", func(n *server, in any) func(impl.Packet) { return n.send }),
//	}
func Remake[N, F any](field string, f func(n N, in any) F) Remade {
	return Remade{canon.Made{
		Field: field, Owner: reflect.TypeFor[N](), Type: reflect.TypeFor[F](),
		Make: func(owner, in any) (v any, err error) {
			err = guard.Call(fmt.Sprintf("the function that makes %s again", field), func() { v = f(owner.(N), in) })
			return v, err
		},
	}}
}

// rules returns the options for canon.New, which makes the walker that hashes and copies states. They
// have what the system declares about its state: Opaque, Immutable and Remade.
func (sys *System) rules() canon.Options {
	o := canon.Options{Opaque: sys.Opaque, Immutable: sys.Immutable, Now: moment}
	for _, r := range sys.Remade {
		o.Made = append(o.Made, r.made)
	}
	return o
}
