package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"macemc/internal/search"
)

// A Cluster lets processes on several machines take the walks of one search. Package macemc/cluster
// implements it: Program{Parts: []command.Part{cluster.Commands()}}.
type Cluster struct {
	// Flags adds to the command coordinator or worker the flags by which it reaches the cluster.
	Flags func(flags *pflag.FlagSet, coordinator bool)
	// Coordinate distributes the walks of a job, and may store files in a directory. It calls say with
	// events, and may call now from any goroutine.
	Coordinate func(j Job, dir string, say func(string), now func() Status) (*Coordination, error)
	// Work takes walks of jobs until ctx ends.
	Work func(ctx context.Context, hands Hands) error
}

// Commands returns the commands that a cluster adds to a program: see command.Part.
func (*Cluster) Commands() []string { return []string{"coordinator", "worker"} }

// Coordination is what Cluster.Coordinate returns: Afar, by which the search lets workers take walks; the flags
// for a worker; and End, which ends the distribution of the job.
type Coordination struct {
	Afar search.Afar
	Join []string // the flags for a worker on this machine
	End  func()
}

// Status is the progress of a search, as the terminal shows it.
type Status struct {
	search.Progress
	Line     string // as the terminal shows it, or "" if nothing was reported yet
	Elapsed  time.Duration
	Findings []string // the verdict and the message of each finding
}

// Hands has the resources with which a worker takes walks.
type Hands struct {
	N, Memory int                              // the number of goroutines, and the number of bytes that the process may use
	Taker     func(Job) (*search.Taker, error) // returns a Taker, which takes walks of the job
	// Remotes returns a function that makes Remotes, which visit states of a job that are divided into
	// shards.
	Remotes func(j Job, shards int) (func() (*search.Remote, error), error)
	// Lone does the work l in a process of its own. Once over reports true, it returns ErrUnwanted.
	// If the process fails, it returns the walk or the state that was under way, or -1 if none was. The
	// result is a search.Spanned as JSON for a span of walks, and for a group of states the argument of
	// search.Remote.Join.
	Lone func(ctx context.Context, l Lone, over func() bool) (came []byte, number int, err error)
	Say  func(string)
}

// Job is a search whose walks other processes take. Its options are the arguments of a command line, so no code
// is sent.
type Job struct{ Header }

// ErrRefused reports that a worker cannot take walks of a job.
var ErrRefused = errors.New("this worker cannot take walks of the search")

// Lone is work that a process of its own takes, since it may have ended another process: a span (a range of
// walks), a group of states, or an item (a set of runs to enumerate). The process reads the Lone from its
// standard input, as JSON. It prints the number of each walk or state before it takes it, and the result at the
// end.
type Lone struct {
	Job    Job
	Known  search.Knowledge
	Span   search.Span
	Shards int           // how many shards the states are divided into, or 0 for a span or an item
	Group  []byte        // a group of states of search.Remote, or an item of search.Afar; nil for a span
	Leave  []int         // the numbers of walks or states to leave out
	Stuck  time.Duration // how long a walk or a state may take until it counts as one that never returns
	Most   int           // the bytes of memory that the process may use; more end it
}

// ErrUnwanted reports that the result of a Lone is not wanted any more.
var ErrUnwanted = errors.New("the result is not wanted any more")

// Header identifies the search to which a saved state belongs. Another search can continue from that state
// only if it has the same build and setting.
type Header struct {
	Build   string   // the hash of the program
	Setting []string // the system and its options, as in the header of a path
	Args    []string // the arguments of the command search
	Of      string   // the import path of the package that has the systems, or ""
}

// Differs returns an error if a search with the header now cannot continue from the saved state of a search
// with the header h.
func (h *Header) Differs(now *Header) error {
	switch {
	case h.Build != now.Build:
		return fmt.Errorf("the saved state of the search is of build %s, and this program is build %s: results of one need not hold for the other; search again, or continue with the program that began the search", h.Build, now.Build)
	case !slices.Equal(h.Setting, now.Setting):
		return fmt.Errorf("the saved state is that of a search of %s, not of %s", strings.Join(h.Setting, ", "), strings.Join(now.Setting, ", "))
	}
	return nil
}
