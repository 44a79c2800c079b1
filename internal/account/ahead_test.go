package account

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/search"
	"macemc/sim"
)

// look is an outlook whose end has these fields, as path=value, and in which these
// deeds were done.
func look(end string, deeds ...Deed) outlook {
	o := outlook{did: map[Deed]bool{}, knows: map[[2]sim.Addr]bool{}, more: 5}
	for line := range strings.SplitSeq(end, "; ") {
		path, value, _ := strings.Cut(line, "=")
		l := canon.Line{Path: path, Value: value, Tag: world.Place{Part: world.PartField}.Tag()}
		if strings.Contains(path, " ") {
			l.Tag = world.Place{Part: world.PartTimer}.Tag()
		}
		o.end = append(o.end, l)
	}
	for _, d := range deeds {
		o.add(d)
	}
	return o
}

func addrs(t *testing.T) []sim.Addr {
	p, err := crowd.Configure(5, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Addrs()
}

// What is told of dead ends is what all of them have and no live one has.
func TestAhead(t *testing.T) {
	n := addrs(t)
	gets := func(at sim.Addr, what string) Deed { return Deed{at, sim.KindMessage, false, what} }
	sends := func(at sim.Addr, what string) Deed { return Deed{at, sim.KindMessage, true, what} }
	o := outlooks{
		dead: []outlook{
			look("n0.x=1; n1.x=2; n1.y=3; n0 timer=t{}; n2.z=5", gets(n[0], "ping")),
			look("n0.x=1; n1.x=2; n1.y=4; n0 timer=t{}", gets(n[0], "ping")),
		},
		live: []outlook{
			look("n0.x=1; n1.x=7; n1.y=9; n1.new=8", gets(n[0], "ping"), gets(n[1], "pong"), sends(n[0], "pong")),
			look("n0.x=1; n1.x=8; n1.y=9; n1.new=8", gets(n[0], "ping"), gets(n[1], "pong"), sends(n[1], "pong"), gets(n[0], "rare")),
		},
	}
	o.dead[0].waits.Timers = n[:1]
	a := o.told(n)
	if got, want := fmt.Sprint(a.Agreed), "[{n1.new [] [8]} {n1.x [2] [7 8]}]"; got != want {
		t.Errorf("the lines are %s, want %s", got, want)
	}
	if want := []Deed{sends(sim.Addr{}, "pong"), gets(n[1], "pong")}; !slices.Equal(a.Lacks, want) {
		t.Errorf("there lacks %v, want %v", a.Lacks, want)
	}
	if !slices.Equal(a.Still, n[1:]) || a.UnderWay || a.Tasks || a.Quiet || a.Steps != 5 {
		t.Errorf("%+v", a)
	}
	o.live = nil // dead from the start: there is nothing to compare with
	if a := o.told(n); len(a.Agreed)+len(a.Lacks)+len(a.Strangers) > 0 {
		t.Errorf("without live walks there are %+v", a)
	}
}

// Peers that disagree are told: one has taken the other, which has not heard of it.
func TestStrangers(t *testing.T) {
	n := addrs(t)
	know := func(pairs ...[2]int) outlook {
		o := look("n0.x=1")
		for _, p := range pairs {
			o.knows[[2]sim.Addr{n[p[0]], n[p[1]]}] = true
		}
		return o
	}
	all := [][2]int{{0, 1}, {1, 0}, {2, 0}, {0, 2}}
	o := outlooks{
		dead: []outlook{know([2]int{0, 1}, [2]int{2, 0}), know([2]int{0, 1}, [2]int{2, 0}, [2]int{1, 2})},
		live: []outlook{know(all...), know(all[:3]...)},
	}
	if got := o.told(n).Strangers; !slices.Equal(got, [][2]sim.Addr{{n[0], n[1]}}) {
		t.Errorf("%v", got)
	}
	o.dead[1] = know([2]int{0, 1}, [2]int{1, 0})
	if got := o.told(n).Strangers; len(got) > 0 {
		t.Errorf("one of the dead ends agrees, and %v", got)
	}
}

// peers knows others by fields, keys and what lies behind pointers and interfaces;
// words, and what is left out of its state, are nobody's names.
type peers struct {
	Papa  *sim.Addr
	Kids  map[sim.Addr]struct{ Last any }
	Word  string
	Aside sim.Addr `mc:"-"`
}

func (*peers) Init(sim.Env)                           {}
func (*peers) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*peers) Handle(sim.Env, sim.Signal)             {}

var crowd = &sim.System{Name: "crowd", Doc: "Peers. They know each other.", New: func(p sim.Params, at sim.Addr) sim.Node {
	n := p.Addrs()
	if at != n[0] {
		return &peers{Word: n[0].String()}
	}
	return &peers{Papa: &n[1], Kids: map[sim.Addr]struct{ Last any }{n[2]: {n[3]}}, Aside: n[4]}
}}

func TestAcquaintances(t *testing.T) {
	n := addrs(t)
	path := &choose.Path{Header: []choose.Field{{Key: "system", Value: "crowd"}, {Key: "nodes", Value: "5"}}}
	player, err := search.NewPlayer(crowd, path)
	if err != nil {
		t.Fatal(err)
	}
	player.Start(choose.NewRaw(nil))
	w := player.World()
	if got := w.State.Knows(n[0]); !slices.Equal(got, n[1:4]) {
		t.Errorf("it knows %v", got)
	}
	if got := w.State.Knows(n[1]); len(got) > 0 {
		t.Errorf("a word is taken for %v", got)
	}
}
