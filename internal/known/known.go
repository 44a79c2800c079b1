package known

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"macemc/choose"
	"macemc/sim"
	"macemc/trace"
)

// Bug says how a known bug is found, and with which verdict. The system that has the bug tells the story of it.
type Bug struct {
	ID   sim.BugID
	Kind Kind

	// Flags are the flags that a search needs besides --bug to find the bug on any seed.
	Flags Flags
	// Paths is the number of walks that the search may take, if the default is too few on some seeds;
	// 0 means the default.
	Paths int
	// Long says that a search takes more than a second or two. go test then leaves the bug
	// to make findings and to macemc bugs verify.
	Long bool
	// Narrow says that few runs show the bug: tens of thousands of walks do not find it without the
	// exhaustive phase.
	Narrow bool
	// Verdict is the verdict of the finding.
	Verdict trace.Verdict
	// Or is another verdict that a search finds first on some seeds, or VerdictNone.
	Or trace.Verdict
	// Critical lists the possible critical steps of the run. It is empty if none is stated, which
	// is not allowed for a bug whose runs are dead.
	Critical []Critical
	// Meant describes the steps in Critical in words, or gives the reason why none is stated.
	Meant string
	// Fresh is the share of fresh seeds on which the critical step was one of Critical. Fresh seeds were not
	// used to write the entry. The zero Share means that the step was one of Critical on all seeds that were tried.
	Fresh Share

	// Paper has the figures of the MaceMC papers for this bug, if there are any.
	Paper string
}

// Share counts for how many seeds a statement was true: for Held seeds out of Of.
type Share struct{ Held, Of int }

// Like reports whether other is not significantly smaller than s, by Fisher's exact test: if the statement were true
// at the same rate in both, a share as small as other would have a probability of more than 5 percent.
func (s Share) Like(other Share) bool {
	of, held := s.Of+other.Of, s.Held+other.Held
	chance := 0.0
	for k := max(0, held-s.Of); k <= other.Held; k++ {
		chance += ways(other.Of, k) * ways(s.Of, held-k) / ways(of, held)
	}
	return chance > 0.05
}

// ways returns the number of ways to choose k of n.
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

// The kinds of known bugs. Searches find the first two.
const (
	Safety      Kind = "safety"
	Liveness    Kind = "liveness"
	Performance Kind = "performance" // liveness within a bound, or efficiency
)

// Flags are the flags of a search that a known bug needs. They say what is searched, and not how hard.
type Flags struct {
	Nodes      int // 0 means the system's default
	Params     []string
	Faults     string // "" means what the system tolerates
	Disk       string // reorder if a crash keeps any subset of the unsynced writes; "" if it keeps the first few
	Properties []string
	Prefix     string // the file of a path at whose end the search begins, in the folder of prefixes; "" for the start
}

// PrefixFolder is the folder of the paths at whose ends some searches begin, below the root of the module.
const PrefixFolder = "internal/catalog/prefixes"

// Args returns the flags as arguments of a command line.
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

// Critical describes the critical step of a bug. The zero Critical stands for the start: the run was dead from
// its beginning.
type Critical struct {
	Role    Role
	Kind    sim.Kind
	Message string // the type of the message, timer or task, or ""
	Refused string // the type of a message that cannot be sent in the step; "" if that does not matter
}

// Role describes the node of a step. A node may have several roles.
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

// Entry is a known bug with the system that has it, and the story of the bug.
type Entry struct {
	Bug
	System   *sim.System
	Story    string
	Prefixes fs.FS // the folder that has the path Flags.Prefix
}

// Entries are known bugs. They are a part of a program, to which they add a command: see command.Part.
type Entries []Entry

// Commands returns the name of the command about known bugs.
func (Entries) Commands() []string { return []string{"bugs"} }

// Prefix returns the path at whose end a search for the bug begins, or nil if it begins at the start.
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

// Command returns the arguments of the command line that finds the bug.
func (e Entry) Command() []string {
	args := append([]string{"search", e.System.Name, "--bug", string(e.ID)}, e.Flags.Args()...)
	if e.Paths > 0 {
		args = append(args, "--paths", strconv.Itoa(e.Paths))
	}
	return args
}

// Configure returns the parameters and faults that the flags of the bug ask for, with the given bugs switched
// on.
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
