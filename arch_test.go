package macemc_test

import (
	"io/fs"
	"os"
	"path"
	"testing"
)

// A room is a package, or a family of packages, with the packages of this module that it may import. Rooms are
// ordered, the lowest first: a room may import only rooms before it (and systems/* one another).
type room struct {
	path    string            // a pattern of path.Match, as are all the others
	may     []string          // what its code may import
	tests   []string          // what its tests may import in addition to may and everyTest
	instead map[string]string // what to do instead of importing a room; "" stands for every other
}

// everyTest is what the tests of any room may import.
var everyTest = []string{"internal/transcript", "internal/toy", "internal/spec", "internal/long", "internal/chromium", "macetime", "trace"}

var (
	belowSearch = []string{"internal/canon", "internal/kinds", "macetime", "choose", "netsim", "sim", "internal/contract", "trace", "internal/wording", "internal/charts", "internal/setting", "internal/observe", "internal/world"}
	belowMdb    = join(belowSearch, "internal/recording", "systems/*", "internal/search", "live", "internal/critical", "eventgraph")
	belowReport = join(belowMdb, "internal/account", "internal/lines", "internal/numerals", "internal/known", "internal/verify", "mdb") // not the catalogue: the tests of systems import macetest, and that report
	belowCmd    = join(belowReport, "internal/jobs", "internal/merge", "internal/ensemble", "internal/worlds", "internal/statelog", "internal/trail", "internal/vet", "internal/guard", "internal/nearest", "internal/report", "internal/finding", "mdb/tui", "mdb/wire", "mdb/web")
)

