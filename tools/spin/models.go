package main

import (
	"fmt"
	"strings"
)

// A model is a transition system in Promela: one process that chooses among rules. A rule is a
// guard and an action, in one step. The state consists of the variables alone.
type model struct {
	variables []string
	rules     []rule
}

type rule struct{ guard, does string }

func (m *model) declare(format string, args ...any) {
	m.variables = append(m.variables, fmt.Sprintf(format, args...))
}

func (m *model) when(guard string, does ...string) {
	m.rules = append(m.rules, rule{guard, strings.Join(does, "; ")})
}

// String returns the model in Promela.
func (m *model) String() string {
	var b strings.Builder
	for _, v := range m.variables {
		fmt.Fprintf(&b, "%s;\n", v)
	}
	b.WriteString("\nactive proctype system() {\nend:\n\tdo\n")
	for _, r := range m.rules {
		fmt.Fprintf(&b, "\t:: d_step { %s -> %s }\n", r.guard, r.does)
	}
	b.WriteString("\tod\n}\n")
	return b.String()
}

// several returns a condition in Promela: that at least two bits of a variable are set, which is a
// majority of three.
func several(bits string) string { return fmt.Sprintf("(%[1]s & (%[1]s-1)) != 0", bits) }

// twophaseModel returns the model of systems/twophase with n managers. A manager is 0 while it
// works, 1 when it is prepared, 2 when it has committed, 3 when it has aborted. The variable said
// has a bit for each message "prepared" in the set, and order the messages that the coordinator has
// sent.
func twophaseModel(n int) *model {
	m := &model{}
	m.declare("byte at[%d]", n)
	m.declare("short said, heard")
	m.declare("byte order")
	all := 1<<n - 1
	m.when("order == 0", "order = 2")
	m.when(fmt.Sprintf("order == 0 && heard == %d", all), "order = 1")
	for i := range n {
		bit := 1 << i
		var none []string
		for k := range n {
			none = append(none, fmt.Sprintf("at[%d] != %%d", k))
		}
		no := func(state int) string {
			return fmt.Sprintf("assert(%s)", strings.ReplaceAll(strings.Join(none, " && "), "%d", fmt.Sprint(state)))
		}
		m.when(fmt.Sprintf("at[%d] == 0", i), fmt.Sprintf("at[%d] = 1", i), fmt.Sprintf("said = said | %d", bit))
		m.when(fmt.Sprintf("at[%d] == 0", i), fmt.Sprintf("at[%d] = 3", i), no(2))
		m.when(fmt.Sprintf("order == 0 && (said & %d)", bit), fmt.Sprintf("heard = heard | %d", bit))
		m.when("order == 1", fmt.Sprintf("at[%d] = 2", i), no(3))
		m.when("order == 2", fmt.Sprintf("at[%d] = 3", i), no(2))
	}
	return m
}

// paxosModel returns the model of systems/paxos with this number of proposers, three acceptors and
// a learner. Messages under way are bits by acceptor, since a proposer sends each acceptor at most
// one message of a type. A proposal is encoded as 4 times its ballot plus its value.
func paxosModel(proposers int) *model {
	m := &model{}
	m.declare("byte begun")
	m.declare("byte reads[%[1]d], replies[%[2]d], writes[%[1]d], written[%[1]d], accepts[%[1]d], accept[%[1]d]", proposers, 3*proposers)
	m.declare("byte heard[%[1]d], highest[%[1]d], over", proposers)
	m.declare("byte promised[3], accepted[3]")
	m.declare("byte votes[%d], chosen, learnt", proposers)
	for p := range proposers {
		ballot, mine := p+1, 1<<p
		m.when(fmt.Sprintf("!(begun & %d)", mine), fmt.Sprintf("begun = begun | %d", mine), fmt.Sprintf("reads[%d] = 7", p))
		for a := range 3 {
			bit, reply := 1<<a, fmt.Sprintf("replies[%d]", 3*p+a)
			m.when(fmt.Sprintf("reads[%d] & %d", p, bit),
				fmt.Sprintf("reads[%d] = reads[%d] & %d", p, p, 7&^bit),
				fmt.Sprintf("if :: promised[%[1]d] < %[2]d -> promised[%[1]d] = %[2]d; %[3]s = 1 + accepted[%[1]d] :: else fi", a, ballot, reply))
			m.when(fmt.Sprintf("%s && !(over & %d)", reply, mine),
				fmt.Sprintf("if :: %[1]s-1 > highest[%[2]d] -> highest[%[2]d] = %[1]s-1 :: else fi", reply, p),
				reply+" = 0",
				fmt.Sprintf("heard[%d] = heard[%d] | %d", p, p, bit),
				fmt.Sprintf("if :: %s -> over = over | %d; heard[%d] = 0; "+
					"if :: highest[%d] -> written[%d] = highest[%d] & 3 :: else -> written[%d] = %d fi; highest[%d] = 0; writes[%d] = 7 :: else fi",
					several(fmt.Sprintf("heard[%d]", p)), mine, p, p, p, p, p, ballot, p, p))
			m.when(fmt.Sprintf("writes[%d] & %d", p, bit),
				fmt.Sprintf("writes[%d] = writes[%d] & %d", p, p, 7&^bit),
				fmt.Sprintf("if :: promised[%[1]d] <= %[2]d -> promised[%[1]d] = %[2]d; accepted[%[1]d] = %[3]d + written[%[4]d]; "+
					"accepts[%[4]d] = accepts[%[4]d] | %[5]d; accept[%[4]d] = written[%[4]d] :: else fi", a, ballot, 4*ballot, p, bit),
				fmt.Sprintf("if :: writes[%[1]d] == 0 -> written[%[1]d] = 0 :: else fi", p))
			m.when(fmt.Sprintf("(accepts[%d] & %d) && !(chosen & %d)", p, bit, mine),
				fmt.Sprintf("accepts[%d] = accepts[%d] & %d", p, p, 7&^bit),
				fmt.Sprintf("votes[%d] = votes[%d] | %d", p, p, bit),
				fmt.Sprintf("if :: %[1]s -> chosen = chosen | %[2]d; votes[%[3]d] = 0; assert(learnt == 0 || learnt == accept[%[3]d]); learnt = accept[%[3]d] :: else fi",
					several(fmt.Sprintf("votes[%d]", p)), mine, p),
				fmt.Sprintf("if :: accepts[%[1]d] == 0 -> accept[%[1]d] = 0 :: else fi", p))
		}
	}
	return m
}

