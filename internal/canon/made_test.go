package canon

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// A hub has peers, each with a closure that refers to the hub and to the peer.
type hub struct {
	N     int
	Peers []*spoke
	Only  any
	first *spoke
	spare [2]spoke
	at    *spoke // into spare
	named map[string]spoke
}

type spoke struct {
	ID   int
	send func() int
}

func (h *hub) sender(p *spoke) func() int { return func() int { h.N += p.ID; return h.N } }

func newHub() *hub {
	h := &hub{Peers: []*spoke{{ID: 1}, {ID: 2}}, spare: [2]spoke{{ID: 10}, {ID: 20}}}
	h.first, h.at, h.Only = h.Peers[0], &h.spare[1], &spoke{ID: 100}
	for _, p := range []*spoke{h.Peers[0], h.Peers[1], h.at, h.Only.(*spoke)} {
		p.send = h.sender(p)
	}
	return h
}

type hubs interface{ sender(*spoke) func() int }

func madeForInterface() Options {
	o := madeAgain()
	o.Made[0].Owner = reflect.TypeFor[hubs]()
	o.Made[0].Make = func(owner, in any) (any, error) { return owner.(hubs).sender(in.(*spoke)), nil }
	return o
}

func madeAgain() Options {
	return Options{Made: []Made{{
		Field: "canon.spoke.send", Owner: reflect.TypeFor[*hub](), Type: reflect.TypeFor[func() int](),
		Make: func(owner, in any) (any, error) { return owner.(*hub).sender(in.(*spoke)), nil },
	}}}
}

// TestMadeFields checks that functions which are made again are bound to the copy, also where memory is
// shared, and where one owner is inside of another.
func TestMadeFields(t *testing.T) {
	for _, w := range append(copiers(t, madeAgain()), copiers(t, madeForInterface())...) {
		h := newHub()
		outer := &struct{ in, other *hub }{h, newHub()}
		if why := w.Bound(outer); why != "" {
			t.Fatal(why)
		}
		for range 2 {
			c := mustCopy(t, w, outer).(*struct{ in, other *hub })
			same(t, w, outer, c)
			sum := 0
			for _, p := range []*spoke{c.in.Peers[0], c.in.Peers[1], c.in.first, &c.in.spare[1], c.in.Only.(*spoke)} {
				sum += p.ID
				if got := p.send(); got != sum || c.in.N != sum {
					t.Errorf("spoke %d comes to %d, and its hub to %d; want %d", p.ID, got, c.in.N, sum)
				}
			}
			if c.other.at.send(); c.other.N != 20 {
				t.Errorf("the other hub comes to %d, want 20", c.other.N)
			}
			if h.N != 0 || outer.other.N != 0 {
				t.Errorf("what ran in the copy changed the original: %d, %d", h.N, outer.other.N)
			}
		}
		if unused := w.Unused(); len(unused) > 0 {
			t.Errorf("it is said that %v is not used", unused)
		}
	}
}

// TestFieldsThatCannotBeMade checks the errors for fields that a Made cannot make.
func TestFieldsThatCannotBeMade(t *testing.T) {
	h := newHub()
	h.named = map[string]spoke{"a": {}}
	held := newHub()
	held.Only = spoke{}
	fails := madeAgain()
	fails.Made[0].Make = func(any, any) (any, error) { return nil, errors.New("no") }
	for _, c := range []struct {
		o    Options
		v    any
		want string
	}{
		{madeAgain(), h, "canon.spoke, which a function makes again in part, is held by value in a map"},
		{madeAgain(), held, "canon.spoke, which a function makes again in part, is held by value in an interface"},
		{madeAgain(), &spoke{}, "canon.spoke.send is made again for a *canon.hub, and no such object is around it"},
		{fails, newHub(), "canon.spoke.send is not made again: no"},
	} {
		for _, w := range copiers(t, c.o) {
			if _, err := w.Copy(c.v); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("copying a %T: %v; want %s", c.v, err, c.want)
			}
			if c.o.Made[0].Field = "canon.spoke.sent"; strings.Join(mustNew(t, c.o).Unused(), "") != "canon.spoke.sent" {
				t.Error("a field that is not there is not told")
			}
			c.o.Made[0].Field = "canon.spoke.send"
		}
	}
	wrong := madeAgain()
	wrong.Made[0].Type = reflect.TypeFor[func()]()
	if _, err := mustNew(t, wrong).Sum(newHub()); err == nil || !strings.Contains(err.Error(), "the function that makes it again returns a func(); have it return the field's type") {
		t.Errorf("a function of another type: %v", err)
	}
	wrong.Made[0].Owner = reflect.TypeFor[hub]()
	if _, err := New(wrong); err == nil || !strings.Contains(err.Error(), `makes field "canon.spoke.send" anew for a copied node has a parameter of type canon.hub; it must have a pointer`) {
		t.Errorf("an owner that is no pointer: %v", err)
	}
}
