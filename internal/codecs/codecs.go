package codecs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"macemc/internal/canon"
	"macemc/internal/codec"
	"macemc/internal/contract"
	"macemc/internal/handler"
	"macemc/internal/sight"
	"macemc/sim"
)

var codecs sync.Map // *sim.System: *codec.Codec

// Of returns the codec of a system's messages, signals and nodes, which reads the types of the packages to
// which the nodes lead. Live nodes use it unless live.Config.Codec is set.
func Of(sys *sim.System) *codec.Codec {
	if c, is := codecs.Load(sys); is {
		return c.(*codec.Codec)
	}
	var made []string
	for _, m := range contract.Rules(sys).Made {
		made = append(made, m.Field)
	}
	left, shared := opaque(slices.Concat(sys.Opaque, made)), opaque(sys.Immutable)
	c := codec.New(func(in reflect.Type, f reflect.StructField) bool {
		return left(in, f) || f.Type.Kind() == reflect.Func && shared(in, f)
	}, reflect.TypeFor[sim.PeerError]())
	c.Allow(reflect.TypeFor[sim.Join]())
	c.Allow(reflect.TypeFor[sim.Leave]())
	p, err := sys.Resolve(sim.Params{})
	if err == nil {
		for _, self := range p.Addrs() {
			allowNode(c, sys, p, self)
		}
	}
	actual, _ := codecs.LoadOrStore(sys, c)
	return actual.(*codec.Codec)
}

// allowNode makes c read the types of the fields of a node, and of the messages and signals that it handles.
func allowNode(c *codec.Codec, sys *sim.System, p sim.Params, self sim.Addr) {
	defer func() { _ = recover() }() // if New panics, the code that starts the node reports it
	for n := sys.New(p, self); n != nil; n = handler.Upper(n) {
		if h, is := n.(sight.Handled); is {
			for _, one := range h.Handlers().List {
				if one.Of != nil {
					c.Allow(one.Of)
				}
			}
		}
		c.Near(reflect.TypeOf(sight.Subject(n)))
	}
	if sys.Script != nil {
		for _, s := range sys.Script(p, self, 0) {
			c.Allow(reflect.TypeOf(s))
		}
	}
}

// opaque returns a function that reports whether one of the rules, which have the form of sim.System.Opaque,
// names a field.
func opaque(rules []string) func(reflect.Type, reflect.StructField) bool {
	names := func(t reflect.Type) []string {
		pkg, _, _ := strings.Cut(t.String(), ".")
		return []string{t.PkgPath() + "." + t.Name(), pkg + "." + t.Name()}
	}
	return func(in reflect.Type, f reflect.StructField) bool {
		if slices.Contains(rules, "*."+f.Name) {
			return true
		}
		for _, name := range names(in) {
			if slices.Contains(rules, name+"."+f.Name) {
				return true
			}
		}
		of := f.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		return of.Name() != "" && slices.ContainsFunc(names(of), func(name string) bool { return slices.Contains(rules, name) })
	}
}

// Walker returns the walker that computes the identity of a system's nodes, which is the same for a live node
// and in a simulation. It leaves out times, since these are readings of a clock in a live node and symbolic in
// a simulation.
func Walker(sys *sim.System) (*canon.Walker, error) {
	o := contract.Rules(sys)
	o.Skip = []reflect.Type{reflect.TypeFor[sim.Env](), reflect.TypeFor[sight.Port](), reflect.TypeFor[sight.Table](), reflect.TypeFor[instant]()}
	o.Named = []reflect.Type{reflect.TypeFor[sim.Addr]()}
	o.Through = reflect.TypeFor[sight.Handled]()
	w, err := canon.New(o)
	if err != nil {
		return nil, fmt.Errorf("system %s: %w", sys.Name, err)
	}
	return w, nil
}

// instant is a macetime.Time or a macetime.Monotone.
type instant interface {
	IsZero() bool
	Instant()
}
