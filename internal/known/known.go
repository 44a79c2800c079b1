package known

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"macemc/choose"
	"macemc/sim"
)

// Bug is what the catalogue says of a known bug, besides the story that its
// system tells: how it is found, and as what.
type Bug struct {
	ID   sim.BugID
	Kind Kind

	// Flags are what a search needs besides --bug to find it on any seed. The
	// zero Flags: nothing.
	Flags Flags
	// Paths is how many walks that may take, where the search's default is too
	// few on some seeds; 0: they are enough.
	Paths int
	// Long says that it takes more than a second or two: go test leaves it to
	// make findings and to macemc bugs verify.
	Long bool
	// Narrow says that walks alone, without the exhaustive phase, do not find it in
	// tens of thousands: there are few runs that show it.
	Narrow bool
	// Verdict is what it is found as.
	Verdict sim.Verdict
	// Or is what it is found as on some seeds: whichever comes first. VerdictNone:
	// nothing else.
	Or sim.Verdict
	// Critical is the critical step of the run: one of these. None: not stated;
	// for a run that is found dead it must be.
	Critical []Critical
	// Meant is what the kinds of Critical have in common, or why none is stated.
	Meant string
	// Fresh says on how many seeds that the entry was not written from the critical step
	// was one of Critical. The zero Share: on all that were tried.
	Fresh Share

	// Paper are the figures of the MaceMC papers for this bug; "": none.
	Paper string
}

// Share is how many seeds of some.
type Share struct{ Held, Of int }

// Like reports whether another share may be of the same rate: by Fisher's exact test a
// smaller one would come by chance more often than once in twenty times.
func (s Share) Like(other Share) bool {
	of, held := s.Of+other.Of, s.Held+other.Held
	chance := 0.0
	for k := max(0, held-s.Of); k <= other.Held; k++ {
		chance += ways(other.Of, k) * ways(s.Of, held-k) / ways(of, held)
	}
	return chance > 0.05
}

// ways is the number of ways to take k of n.
func ways(n, k int) float64 {
	if k > n {
		return 0
	}
	product := 1.0
	for i := range k {
		product *= float64(n-i) / float64(i+1)
	}
	return product
}

// Kind is what a bug violates.
type Kind string

// The kinds.
const (
	Safety      Kind = "safety"
	Liveness    Kind = "liveness"
	Performance Kind = "performance" // liveness with a bound, or efficiency
)

// Flags are what may be said to a search to have a known bug found: what is
// looked at, not how hard.
type Flags struct {
	Nodes      int // 0: the system's default
	Params     []string
	Faults     string // "": what the system tolerates
	Disk       string // reorder: a crash leaves any of the writes that were not synced; "": the first few
	Properties []string
	Prefix     string // a path in the folder of prefixes, from whose end the search begins; "": from the start
}

// PrefixFolder is where the paths of prefixes are, below the module's root.
const PrefixFolder = "internal/catalog/prefixes"

// Args are the flags as on the command line.
func (f Flags) Args() (args []string) {
	if f.Nodes > 0 {
		args = append(args, "--nodes", strconv.Itoa(f.Nodes))
	}
	for _, p := range f.Params {
		args = append(args, "--param", p)
	}
	if f.Faults != "" {
		args = append(args, "--faults", f.Faults)
	}
	if f.Disk != "" {
		args = append(args, "--disk", f.Disk)
	}
	for _, p := range f.Properties {
		args = append(args, "--property", p)
	}
	if f.Prefix != "" {
		args = append(args, "--prefix", path.Join(PrefixFolder, f.Prefix))
	}
	return args
}

// Critical is a kind of step. The zero Critical is none: the run was dead from
// its start.
type Critical struct {
	Role    Role
	Kind    sim.Kind
	Message string // the type of the message, the timer, the task, ...; "": there is none
	Refused string // the type of a message that cannot be sent in it; "": whatever can
}

// Role is which node a step is at. A node may have several.
type Role string

// The roles.
const (
	Anyone    Role = ""
	First     Role = "the first node" // the root, the server, the manager
	Other     Role = "a node other than the first"
	Restarted Role = "a restarted node"
)

func (c Critical) String() string {
	if c.Kind == 0 {
		return "the start"
	}
	text := c.Kind.String()
	if c.Message != "" {
		text += " " + c.Message
	}
	if c.Role != Anyone {
		text += " at " + string(c.Role)
	}
	if c.Refused != "" {
		text += ", where a " + c.Refused + " is refused"
	}
	return text
}

// Entry is a known bug with the system that has it.
type Entry struct {
	Bug
	System   *sim.System
	Story    string
	Prefixes fs.FS // the folder of prefixes
}

// Prefix is the path from whose end a search for it begins; nil: from the start.
func (e Entry) Prefix() (*choose.Path, error) {
	if e.Flags.Prefix == "" {
		return nil, nil
	}
	file, err := e.Prefixes.Open(e.Flags.Prefix)
	if err != nil {
		return nil, fmt.Errorf("%s has no prefix: %w", e.ID, err)
	}
	p, err := choose.Parse(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", PrefixFolder, e.Flags.Prefix, err)
	}
	return p, nil
}

// Command is the command line that finds it.
func (e Entry) Command() []string {
	args := append([]string{"search", e.System.Name, "--bug", string(e.ID)}, e.Flags.Args()...)
	if e.Paths > 0 {
		args = append(args, "--paths", strconv.Itoa(e.Paths))
	}
	return args
}

// Configure makes what a search needs of the flags; bugs are switched on.
func (e Entry) Configure(bugs ...sim.BugID) (sim.Params, *sim.Faults, error) {
	var ids []string
	for _, b := range bugs {
		ids = append(ids, string(b))
	}
	p, err := e.System.Configure(e.Flags.Nodes, e.Flags.Params, ids)
	if err != nil || e.Flags.Faults == "" {
		return p, nil, err
	}
	faults, err := sim.ParseFaults(e.Flags.Faults)
	return p, &faults, err
}
