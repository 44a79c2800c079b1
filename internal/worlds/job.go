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
	Test   string // the name of the test or the system; Call says which call of Explore in the test
	Call   int
	Seed   uint64
	Of     []choose.Field // the settings of the system, if the job is about one
	From   int            // the first world
	To     int            // the world after the last one
	Stride int            // only every Stride-th world is taken
	Walk   string         // the manner in which these worlds deviate; "" means that they use all manners in turn
	Prefix string         // the file of a tape, which these worlds follow to its end; "" means none
	Single bool           // only world From is taken, with its draws in Log and its lines written at once
	Tape   string         // the file of a tape that is followed instead of taking worlds From to To
	Cuts   [][2]int       // if Tape is set: ranges of draws; the world From+i leaves out the i-th range
	Free   bool           // if Cuts is set: the draws of the worlds are free after step Until
	Until  uint32
	Next   bool        // the worlds that deviate once more after the last deviation of Tape: From, To and Stride say which
	Names  []uintptr   // the calls of a stack; the child returns their names and takes no world
	Draw   bubble.Draw // a draw whose goroutine is named, too
	Stop   int         // if Tape is set or one world is taken: the draw at which the stack is recorded
	Out    string      // the file into which the child writes lines
	Log    string      // the file that has the draws of the last world; "" means none
}

// A line is one line of a child's output.
type line struct {
	World   int          `json:"world"`
	What    string       `json:"what"` // the kind of line: begin, pass, fail, note, log, stack, full, next or done; for next, World is the number of worlds
	Failure *Failure     `json:"failure,omitempty"`
	Who     string       `json:"who,omitempty"` // the goroutine of the job's Draw
	Text    []string     `json:"text,omitempty"`
	Step    uint32       `json:"step,omitempty"` // the step in which Text was logged
	Log     any          `json:"log,omitempty"`  // an entry of the body's log
	Draws   int          `json:"draws,omitempty"`
	Fit     bool         `json:"fit,omitempty"`
	Draw    *bubble.Draw `json:"draw,omitempty"` // for a job with Next: the draw in which the world deviates
}

// A Failure describes how a world failed.
type Failure struct {
	Kind    string // failed, panic, fatal error, deadlock, left, endless, stuck or exit
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
		return nil, fmt.Errorf("the environment variable %s is %q, which is no job of a search: %v; unset it", variable, text, err)
	}
	return j, nil
}
