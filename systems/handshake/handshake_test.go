package handshake

import (
	"strings"
	"testing"

	"macemc/sim"
)

// Both ends can get connected from every state of the space. The counts are those of states before Heal.
func TestCorrect(t *testing.T) {
	for _, c := range []struct {
		faults sim.Faults
		states int
	}{
		{sim.Faults{}, 32},
		{sim.Faults{Loss: 1}, 70},
		{System.Tolerates, 285},
		{sim.Faults{Loss: sim.Unlimited, Dup: sim.Unlimited, Reorder: sim.Unlimited}, 49},
	} {
		g := explore(t, c.faults)
		if n := g.count(false); n != c.states {
			t.Errorf("%s: %d states, want %d", c.faults, n, c.states)
		}
		if dead := g.dead(); len(dead) > 0 {
			t.Errorf("%s: %d dead states; the first one:\n%s", c.faults, len(dead), strings.Join(dead[0].path, "\n"))
		}
	}
}

// HS1 is found with one lost datagram, and not found without any.
func TestHS1(t *testing.T) {
	if dead := explore(t, sim.Faults{}, string(HS1)).dead(); len(dead) > 0 {
		t.Errorf("dead without a fault:\n%s", strings.Join(dead[0].path, "\n"))
	}
	g := explore(t, sim.Faults{Loss: 1}, string(HS1))
	dead := g.dead()
	if len(dead) == 0 {
		t.Fatal("not found")
	}
	const want = `n0 script connect{}
n1 message hello{} from n0 by udp
n0 message welcome{} from n1 by udp
n1 lose confirm{} from n0
heal`
	if got := strings.Join(dead[0].path, "\n"); got != want {
		t.Errorf("the first dead state is reached by\n%s\nwant\n%s", got, want)
	}
	t.Logf("%d states, %d healed, %d of them dead", g.count(false), g.count(true), len(dead))
}
