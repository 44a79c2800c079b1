package command

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"macemc/sim"
)

// A cable is a message whose bytes say nothing to people, and wake and order are such signals.
type (
	cable string
	wake  string
	order string
)

const rawBytes = "\x01xyzzy"

func (c cable) String() string { return fmt.Sprintf("a cable of %d bytes", len(c)) }
func (w wake) String() string  { return fmt.Sprintf("at the hour of %d", len(w)) }
func (o order) String() string { return fmt.Sprintf("an order of %d words", len(o)) }

var cables int // an accident: what is sent depends on it

// office sends a cable to the others on request, and when it wakes.
type office struct {
	Sent, Got int
	fails     sim.BugID
}

const (
	tooMany  sim.BugID = "OF1" // a third is sent, which a monitor does not permit
	wayward  sim.BugID = "OF2" // a step comes to something else each time
	rewrites sim.BugID = "OF3" // a message is changed after it was sent
	refuses  sim.BugID = "OF4" // a message has no handler
)

func (*office) Init(env sim.Env) { env.After(1, wake(rawBytes)) }

func (o *office) Handle(env sim.Env, s sim.Signal) {
	if _, is := s.(wake); is && o.Sent == 0 {
		env.After(1, s)
		return
	}
	o.Sent++
	for _, p := range env.Peers() {
		env.TCP().Send(p, cable(rawBytes))
		env.UDP().Send(p, cable(rawBytes))
		if text := cable(rawBytes); o.fails == wayward {
			cables++
			text += cable(strings.Repeat("o", cables%2))
			env.Bag().Send(p, text)
		}
		if o.fails == rewrites {
			env.Bag().Send(p, parcel{&o.Sent})
		}
		env.Bag().Send(p, cable(rawBytes))
	}
	env.Emit(cable(rawBytes))
	env.Store().Put("sent", "yes")
}

// parcel is a message that its sender can still change.
type parcel struct{ count *int }

func (p parcel) String() string { return fmt.Sprintf("a parcel of %d", *p.count) }

func (o *office) Deliver(env sim.Env, _ sim.Addr, m sim.Message) {
	if text, is := m.(cable); is && o.fails == refuses && o.Got == 1 {
		panic(fmt.Sprint("nobody reads ", text))
	}
	if o.Got++; o.Got == 2 {
		env.Post(order(rawBytes))
	}
}

func offices() *sim.System {
	return &sim.System{
		Name: "offices", Doc: "Two offices that send cables.", Tolerates: sim.Faults{Down: 1, Loss: 1, Dup: 1},
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		Bugs:  []sim.Bug{{ID: tooMany, Story: "Too many."}, {ID: wayward, Story: "By accident."}, {ID: rewrites, Story: "It changes what was sent."}, {ID: refuses, Story: "It panics."}},
		New: func(p sim.Params, _ sim.Addr) sim.Node {
			return &office{fails: append(slices.Clone(p.Bugs()), "")[0]}
		},
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{order(rawBytes)} },
		Properties: []sim.Property{
			sim.Monitor("never three cables", func(m *struct{ N, Most int }, _ sim.Addr, fact any) error {
				if m.N++; m.N == 3 {
					return fmt.Errorf("the third is %v", fact)
				}
				return nil
			}),
			sim.Eventually("all have some", func(v sim.View[*office]) bool {
				for _, o := range v.Nodes() {
					if o.Got == 0 {
						return false
					}
				}
				return true
			}),
		},
		Opaque: []string{"command.office.fails"},
	}
}

// All output for people shows a message or a signal by its String; output for programs has the String
// beside the exact text.
func TestStringEverywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	texts := map[string]string{}
	run := func(line string, in ...string) {
		var out bytes.Buffer
		tool := &tool{Program: Program{Systems: []*sim.System{offices()}}, calling: calling{Name: "macemc"}, stdout: &out, stderr: &out, exit: func(int) { panic("exit") }, getenv: func(string) string { return "" }}
		root := tool.root()
		root.SetArgs(words(line))
		root.SetIn(strings.NewReader(strings.Join(in, "\n")))
		root.SetOut(&out)
		root.SetErr(&out)
		if err := root.Execute(); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		texts[line] = out.String()
	}
	for _, bug := range []sim.BugID{tooMany, wayward, rewrites, refuses} {
		run(fmt.Sprintf("search offices --bug %s --depth 5 --no-walks --no-lines --no-critical --profile-space --github --sarif %s.sarif --junit %s.xml", bug, bug, bug))
	}
	run("search offices --bug OF1 --depth 5 --no-lines --no-walks --json --out json")
	files, err := filepath.Glob("macemc-findings/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "OF1.sarif", "OF1.xml") {
		texts[name] = get(t, name)
	}
	at, err := filepath.Glob("json/*")
	if err != nil || len(at) != 1 {
		t.Fatal(at, err)
	}
	for _, format := range formatNames() {
		run("graph " + at[0] + " --format " + format + " --out drawn")
		texts["graph "+at[0]+" --format "+format+" --out drawn"] = get(t, "drawn")
	}
	for _, script := range []string{
		"list all", "list sends cable", "jump end; show", "jump 2; state", `jump 2; state "n0 timer"`, "jump 2; pending", "jump 3; prev; diff 0", "jump 2; alternatives",
		"jump 2; take 2; diff trunk; aligned trunk", "jump 1; watch script; continue", "jump 2; field timer", "jump 2; walk 3; list", "jump 2; take 1; show",
	} {
		run("mdb " + at[0] + " -x '" + script + "'")
	}
	run("mdb "+at[0]+" --serve --at 3", `{"op": "steps", "from": 0, "to": 3}`, `{"op": "step"}`, `{"op": "state"}`, `{"op": "diff", "step": 1, "with_step": 3}`, `{"op": "do", "line": "show"}`)
	run("critical " + at[0])
	run("replay " + at[0])
	run("replay " + at[0] + " --json")
	run("live offices --bug OF1 --in-process --time 100ms --record run")
	run("merge run")
	run("mdb run/merged.path -x 'list all'")
	exact := regexp.MustCompile(`\.path$`)                    // what identifies a run
	both := regexp.MustCompile(`--json|--serve|trace\.jsonl`) // for programs
	clocked := regexp.MustCompile(`^live|run/merged|^merge`)  // their progress depends on the machine
	for name, text := range texts {
		told := false
		for line := range strings.Lines(text) {
			for _, of := range []string{"a cable of 6 bytes", "an order of 6 words", "at the hour of 6"} {
				told = told || strings.Contains(line, of)
			}
			if strings.Contains(line, "xyzzy") && !exact.MatchString(name) && !both.MatchString(name) {
				t.Errorf("%s prints the bytes of a message: %.300s", name, line)
			}
		}
		if !told && !exact.MatchString(name) && !clocked.MatchString(name) {
			t.Errorf("%s says nothing of cables, orders and hours:\n%.2000s", name, text)
		}
	}
}