// rooms lists all packages of this module, the lowest first.
//
// To add a package: put it after everything that it imports, name those, and draw it in
// ARCHITECTURE.md. A new permission to import is a decision: give its reason in the commit.
var rooms = []room{
	{
		path:    ".",
		instead: map[string]string{"": "the root holds documentation and the tests of the whole; put code into a room"},
	},
	{
		path:    "internal/transcript",
		instead: map[string]string{"": "a transcript is text; let the test that imports it do the describing"},
	},
	{
		path:    "internal/long",
		instead: map[string]string{"": "long is a flag; let the test that imports it say what it means"},
	},
	{
		path:    "internal/chromium",
		instead: map[string]string{"": "chromium drives a browser; let the test that imports it say what the page is to show"},
	},
	{
		path:    "internal/canon/fast",
		instead: map[string]string{"": "fast knows Go's runtime alone; let canon know what values are of"},
	},
	{
		path:    "internal/canon",
		may:     []string{"internal/canon/fast"},
		instead: map[string]string{"": "canon walks any Go value; let the type say what is special by a tag, a rule or a method"},
	},
	{
		path:    "internal/visited",
		instead: map[string]string{"": "visited knows words; let the search say what they are of"},
	},
	{
		path: "internal/flat",
		may:  []string{"internal/canon"},
		instead: map[string]string{
			"": "flat maps numbers to numbers; let the one who asks know what they stand for",
		},
	},
	{
		path:    "internal/disk",
		instead: map[string]string{"": "disk says what a crash may leave; let the World ask which"},
	},
	{
		path:    "macetime",
		instead: map[string]string{"": "macetime says which outcomes of a comparison are feasible; let sim ask choose for one"},
	},
	{
		path:    "choose",
		instead: map[string]string{"": "choose knows alternatives and weights only; let the one who asks know what they stand for"},
	},
	{
		path:    "internal/trail",
		may:     []string{"choose"},
		instead: map[string]string{"": "trail keeps answers and bytes; let who wrote them say what they mean"},
	},
	{
		path:    "internal/overlay",
		instead: map[string]string{"": "overlay writes files of Go's library; let bubble know what they mean"},
	},
	{
		path:    "internal/bubble",
		tests:   []string{"internal/overlay"}, // to build themselves with it
		instead: map[string]string{"": "bubble runs a function and answers its draws; let the caller decide what they mean"},
	},
	{
		path:    "internal/happens",
		instead: map[string]string{"": "happens is words; let who records them say what they mean"},
	},
	{
		path:    "program",
		may:     []string{"internal/bubble", "internal/happens"},
		instead: map[string]string{"": "program is hosts, and what is between them; let who searches say how they are chosen"},
	},
	{
		path:    "internal/worlds",
		may:     []string{"choose", "internal/bubble", "internal/overlay", "program"},
		instead: map[string]string{"": "worlds searches programs of goroutines; it knows no sim.System"},
	},
	{
		path:    "internal/codec",
		tests:   []string{"internal/canon"}, // what is read back is what was written, by its identity
		instead: map[string]string{"": "codec writes and reads values; let the one who asks say what they are"},
	},
	{
		path:  "netsim",
		may:   []string{"macetime"},
		tests: []string{"internal/canon"},
		instead: map[string]string{
			"choose": "netsim says what is possible and never picks; return the alternatives and let sim choose",
			"":       "netsim holds facts; let sim ask for them",
		},
	},
	{
		path:    "internal/kinds",
		instead: map[string]string{"": "kinds is a table of what kinds of events have of their own; let who has the event fill the gaps"},
	},
	{
		path:    "internal/guard",
		may:     []string{"macetime"}, // to write readings for people
		instead: map[string]string{"": "guard knows calls and stacks; let the one who asks know what was called"},
	},
	{
		path: "internal/sight",
		may:  []string{"internal/canon", "internal/guard", "macetime"},
		instead: map[string]string{
			"sim": "sim imports sight; let values of the contract be any, and nodes go by their index",
			"":    "sight is what properties see; let who runs a service keep it",
		},
	},
	{
		path: "sim",
		may:  []string{"program", "internal/canon", "internal/guard", "internal/kinds", "internal/sight", "macetime", "choose"},
		instead: map[string]string{
			"internal/world": "sim is the contract; what runs a system reads it, and not the other way round",
			"systems/*":      "sim is the contract and knows no system; test it with internal/toy",
			"":               "sim is the contract: types and what they mean; let the rooms above act on them",
		},
	},
	{
		path:    "internal/contract",
		may:     []string{"internal/canon", "internal/kinds", "internal/sight", "sim"},
		instead: map[string]string{"": "contract reads values of sim; let the caller run them"},
	},
	{
		path:    "internal/wording",
		may:     []string{"internal/contract", "internal/kinds", "internal/sight", "sim"},
		tests:   []string{"internal/canon"},
		instead: map[string]string{"": "wording writes values and events; let the one who asks say which"},
	},
	{
		path:    "trace",
		may:     []string{"internal/sight", "internal/wording", "choose", "sim"},
		tests:   []string{"internal/canon"},
		instead: map[string]string{"": "a trace is data; let the rooms above record and draw it"},
	},
	{
		path:    "internal/charts",
		may:     []string{"internal/sight", "sim"},
		instead: map[string]string{"": "charts counts what machines do; let the one who asks draw it"},
	},
	{
		path:    "internal/vet",
		may:     []string{"sim"},
		instead: map[string]string{"": "vet reads the source of services; it runs nothing"},
	},
	{
		path:    "internal/setting",
		may:     []string{"choose", "sim"},
		instead: map[string]string{"": "a Setting is data; let the rooms above run under it"},
	},
	{
		path:    "simfs",
		may:     []string{"sim"},
		tests:   []string{"internal/disk"}, // what a crash leaves is listed without a World
		instead: map[string]string{"": "simfs is what a user imports beside sim; it stores by Env.Store alone"},
	},
	{
		path:    "internal/statelog",
		tests:   []string{"internal/disk", "sim", "simfs"}, // every crash of a log is listed without a World
		instead: map[string]string{"": "statelog keeps bytes; let the caller say what they mean"},
	},
	{
		path:    "internal/state",
		may:     []string{"internal/canon", "internal/sight", "sim"},
		instead: map[string]string{"": "state knows places and identities; let the World say what stands there"},
	},
	{
		path: "internal/handler",
		may:  []string{"internal/disk", "internal/kinds", "internal/sight", "macetime", "sim", "internal/contract", "trace"},
		instead: map[string]string{
			"choose":         "handler asks an Answerer; let the World ask a Source, and live the real world",
			"internal/world": "handler checks calls and lists effects; let the runtime carry them out",
			"":               "handler is the one implementation of sim.Env; let the runtime answer what depends on it",
		},
	},
	{
		path:  "internal/net",
		may:   []string{"internal/state", "netsim", "sim"},
		tests: []string{"internal/canon"},
		instead: map[string]string{
			"internal/world": "net holds messages; let the World say which nodes listen and what they accept",
			"":               "net holds messages and touches parts of the state; let the World say why they are sent and taken",
		},
	},
	{
		path: "internal/observe",
		may:  []string{"internal/canon", "internal/charts", "internal/codec", "internal/guard", "internal/sight", "internal/state", "internal/wording", "netsim", "sim", "internal/contract", "trace"},
		instead: map[string]string{
			"internal/world": "observe is given facts; let the World pass them",
			"":               "observe looks at a run from outside; let who runs it pass plain values",
		},
	},
	{
		path: "internal/judge",
		may:  []string{"internal/canon", "internal/guard", "internal/observe", "internal/sight", "internal/state", "sim", "internal/contract"},
		instead: map[string]string{
			"internal/world": "judge evaluates a sight.State; let the World make findings of what does not hold",
			"":               "judge says what does not hold; let who runs the system say what it needs of the run",
		},
	},
	{
		path:    "internal/byzantine",
		may:     []string{"internal/guard", "internal/handler", "internal/sight", "sim", "internal/contract"},
		tests:   []string{"internal/search", "choose", "internal/world", "systems/*"},
		instead: map[string]string{"": "a Byzantine node is a node; let who runs it know the rest"},
	},
	{
		path:  "internal/world",
		may:   []string{"internal/canon", "internal/disk", "internal/flat", "internal/byzantine", "internal/guard", "internal/handler", "internal/judge", "internal/net", "internal/observe", "internal/sight", "internal/state", "macetime", "choose", "netsim", "sim", "internal/contract", "internal/wording", "trace"},
		tests: []string{"internal/setting"},
		instead: map[string]string{
			"internal/search": "a World runs one execution and never searches; take the answers from a choose.Source",
			"systems/*":       "a World runs any sim.System; test it with internal/toy",
			"eventgraph":      "a World emits steps; let the graph be built from them",
			"":                "a World runs one execution; give out values and let the rooms above act on them",
		},
	},
	{
		path:    "internal/toy",
		may:     []string{"sim"},
		tests:   []string{"choose", "internal/world"}, // to enumerate a toy's runs with nothing but a World
		instead: map[string]string{"": "toys are systems that a reader solves by eye; they need sim only"},
	},
	{
		path:    "history",
		may:     []string{"sim"},
		instead: map[string]string{"": "history is properties of a system's facts; let who finds a violation show it"},
	},
	{
		path:    "layers/*",
		may:     []string{"sim", "internal/charts"},
		tests:   []string{"internal/search", "search", "macetest", "systems/*"},
		instead: map[string]string{"": "a layer stands below any node, and imports nothing but the contract"},
	},
	{
		path:  "systems/*",
		may:   []string{"sim", "macetime", "history", "layers/*", "systems/*"},
		tests: []string{"choose", "internal/world", "internal/search", "internal/critical", "macetest", "refine"}, // choose: to walk a World directly, below every driver
		instead: map[string]string{
			"choose":         "ask Env.Choose or Env.Weighted",
			"netsim":         "ask Env.TCP, Env.UDP or Env.Set for a Port",
			"internal/canon": "a user's system could not import it; use the tag or System.Opaque",
			"":               "a system imports nothing above sim, so that every driver can run it",
		},
	},
	{
		path:    "internal/numerals",
		instead: map[string]string{"": "numerals writes numbers; let the one who asks say of what"},
	},
	{
		path:    "internal/fair",
		instead: map[string]string{"": "fair decides about a graph of numbers; let who explored it say what they stand for"},
	},
	{
		path:    "internal/nearest",
		instead: map[string]string{"": "nearest compares words; let the one who asks say what they name"},
	},
	{
		path:    "internal/known",
		may:     []string{"internal/nearest", "choose", "sim", "trace"},
		tests:   []string{"internal/catalog"},
		instead: map[string]string{"": "known is what is said of a known bug; let the one who reads it search for it"},
	},
	{
		path: "internal/catalog",
		may:  []string{"sim", "trace", "systems/*", "internal/known"},
		instead: map[string]string{
			"": "the catalogue is the written-out list of systems; let the one who reads it run them",
		},
	},
	{
		path:    "internal/decide",
		may:     []string{"sim", "trace"},
		instead: map[string]string{"": "decide asks a Lab, and takes no step itself; let search answer"},
	},
	{
		path: "internal/search/internal/run",
		may:  []string{"internal/trail", "internal/canon", "internal/visited", "internal/guard", "choose", "sim", "internal/setting", "internal/observe", "internal/world", "internal/decide", "trace"},
		instead: map[string]string{
			"internal/search": "the loop takes a run by the answers of a strategy; let who has the strategy know what it is for",
			"":                "the loop takes runs of a World; let who asked for one act on how it ended",
		},
	},
	{
		path: "internal/search/internal/walk",
		may:  []string{"choose", "sim", "internal/world", "internal/search/internal/run", "trace"},
		instead: map[string]string{
			"internal/search": "a walk is what its plan says; let search say how many there are and what their ends mean",
			"":                "a plan is a function of the number of a walk; let who takes it know the rest",
		},
	},
	{
		path: "internal/search/internal/work",
		may:  []string{"internal/search/internal/walk", "internal/observe"},
		instead: map[string]string{
			"": "work adds up what units came to; let search say what a unit is, and take it",
		},
	},
	{
		path:  "internal/search/internal/shard",
		may:   []string{"internal/canon", "internal/flat"},
		tests: []string{"internal/catalog", "internal/known", "internal/search", "sim"}, // whole searches in shards, beside one in one process
		instead: map[string]string{
			"": "shard encodes states and their identities; let explore say what they are",
		},
	},
	{
		path: "internal/search/internal/stubborn",
		instead: map[string]string{
			"": "stubborn computes with numbers of kinds of events; let explore say what they are, and what was observed",
		},
	},
	{
		path: "internal/search/internal/sources",
		may:  []string{"internal/canon", "internal/state", "choose", "sim", "internal/contract", "internal/world", "internal/search/internal/run", "trace"},
		instead: map[string]string{
			"": "sources says which run comes next; let search take it, and make a finding of its end",
		},
	},
	{
		path: "internal/search/internal/spill",
		may:  []string{"internal/canon"},
		instead: map[string]string{
			"": "spill keeps bytes and the identities of states; let explore say what they are",
		},
	},
	{
		path: "internal/search/internal/explore",
		may:  []string{"internal/canon", "internal/visited", "internal/flat", "internal/state", "choose", "sim", "internal/observe", "internal/world", "internal/search/internal/run", "internal/search/internal/shard", "internal/search/internal/spill", "internal/search/internal/stubborn", "trace"},
		instead: map[string]string{
			"internal/search": "what explores takes steps of states; let its owner know what is to be found",
			"":                "what explores takes steps of states; let its owner act on where they lead",
		},
	},
	{
		path: "internal/search/internal/closure",
		may:  []string{"choose", "internal/fair", "internal/canon", "internal/world", "internal/search/internal/run", "internal/search/internal/spill", "internal/search/internal/explore"},
		instead: map[string]string{
			"": "a closure says which states can recover; let search make findings of the others",
		},
	},
	{
		path:  "internal/search/internal/hot",
		may:   []string{"choose", "internal/fair", "internal/world", "internal/search/internal/run", "internal/search/internal/explore"},
		tests: []string{"internal/search", "sim"}, // whole searches, of which hot decides one question
		instead: map[string]string{
			"": "hot says which runs stay hot for ever; let search make findings of them",
		},
	},
	{
		path:  "internal/search",
		may:   []string{"internal/trail", "internal/search/internal/run", "internal/search/internal/walk", "internal/search/internal/work", "internal/search/internal/explore", "internal/search/internal/closure", "internal/search/internal/hot", "internal/search/internal/shard", "internal/search/internal/spill", "internal/search/internal/sources", "internal/canon", "internal/visited", "internal/flat", "internal/byzantine", "internal/guard", "choose", "sim", "internal/contract", "internal/setting", "internal/observe", "internal/world", "internal/decide", "internal/charts", "internal/wording", "trace"},
		tests: []string{"systems/*", "layers/*", "internal/known", "internal/catalog", "internal/oracle", "internal/search/testdata/foreign"}, // a library that nobody wrote for a model checker,
		instead: map[string]string{
			"internal/critical": "what is dead or critical, internal/decide says; what is told of it beyond that, whoever called",
			"eventgraph":        "search returns paths; let the caller draw them",
			"systems/*":         "search runs any sim.System; let the caller pass it",
			"netsim":            "set the network through sim's options",
			"":                  "search supplies answers to a World and returns a Result; let the caller act on it",
		},
	},
	{
		path:    "refine",
		may:     []string{"internal/canon", "choose", "sim", "internal/world", "trace"},
		tests:   []string{"internal/search", "internal/fair"}, // that a search judges monitors as a graph of their runs does
		instead: map[string]string{"": "refine compares what two systems show; let the caller pass them"},
	},
	{
		path:    "internal/rename",
		instead: map[string]string{"": "rename changes files; what they are of it need not know"},
	},
	{
		path:    "internal/spec",
		may:     []string{"macetime", "sim", "internal/contract"},
		instead: map[string]string{"": "a random service speaks the contract alone, so that tests of every room can draw it"},
	},
	{
		path:  "internal/oracle",
		may:   []string{"internal/spec", "choose", "macetime", "sim", "internal/search"},
		tests: []string{"internal/catalog"},
		instead: map[string]string{
			"": "the oracle knows the documents and a search from outside; what it shared with the engine, it could not judge",
		},
	},
	{
		path:    "internal/codecs",
		may:     []string{"internal/canon", "internal/codec", "internal/handler", "internal/sight", "sim", "internal/contract"},
		instead: map[string]string{"": "codecs reads what a system's values are of; let who has a value encode it"},
	},
	{
		path:    "internal/record",
		may:     []string{"internal/canon", "internal/codec", "internal/codecs", "internal/disk", "internal/sight", "sim"},
		instead: map[string]string{"": "a record is entries; let live write what happened, and merge say what it means"},
	},
	{
		path:  "live",
		may:   []string{"internal/canon", "internal/codec", "internal/codecs", "internal/record", "internal/disk", "macetime", "netsim", "internal/guard", "internal/handler", "internal/sight", "sim", "internal/contract", "internal/wording", "trace"},
		tests: []string{"systems/*", "internal/catalog", "choose", "internal/world"}, // the rules of netsim against those of sockets
		instead: map[string]string{
			"internal/search": "live is the other Env, and no search; record a path and let search replay it",
			"choose":          "live answers from the real world; record the answers as a path of sim",
			"internal/world":  "live runs nodes for real; let internal/merge take a record in a World",
			"":                "live runs any sim.System; let the caller pass it",
		},
	},
	{
		path:    "internal/critical",
		may:     []string{"choose", "sim", "trace", "internal/world", "internal/decide", "internal/search", "internal/wording"},
		tests:   []string{"systems/*", "internal/catalog", "trace"},
		instead: map[string]string{"": "critical works on a sim.System and a path; let the caller pass them and show the result"},
	},
	{
		path:    "search",
		may:     []string{"choose", "internal/search", "sim", "trace"},
		tests:   []string{"internal/toy"},
		instead: map[string]string{"": "search is what users call; let internal/search do the work"},
	},
	{
		path:    "critical",
		may:     []string{"choose", "internal/critical", "internal/search", "sim", "trace"},
		tests:   []string{"internal/toy", "search"},
		instead: map[string]string{"": "critical is what users call; let internal/critical do the work"},
	},
	{
		path:  "internal/merge",
		may:   []string{"internal/canon", "internal/handler", "macetime", "choose", "sim", "internal/setting", "internal/world", "internal/search", "internal/codecs", "internal/record", "live", "trace"},
		tests: []string{"systems/*", "internal/catalog", "internal/codec"},
		instead: map[string]string{
			"": "merge makes a path of records; let the command write it",
		},
	},
	{
		path:    "internal/jobs",
		may:     []string{"internal/search"},
		instead: map[string]string{"": "jobs is what processes say to each other; let the command and the cluster do it"},
	},
	{
		path:    "internal/ensemble",
		may:     []string{"choose", "internal/bubble", "internal/canon", "internal/disk", "internal/guard", "internal/handler", "internal/happens", "internal/setting", "internal/sight", "internal/world", "internal/worlds", "macetime", "program", "internal/search", "sim", "internal/contract", "trace"},
		instead: map[string]string{"": "an ensemble is searched by child processes; let the command say how they are built"},
	},
	{
		path:    "internal/verify",
		may:     []string{"sim", "internal/known", "internal/search", "trace"},
		tests:   []string{"internal/contract", "systems/*", "internal/catalog"},
		instead: map[string]string{"": "verify says what is as stated and what is not; let report lay it out, and the command show how far it is"},
	},
	{
		path:    "internal/manners",
		may:     []string{"sim", "internal/known", "internal/search", "trace"},
		instead: map[string]string{"": "manners measures walks for a table; let the test that imports it pass the bugs"},
	},
	{
		path:    "internal/recording",
		may:     []string{"internal/canon", "internal/observe", "internal/world", "sim"},
		instead: map[string]string{"": "a recording keeps what a World says of itself; let the rooms above show it"},
	},
	{
		path:    "eventgraph",
		may:     []string{"internal/kinds", "choose", "sim", "internal/contract", "internal/wording", "trace"},
		tests:   []string{"internal/canon", "internal/observe", "internal/recording", "internal/world", "systems/*"},
		instead: map[string]string{"": "a graph is a function of a trace; pass the steps of sim"},
	},
	{
		path:    "internal/lines",
		may:     []string{"choose", "sim", "internal/search"},
		tests:   []string{"systems/*"},
		instead: map[string]string{"": "lines takes a path and tells pieces of code; let account read the files"},
	},
	{
		path:    "internal/account",
		may:     []string{"internal/canon", "internal/lines", "internal/kinds", "internal/sight", "choose", "sim", "internal/contract", "internal/observe", "internal/world", "internal/recording", "internal/search", "eventgraph", "internal/wording", "trace"},
		instead: map[string]string{"": "an account is of facts; let the rooms above find the words, and write them where they belong"},
	},
	{
		path:  "mdb",
		may:   []string{"internal/canon", "internal/nearest", "internal/numerals", "choose", "sim", "internal/contract", "internal/setting", "internal/observe", "internal/world", "internal/decide", "internal/search", "internal/critical", "eventgraph", "internal/account", "internal/lines", "internal/wording", "trace"},
		tests: []string{"systems/*"},
		instead: map[string]string{
			"mdb/tui":         "a Session knows no screen; let the screen draw a Session",
			"internal/report": "a Session returns its own text; let the command write findings",
			"":                "a Session runs any sim.System; let the caller pass it",
		},
	},
	{path: "mdb/tui", may: belowReport, tests: []string{"internal/catalog"}},
	{path: "mdb/wire", may: []string{"internal/nearest", "mdb"}, tests: []string{"internal/catalog", "sim"}},
	{path: "mdb/web", may: []string{"mdb", "mdb/wire"}, tests: []string{"internal/catalog", "choose", "internal/search", "sim"}},
	{path: "internal/report", may: belowReport},
	{
		path:  "internal/finding",
		may:   join(belowReport, "internal/report"),
		tests: []string{"internal/catalog"},
		instead: map[string]string{
			"mdb/tui": "a finding is told in files; let the command name the debugger",
			"":        "a folder is made of a result; let the caller say which commands take it again",
		},
	},
	{path: "macetest", may: join(belowReport, "internal/report", "internal/finding", "internal/ensemble", "internal/worlds", "program", "refine")},
	{
		path:  "command",
		may:   belowCmd,
		tests: []string{"internal/catalog", "internal/manners", "systems/*"},
		instead: map[string]string{
			"internal/catalog": "a user's program has systems of its own; take them from Program",
			"systems/*":        "a user's program has systems of its own; take them from Program",
			"":                 "the command turns flags into options, calls and reports",
		},
	},
	{
		path:    "cmd/macemc",
		may:     []string{"command", "internal/catalog"},
		instead: map[string]string{"": "the command is package command, so that a user's program has all of it; here are only our systems"},
	},
}

