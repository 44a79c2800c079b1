package account

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// A carrier is a layer around a shop. The shop's method Handle is that of a field that it embeds.
type (
	carrier struct{ upper sim.Node }
	resend  struct{ n int }
	parcel  struct{ thing any }

	shop  struct{ till }
	till  struct{ sold int }
	order struct{}
	sale  struct{}
)

func (c *carrier) Init(env sim.Env) { // carrier init
	c.upper.Init(env)
}

func (c *carrier) Upper() sim.Node { return c.upper }
func (c *carrier) Handle(env sim.Env, s sim.Signal) { // carrier handle
	switch s.(type) {
	case resend: // carrier resend
	default:
		c.upper.Handle(env, s)
	}
}

func (c *carrier) Deliver(env sim.Env, from sim.Addr, m sim.Message) { // carrier deliver
	switch m := m.(type) {
	case *parcel: // carrier parcel
		c.upper.Deliver(env, from, m.thing)
	}
}

func (*shop) Init(sim.Env)                           {}
func (*shop) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (t *till) Handle(_ sim.Env, s sim.Signal) { // till handle
	switch s.(type) {
	case sale, sim.PeerError: // till sale
		t.sold++
	}
}

var mall = &sim.System{Name: "mall", Doc: "A shop. It sells.",
	New: func(sim.Params, sim.Addr) sim.Node { return &carrier{&shop{}} }} // mall new

// line returns the number of the line of this file that ends with a mark.
func line(t *testing.T, mark string) int {
	t.Helper()
	return lineOf(t, "source_test.go", mark)
}

func lineOf(t *testing.T, file, mark string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(one, "// "+mark) {
			return i + 1
		}
	}
	t.Fatalf("no line ends with %q", mark)
	return 0
}

// The source of a step is the case that names the type of its value, in whatever layer that is. If
// no case does, it is the method.
func TestSourceOfStep(t *testing.T) {
	params, err := mall.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	n0, n1 := params.Addr(0), params.Addr(1)
	event := func(kind sim.Kind, value any) sim.Event {
		return sim.Event{Node: n0, From: n1, Kind: kind, Value: value}
	}
	for _, c := range []struct {
		name string
		last sim.Event
		mark string
	}{
		{"a timer of the carrier", event(sim.KindTimer, resend{1}), "carrier resend"},
		{"a message of the carrier, by pointer", event(sim.KindMessage, &parcel{}), "carrier parcel"},
		{"a datagram out of order", event(sim.KindReorder, &parcel{}), "carrier parcel"},
		{"a task of the shop, embedded", event(sim.KindTask, sale{}), "till sale"},
		{"an error, which the shop hears", event(sim.KindError, nil), "till sale"},
		{"a type that no case names", event(sim.KindScript, order{}), "carrier handle"},
		{"a type of Go's own", event(sim.KindMessage, "text"), "carrier deliver"},
		{"a restart", event(sim.KindRestart, nil), "carrier init"},
		{"a crash, before which a timer fired", event(sim.KindCrash, nil), "carrier resend"},
		{"a loss, of what a timer sent", event(sim.KindLose, &parcel{}), "carrier resend"},
	} {
		ran := &trace.Trace{Steps: []trace.Step{
			{Index: 1, Node: n0, Event: event(sim.KindTimer, resend{1})},
			{Index: 2, Node: n0, Event: c.last, Causes: []int{1}},
		}}
		f := &search.Finding{Failure: trace.Failure{Step: 2}, Trace: ran}
		got := NewSources(mall, params).Of(f)
		if got.File != "internal/account/source_test.go" || got.Line != line(t, c.mark) {
			t.Errorf("%s: %s:%d (%s), want line %d, %s", c.name, got.File, got.Line, got.Func, line(t, c.mark), c.mark)
		}
	}
}

// If no step caused the failure, its source is the place where the nodes are made; a panic
// names its own place.
func TestSourceElsewhere(t *testing.T) {
	params, err := mall.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := NewSources(mall, params)
	if got := all.Of(&search.Finding{Trace: &trace.Trace{}}); got.Line != line(t, "mall new") {
		t.Errorf("dead from the start: line %d, want %d", got.Line, line(t, "mall new"))
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	stack := "fmt.Sprint\n\t/usr/lib/go/src/fmt/print.go:7\nmacemc/internal/account.f\n\t" + here + "/none.go:12\n"
	if got := all.Of(&search.Finding{Failure: trace.Failure{Stack: stack}}); got.File != "internal/account/none.go" || got.Line != 12 {
		t.Errorf("a panic: %s:%d", got.File, got.Line)
	}
	if got, want := Stack(stack), "fmt.Sprint\n\t/usr/lib/go/src/fmt/print.go:7\nmacemc/internal/account.f\n\tinternal/account/none.go:12\n"; got != want {
		t.Errorf("the stack is %q, want %q", got, want)
	}
}

// A function that a variable holds has no name of its own, so its code has the name of the
// variable.
func TestAroundNamesTheVariable(t *testing.T) {
	l := NewSources(&sim.System{}, sim.Params{})
	file, err := filepath.Abs("order_test.go")
	if err != nil {
		t.Fatal(err)
	}
	line := 1 + slices.IndexFunc(l.text(file), func(text string) bool { return strings.HasPrefix(text, "var jumbledHandlers = ") })
	if at, _, ok := l.around(file, line); !ok || at.Func != "account.jumbledHandlers" {
		t.Errorf("line %d is that of %+v", line, at)
	}
}
