package worlds

import (
	"encoding/json"
	"fmt"
	"os"

	"macemc/choose"
	"macemc/internal/bubble"
)

// variable is the environment variable by which a child gets its job.
const variable = "MACEMC_WORLDS_JOB"

// A job is the work of a child.
type job struct {
	Test   string // the name of the test or system, and which Explore of it
	Call   int
	Seed   uint64
	Of     []choose.Field // the settings of a system, if the job is about one
	From   int            // the first world
	To     int            // the first world after the last one
	Stride int            // only every Stride-th world is taken
	Walk   string         // the manner of these worlds; "" means all by turns
	Prefix string         // the file of a tape, which these worlds follow to its end; "" means none
	Single bool           // world From alone, with its draws in Log and its lines as they come
	Tape   string         // the file of a tape that is taken instead of worlds
	Cuts   [][2]int       // for Tape: the draws that are left out, for one world each from number From
	Free   bool           // for Cuts: the worlds go on freely after step Until
	Until  uint32
	Next   bool        // the worlds that deviate once more after the last deviation of Tape: From, To and Stride say which
	Names  []uintptr   // a stack whose calls are named; no world is taken
	Draw   bubble.Draw // a draw whose goroutine is named, too
	Stop   int         // for Tape or world From: the draw at which the stack is taken
	Out    string      // where the child writes lines
	Log    string      // where the draws of the last world are mapped; "" for nowhere
}

// A line is one line of a child's output.
type line struct {
	World   int          `json:"world"`
	What    string       `json:"what"` // begin, pass, fail, note, log, stack, full, next, done; next has in World how many there are
	Failure *Failure     `json:"failure,omitempty"`
	Who     string       `json:"who,omitempty"` // the goroutine of Draw
	Text    []string     `json:"text,omitempty"`
	Step    uint32       `json:"step,omitempty"` // at which Text was noted
	Log     any          `json:"log,omitempty"`  // an entry of the body's log
	Draws   int          `json:"draws,omitempty"`
	Fit     bool         `json:"fit,omitempty"`
	Draw    *bubble.Draw `json:"draw,omitempty"` // the draw in which a world of Next deviates
}

// A Failure describes how a world failed.
type Failure struct {
	Kind    string // failed, panic, fatal error, deadlock, left, endless, stuck, exit
	Message string
}

// Job returns the job of this process, or nil if it is not a child.
func Job() (*job, error) {
	text := os.Getenv(variable)
	if text == "" {
		return nil, nil
	}
	j := new(job)
	if err := json.Unmarshal([]byte(text), j); err != nil {
		return nil, fmt.Errorf("%s is %q, which is no job: %v", variable, text, err)
	}
	return j, nil
}