// storageModel returns the model of systems/storage with three objects, a writer and a reader, in
// which late answers are consumed. Messages under way are bits by object, for each operation. The
// number 0 means that there is none.
func storageModel(writes, reads int) *model {
	m := &model{}
	m.declare("byte holds[3]")
	m.declare("byte number, writing, acked, complete")
	m.declare("byte round, reading, answered, largest, low")
	m.declare("byte result[%d]", reads+1)
	m.declare("byte writes[%[1]d], acks[%[1]d]", writes+1)
	m.declare("byte reads[%d], values[%d]", reads+1, 3*(reads+1))
	m.when(fmt.Sprintf("!writing && number < %d", writes), "number++", "writing = 1", "writes[number] = 7")
	m.when(fmt.Sprintf("!reading && round < %d", reads), "round++", "reading = 1", "low = complete", "reads[round] = 7")
	for o := range 3 {
		bit, rest := 1<<o, 7&^(1<<o)
		for n := 1; n <= writes; n++ {
			m.when(fmt.Sprintf("writes[%d] & %d", n, bit),
				fmt.Sprintf("writes[%d] = writes[%d] & %d", n, n, rest),
				fmt.Sprintf("acks[%d] = acks[%d] | %d", n, n, bit),
				fmt.Sprintf("if :: holds[%[1]d] < %[2]d -> holds[%[1]d] = %[2]d :: else fi", o, n))
			m.when(fmt.Sprintf("acks[%d] & %d", n, bit),
				fmt.Sprintf("acks[%d] = acks[%d] & %d", n, n, rest),
				fmt.Sprintf("if :: writing && number == %d -> acked = acked | %d; if :: %s -> writing = 0; acked = 0; complete = %d :: else fi :: else fi",
					n, bit, several("acked"), n))
		}
		for k := 1; k <= reads; k++ {
			value := fmt.Sprintf("values[%d]", 3*k+o)
			m.when(fmt.Sprintf("reads[%d] & %d", k, bit),
				fmt.Sprintf("reads[%d] = reads[%d] & %d", k, k, rest),
				fmt.Sprintf("%s = 1 + holds[%d]", value, o))
			m.when(value,
				fmt.Sprintf("if :: reading && round == %d -> if :: largest < %s-1 -> largest = %s-1 :: else fi; answered = answered | %d; "+
					"if :: %s -> assert(largest >= low); result[%d] = 1 + largest; reading = 0; answered = 0; largest = 0; low = 0 :: else fi :: else fi",
					k, value, value, bit, several("answered"), k),
				value+" = 0")
		}
	}
	return m
}

// petersonModel returns the model of systems/peterson with n processes. That package explains the
// labels.
func petersonModel(n int) *model {
	m := &model{}
	m.declare("byte at[%[1]d], level[%[1]d], claim[%[1]d], turn[%[1]d]", n)
	for i := range n {
		var lower []string
		inside := "0"
		for k := range n {
			if k != i {
				lower = append(lower, fmt.Sprintf("claim[%d] < level[%d]", k, i))
				inside += fmt.Sprintf(" || at[%d] == 4", k)
			}
		}
		at := fmt.Sprintf("at[%d]", i)
		m.when(at+" == 0", fmt.Sprintf("level[%d] = 1", i), at+" = 1")
		m.when(at+" == 1", fmt.Sprintf("claim[%d] = level[%d]", i, i), at+" = 2")
		m.when(at+" == 2", fmt.Sprintf("turn[level[%d]] = %d", i, i), at+" = 3")
		m.when(fmt.Sprintf("%s == 3 && (turn[level[%d]] != %d || %s)", at, i, i, strings.Join(lower, " && ")),
			fmt.Sprintf("level[%d]++", i),
			fmt.Sprintf("if :: level[%d] == %d -> %s = 4; assert(!(%s)) :: else -> %s = 1 fi", i, n, at, inside, at))
		m.when(at+" == 4", fmt.Sprintf("claim[%d] = 1", i), at+" = 0")
	}
	return m
}
