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
	// Flags adds the flags by which the commands coordinator and worker reach the cluster.
	Flags func(flags *pflag.FlagSet, coordinator bool)
	// Coordinate distributes the walks of a job, and may store files in a directory. It calls say with
	// events, and may call now from any goroutine.
	Coordinate func(j Job, dir string, say func(string), now func() Status) (*Coordination, error)
	// Work takes walks of jobs until ctx ends.
	Work func(ctx context.Context, hands Hands) error
}

// Commands returns the commands that a cluster adds to a program: see command.Part.
func (*Cluster) Commands() []string { return []string{"coordinator", "worker"} }

// Coordination is the work of a coordinator.
type Coordination struct {
	Afar search.Afar
	Join []string // flags of a worker on this machine
	End  func()
}

// Status is the progress of a search. The terminal shows the same.
type Status struct {
	search.Progress
	Line     string // as the terminal shows it, or "" if nothing was reported yet
	Elapsed  time.Duration
	Findings []string // the verdict and the message of each
}

// Hands has the resources with which a worker takes walks.
type Hands struct {
	N, Memory int // the number of goroutines, and the bytes that the process may have
	Taker     func(Job) (*search.Taker, error)
	// Remotes returns a function that makes Remotes, which visit states of a job that are divided into
	// shards.
	Remotes func(j Job, shards int) (func() (*search.Remote, error), error)
	// Lone takes a span or a group in a process of its own. Once over reports true, it returns ErrUnwanted.
	// If the process fails, it returns the walk or the state that was under way, or -1 if none was. The
	// result is a search.Spanned as JSON for a span, and for a group the argument of search.Remote.Join.
	Lone func(ctx context.Context, l Lone, over func() bool) (came []byte, number int, err error)
	Say  func(string)
}

// Job is a search whose walks other processes take. Its options are the arguments of a command line,
// so no code travels.
type Job struct{ Header }

// ErrRefused reports that a worker cannot take walks of a job.
var ErrRefused = errors.New("this worker cannot take walks of the search")

// Lone is a span of walks, or a group of states, for a process of its own, since one of them may have ended
// another process. It goes through the standard input, as JSON. The process prints the number of each walk
// or state before it takes it, and the result at the end.
type Lone struct {
	Job    Job
	Known  search.Knowledge
	Span   search.Span
	Shards int           // into which the states are divided, or 0 for a span or an item
	Group  []byte        // of search.Remote, or an item of search.Afar, or nil for a span
	Leave  []int         // walks or states that are left out
	Stuck  time.Duration // after which a walk or a state counts as one that never returns
	Most   int           // bytes of memory, more of which end the process
}

// ErrUnwanted says that a span or a group is not wanted any more.
var ErrUnwanted = errors.New("the span is not wanted any more")

// Header identifies the search of a state. A search goes on from a state only if it has the same
// build and setting.
type Header struct {
	Build   string   // the hash of the program
	Setting []string // as in the header of a path
	Args    []string // of the command search
	Of      string   // the package whose systems it searches, or ""
}

// Differs returns an error if a search with one header cannot continue from the state of
// another.
func (h *Header) Differs(now *Header) error {
	switch {
	case h.Build != now.Build:
		return fmt.Errorf("the state is of another build (%s) than this program (%s): its results need not hold for this one; search again, or continue with the program that began", h.Build, now.Build)
	case !slices.Equal(h.Setting, now.Setting):
		return fmt.Errorf("the state is of a search of %s, and not of %s", strings.Join(h.Setting, ", "), strings.Join(now.Setting, ", "))
	}
	return nil
}
