package macemc_test

import (
	"strings"
	"testing"
	"testing/fstest"
)

// Each rule is shown to fire on a house small enough to read, and to be silent
// where it should be.

// fence and slash are constants so that the rules, which also read this file, do not take the examples below
// for parts of it.
const (
	fence = "```"
	slash = "/"
)

func house(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

func importsRule(tree fstest.MapFS) []string      { return imports(mustParse(tree), rooms) }
func undocumentedRule(tree fstest.MapFS) []string { return undocumented(mustParse(tree)) }
func drawingRule(tree fstest.MapFS) []string {
	small := []room{{path: "sim"}, {path: "systems/*", may: []string{"sim"}}}
	return drawing(string(tree[document].Data), mustParse(tree), small)
}

func vocabularyRule(tree fstest.MapFS) []string {
	return vocabulary(string(tree[document].Data), mustParse(tree))
}

func forbiddenRule(tree fstest.MapFS) []string {
	granted, problems := permissions(string(tree[document].Data))
	return append(problems, forbidden(mustParse(tree), granted)...)
}

func staleRule(tree fstest.MapFS) []string {
	granted, problems := permissions(string(tree[document].Data))
	return append(problems, stale(mustParse(tree), granted)...)
}

func unmentionableRule(tree fstest.MapFS) []string { return unmentionable(tree) }

func mustParse(tree fstest.MapFS) []source {
	sources, err := parse(tree)
	if err != nil {
		panic(err)
	}
	return sources
}

// granting returns an architecture document that has these lines as its permissions.
func granting(lines ...string) string {
	return "# A house\n\n" + fence + "permissions\n" + strings.Join(lines, "\n") + "\n" + fence + "\n"
}

// drawn returns an architecture document that has these lines as its drawing of rooms.
func drawn(lines ...string) string {
	return "\n" + fence + "rooms\n" + strings.Join(lines, "\n") + "\n" + fence + "\n"
}

// worded returns a document with a text, and a table of words that has one word.
func worded(text, word string) string {
	table := "| word | meaning |\n|---|---|\n"
	if word != "" {
		table += "| " + word + " | one thing |\n"
	}
	return text + "\n\n## Words\n\n" + table
}

func TestRulesFire(t *testing.T) {
	const workers = "internal/search/workers.go  clock goroutines  workers are goroutines"
	for _, test := range []struct {
		name  string
		rule  func(fstest.MapFS) []string
		files map[string]string
		want  string // part of the only problem; "" means none
	}{
		// Imports.
		{"down", importsRule, map[string]string{"sim/a.go": `package sim; import ("fmt"; "macemc/choose")`}, ""},
		{"up", importsRule, map[string]string{"internal/search/a.go": "package search\nimport \"macemc/internal/critical\""},
			"internal/search/a.go:2: internal/search imports internal/critical: what is dead or critical, internal/decide says; what is told of it beyond that, whoever called"},
		{"default alternative", importsRule, map[string]string{"choose/a.go": `package choose; import "macemc/sim"`},
			"choose imports sim: choose knows alternatives and weights only"},
		{"family alternative", importsRule, map[string]string{"internal/search/a.go": `package search; import "macemc/systems/pastry"`},
			"search runs any sim.System; let the caller pass it"},
		{"what is allowed is said", importsRule, map[string]string{"internal/toy/a.go": `package toy; import "macemc/choose"`},
			"(internal/toy may import: sim)"},
		{"system on system", importsRule, map[string]string{"systems/pastry/a.go": `package pastry; import "macemc/systems/transport"`}, ""},
		{"system on search", importsRule, map[string]string{"systems/pastry/a.go": `package pastry; import "macemc/internal/search"`},
			"a system imports nothing above sim"},
		{"test of a system on search", importsRule, map[string]string{"systems/pastry/a_test.go": `package pastry_test; import ("macemc/internal/search"; "macemc/systems/pastry")`}, ""},
		{"test with a transcript", importsRule, map[string]string{"choose/a_test.go": `package choose_test; import ("macemc/internal/transcript"; "macemc/choose")`}, ""},
		{"code with a transcript", importsRule, map[string]string{"choose/a.go": `package choose; import "macemc/internal/transcript"`},
			"choose imports internal/transcript"},
		{"test upwards", importsRule, map[string]string{"choose/a_test.go": `package choose_test; import "macemc/internal/search"`},
			"choose imports internal/search"},
		{"root", importsRule, map[string]string{"a.go": `package macemc; import "macemc/sim"`}, ". imports sim: the root holds documentation"},
		{"import of the root", importsRule, map[string]string{"sim/a.go": `package sim; import "macemc"`}, "sim imports .:"},
		{"unknown room", importsRule, map[string]string{"attic/a.go": `package attic`, "attic/b.go": `package attic`},
			"attic/a.go: package attic is in no room; put it into the table"},
		{"room below a family", importsRule, map[string]string{"systems/pastry/ring/a.go": `package ring`},
			"package systems/pastry/ring is in no room"},
		{"library", importsRule, map[string]string{"mdb/a.go": `package mdb; import "github.com/gdamore/tcell/v2"`},
			"mdb imports github.com/gdamore/tcell/v2: return text or a model"},
		{"library in its room", importsRule, map[string]string{"command/a.go": `package command; import "github.com/spf13/cobra"`}, ""},
		{"module of its own", importsRule, map[string]string{"examples/raft/go.mod": "module raft", "examples/raft/a.go": `package raft; import "macemc/internal/search"`}, ""},
		{"test data", importsRule, map[string]string{"sim/testdata/a.go": `package broken; import "macemc/internal/search"`}, ""},

		// Permissions.
		{"clock", forbiddenRule, map[string]string{document: granting(workers), "sim/a.go": "package sim\nimport \"time\"\nvar t = time.Now()"},
			"sim/a.go:3: time.Now (clock) is not allowed here: ask Env.Now"},
		{"clock as a value", forbiddenRule, map[string]string{document: granting(workers), "sim/a.go": `package sim; import "time"; var now = time.Now`}, "time.Now (clock)"},
		{"clock by another name", forbiddenRule, map[string]string{document: granting(workers), "sim/a.go": `package sim; import wall "time"; var t = wall.Tick(1)`}, "time.Tick (clock)"},
		{"clock in a context", forbiddenRule, map[string]string{document: granting(workers), "sim/a.go": `package sim; import "context"; var f = context.WithTimeout`}, "context.WithTimeout (clock)"},
		{"duration", forbiddenRule, map[string]string{document: granting(workers), "sim/a.go": `package sim; import "time"; const d = 3 * time.Second; type x struct { d time.Duration }`}, ""},
		{"go statement", forbiddenRule, map[string]string{document: granting(workers), "sim/a.go": `package sim; func f() { go f() }`}, "a go statement (goroutines)"},
		{"channel", forbiddenRule, map[string]string{document: granting(workers), "sim/a.go": `package sim; var c = make(chan int, 1)`}, "a channel (goroutines)"},
		{"wait group", forbiddenRule, map[string]string{document: granting(workers), "sim/a.go": `package sim; import "sync"; var g sync.WaitGroup; func f() { g.Go(f) }`}, "a goroutine of a group (goroutines)"},
		{"map", forbiddenRule, map[string]string{document: granting(workers), "sim/a.go": `package sim; var m = make(map[int]int)`}, ""},
		{"randomness", forbiddenRule, map[string]string{document: granting(workers), "sim/a.go": `package sim; import _ "crypto/rand"`}, "crypto/rand (randomness)"},
		{"permitted", forbiddenRule, map[string]string{document: granting(workers), "internal/search/workers.go": `package search; import "time"; func f() { go f(); time.Sleep(1) }`}, ""},
		{"permitted in its file only", forbiddenRule, map[string]string{document: granting(workers), "internal/search/run.go": `package search; func f() { go f() }`}, "internal/search/run.go:1: a go statement"},
		{"other kind permitted", forbiddenRule, map[string]string{document: granting(workers), "internal/search/workers.go": `package search; import _ "math/rand/v2"`}, "math/rand/v2 (randomness)"},
		{"folder", forbiddenRule, map[string]string{document: granting("live/  clock  the real world"), "live/a.go": `package live; import "time"; var t = time.Now()`}, ""},
		{"test", forbiddenRule, map[string]string{document: granting(workers), "sim/a_test.go": `package sim; import ("time"; "math/rand/v2"); var t = time.Now(); var r = rand.New(rand.NewPCG(1, 2)); func f() { go f() }`}, ""},
		{"sleeping test", forbiddenRule, map[string]string{document: granting(workers), "sim/a_test.go": `package sim; import "time"; func f() { time.Sleep(1) }`}, "tests never sleep"},
		{"sleeping test in a permitted folder", forbiddenRule, map[string]string{document: granting("live/  clock  the real world"), "live/a_test.go": `package live; import "time"; func f() { time.Sleep(1) }`}, "tests never sleep"},
		{"shared generator", forbiddenRule, map[string]string{document: granting("choose/walk.go  randomness  walks"), "choose/walk.go": `package choose; import "math/rand/v2"; var n = rand.IntN(3)`}, "math/rand/v2.IntN draws from the shared generator"},
		{"own generator", forbiddenRule, map[string]string{document: granting("choose/walk.go  randomness  walks"), "choose/walk.go": `package choose; import "math/rand/v2"; var r *rand.Rand = rand.New(rand.NewPCG(1, 2))`}, ""},
		{"no block", forbiddenRule, map[string]string{document: "# A house\n"}, "has 0 permissions blocks"},
		{"no reason", forbiddenRule, map[string]string{document: granting("live/  clock")}, "needs a path, kinds and a reason"},
		{"unknown kind", forbiddenRule, map[string]string{document: granting("live/  clocks  the real world")}, `has the kind "clocks"; there are bubble, clock, goroutines, randomness`},
		{"stale", staleRule, map[string]string{document: granting(workers), "internal/search/workers.go": `package search; func f() { go f() }`}, `internal/search/workers.go has the permission "clock" and does not need it`},
		{"stale folder", staleRule, map[string]string{document: granting("live/  clock  the real world"), "live/a.go": `package live`}, `live/ has the permission "clock"`},
		{"not built", staleRule, map[string]string{document: granting(workers), "internal/search/run.go": `package search`}, ""},

		// Documentation.
		{"documented", undocumentedRule, map[string]string{"sim/doc.go": "// Package sim runs. It never searches.\npackage sim", "sim/a.go": "package sim"}, ""},
		{"one sentence", undocumentedRule, map[string]string{"sim/doc.go": "// Package sim runs.\npackage sim"}, "sim: needs a doc.go"},
		{"comment elsewhere", undocumentedRule, map[string]string{"sim/a.go": "// Package sim runs. It never searches.\npackage sim"}, "sim: needs a doc.go"},
		{"tests only", undocumentedRule, map[string]string{"sim/a_test.go": "package sim"}, ""},

		// The drawing.
		{"drawn", drawingRule, map[string]string{document: drawn("systems/*  sim", "sim  the contract"), "sim/a.go": "package sim", "systems/x/a.go": "package x"}, ""},
		{"built and not drawn", drawingRule, map[string]string{document: drawn("systems/*"), "sim/a.go": "package sim", "systems/x/a.go": "package x"}, "sim is built: draw it"},
		{"drawn on one line", drawingRule, map[string]string{document: drawn("sim systems/*"), "sim/a.go": "package sim", "systems/x/a.go": "package x"}, "systems/* may import sim: draw it on a line above"},
		{"drawn upside down", drawingRule, map[string]string{document: drawn("sim", "systems/*"), "sim/a.go": "package sim", "systems/x/a.go": "package x"}, "systems/* may import sim: draw it on a line above"},
		{"in the table and not built", drawingRule, map[string]string{document: drawn("systems/*", "sim"), "sim/a.go": "package sim"}, "systems/* is in the table of arch_test.go and has no package"},
		{"drawn and not in the table", drawingRule, map[string]string{document: drawn("attic systems/*", "sim"), "sim/a.go": "package sim", "systems/x/a.go": "package x"}, "the drawing has attic"},
		{"too long", drawingRule, map[string]string{document: drawn("systems/*", "sim") + strings.Repeat("\n", documentMax), "sim/a.go": "package sim", "systems/x/a.go": "package x"}, "may have 250"},
		{"no drawing", drawingRule, map[string]string{document: "# A house\n"}, "has 0 drawings"},

		// The words.
		{"a word", vocabularyRule, map[string]string{document: worded("A *bank* keeps parts.", "bank"), "sim/a.go": "package sim\nvar theBank int"}, ""},
		{"several of them", vocabularyRule, map[string]string{document: worded("So *banks* keep parts.", "bank"), "sim/a.go": "package sim // a bank"}, ""},
		{"a word without a row", vocabularyRule, map[string]string{document: worded("A *bank* keeps parts.", ""), "sim/a.go": "package sim"}, `introduces the word "bank": give it a row`},
		{"a row that no code uses", vocabularyRule, map[string]string{document: worded("", "transient state"), "sim/a.go": "package sim\nvar states, state int"}, `the word "transient state", which no code uses`},
		{"a row that tests alone use", vocabularyRule, map[string]string{document: worded("", "bank"), "sim/a_test.go": "package sim // bank"}, "which no code uses"},
		{"a type of a room", vocabularyRule, map[string]string{document: worded("", ""), "internal/search/doc.go": "// Package search has a [Lab]. It is one.\npackage search"}, `internal/search/doc.go introduces the word "lab"`},
		{"a type of another", vocabularyRule, map[string]string{document: worded("", ""), "sim/doc.go": "// Package sim has a [Lab]. It is one.\npackage sim"}, ""},
		{"no table", vocabularyRule, map[string]string{document: "# A house\n"}, "has no section with the words"},

		// Names.
		{"machine path", unmentionableRule, map[string]string{"a.md": "first\nsee " + slash + "work/main\n"}, "a.md:2:"},
		{"home of somebody", unmentionableRule, map[string]string{"a.md": "(" + slash + "home/me/src)"}, "a.md:1:"},
		{"path inside the repository", unmentionableRule, map[string]string{"a.md": "systems/work/ and ./work/ and https://example.org/work/"}, ""},
		{"helper", unmentionableRule, map[string]string{"a.md": "by a Sub" + "agent"}, "a.md:1:"},
		{"outside the repository", unmentionableRule, map[string]string{"a.md": ".." + slash + "shared/x"}, "a.md:1:"},
		{"ignored", unmentionableRule, map[string]string{".gitignore": "/bin/\n*.out\n", "bin/a": slash + "work/x", "a.out": slash + "work/x"}, ""},
		{"binary", unmentionableRule, map[string]string{"a.png": "\x00" + slash + "work/x"}, ""},
		{"unknown ignore", unmentionableRule, map[string]string{".gitignore": "!kept\n"}, "this test understands"},
	} {
		t.Run(test.name, func(t *testing.T) {
			problems := test.rule(house(test.files))
			switch {
			case test.want == "" && len(problems) != 0:
				t.Errorf("want no problem, got %q", problems)
			case test.want != "" && (len(problems) != 1 || !strings.Contains(problems[0], test.want)):
				t.Errorf("want one problem with %q, got %q", test.want, problems)
			}
		})
	}
}

func TestTableOrder(t *testing.T) {
	for _, test := range []struct {
		name  string
		rooms []room
		want  int
	}{
		{"down", []room{{path: "sim"}, {path: "search", may: []string{"sim"}}}, 0},
		{"up", []room{{path: "sim", may: []string{"search"}}, {path: "search"}}, 1},
		{"itself", []room{{path: "sim", may: []string{"sim"}}}, 1},
		{"family", []room{{path: "systems/*", may: []string{"systems/*"}}}, 0},
	} {
		if problems := tableOrder(test.rooms); len(problems) != test.want {
			t.Errorf("%s: want %d problems, got %q", test.name, test.want, problems)
		}
	}
}