// libraries lists the libraries of others that only some rooms may import in
// their code, so that a user's system does not depend on a screen.
var libraries = []struct {
	path    string
	in      []string
	instead string
}{
	{"github.com/spf13/cobra", []string{"command"}, "take an options struct and let the command fill it from flags"},
	{"github.com/gdamore/tcell/v2", []string{"mdb/tui"}, "return text or a model and let mdb/tui draw it"},
	{"github.com/google/go-cmp/cmp", nil, "go-cmp is for tests; diff states by the lines of canon's text"},
}

func join(list []string, more ...string) []string {
	return append(append([]string(nil), list...), more...)
}

// The rules live in arch_rules_test.go, where each is shown to fire.

func TestImportsPointDown(t *testing.T) {
	report(t, tableOrder(rooms))
	report(t, imports(repository(t), rooms))
}

func TestPermissions(t *testing.T) {
	sources := repository(t)
	granted, problems := permissions(readDocument(t))
	report(t, problems)
	report(t, forbidden(sources, granted))
}

func TestPermissionsAreUsed(t *testing.T) {
	granted, _ := permissions(readDocument(t))
	report(t, stale(repository(t), granted))
}

func TestEveryPackageIsDocumented(t *testing.T) {
	report(t, undocumented(repository(t)))
}

func TestArchitectureDocument(t *testing.T) {
	report(t, drawing(readDocument(t), repository(t), rooms))
}

func TestWords(t *testing.T) {
	report(t, vocabulary(readDocument(t), repository(t)))
}

func TestNothingUnmentionable(t *testing.T) {
	report(t, unmentionable(os.DirFS(".")))
}

// repository parses the Go files of this module.
func repository(t *testing.T) []source {
	t.Helper()
	sources, err := parse(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

func readDocument(t *testing.T) string {
	t.Helper()
	text, err := fs.ReadFile(os.DirFS("."), document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func report(t *testing.T, problems []string) {
	t.Helper()
	for _, problem := range problems {
		t.Error(problem)
	}
}

// matches reports whether a pattern of the list matches the path of a package.
func matches(patterns []string, pkg string) bool {
	for _, pattern := range patterns {
		if ok, err := path.Match(pattern, pkg); ok || err != nil && pattern == pkg {
			return true
		}
	}
	return false
}
