//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package command

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"macemc/internal/guard"
)

// how returns a few words about how a child died, for the middle of a sentence.
func how(d *death) string {
	what, _ := tellDeath(d, 0)
	return what
}

// tellDeath describes how a child died, and returns the stack if Go's runtime has printed one. allowed
// is the memory in bytes that the child was allowed to use.
func tellDeath(d *death, allowed int) (what, stack string) {
	crash, all := crashOf(d.printed)
	stack = stackOf(all)
	switch {
	case d.memory > 0:
		return fmt.Sprintf("it took %s of memory, and --memory allows %s", mebibytes(d.memory), mebibytes(allowed)), stack
	case d.stopped > stoppedMost:
		return fmt.Sprintf("it was stopped, as by SIGSTOP, and did not go on for %s, so it was ended", time.Duration(stoppedMost)*watchEvery), ""
	case crash != "":
		return crash, stack
	}
	what = d.how
	if d.signal == 0 {
		what += ", as os.Exit and log.Fatal do; panic instead, and there is a stack"
	}
	if lines := strings.Split(strings.TrimSpace(d.printed), "\n"); lines[len(lines)-1] != "" {
		what += fmt.Sprintf("; what was printed last is %q", lines[len(lines)-1])
	}
	return what, ""
}

// crashOf finds the crash message of Go's runtime in what a process has printed, such as "panic:
// index out of range". It returns the line of the message, and the text after it, which has the
// stacks. Both are "" if there is no such message.
func crashOf(printed string) (crash, stacks string) {
	at := -1
	for _, word := range []string{"fatal error: ", "panic: ", "SIGQUIT: ", "SIGSEGV: ", "SIGBUS: ", "SIGABRT: "} {
		if i := strings.LastIndex("\n"+printed, "\n"+word); i > at {
			at = i
		}
	}
	if at < 0 {
		return "", ""
	}
	crash, stacks, _ = strings.Cut(printed[at:], "\n")
	return crash, stacks
}

// stackOf returns the service's part of the stack of the goroutine that ended the process, which is
// the goroutine that runs a World, or else the first running one.
func stackOf(stacks string) string {
	first := ""
	stacks = elided.ReplaceAllString(stacks, "\n")
	for one := range strings.SplitSeq(stacks, "\n\n") {
		one = strings.TrimLeft(one, "\n")
		if !strings.HasPrefix(one, "goroutine ") {
			continue
		}
		if strings.Contains(one, "macemc/internal/world.(*World)") {
			return shortened(guard.Stack([]byte(one)))
		}
		if first == "" && strings.Contains(one, "[running") {
			first = shortened(guard.Stack([]byte(one)))
		}
	}
	return first
}

// elided matches the line that Go's runtime prints in the middle of a stack that is too deep.
var elided = regexp.MustCompile(`\n\.\.\.\d+ frames elided\.\.\.\n`)

// framesMost is the largest number of frames of a stack that are shown. A stack that overflowed has
// millions of frames, most of them alike.
const framesMost = 12

func shortened(stack string) string {
	var out []string
	lines := strings.Split(stack, "\n")
	for i := 0; i+1 < len(lines) && len(out) < 2*framesMost; i += 2 {
		if again(out, lines[i], lines[i+1]) {
			continue // it calls itself
		}
		out = append(out, lines[i], lines[i+1])
	}
	return strings.Join(out, "\n")
}

// again reports whether a frame equals one of the last two in frames, as in a recursion through one
// or two functions. A frame is two texts: the call, and its place in the source.
func again(frames []string, call, place string) bool {
	for k := len(frames) - 2; k >= max(0, len(frames)-4); k -= 2 {
		if frames[k] == call && frames[k+1] == place {
			return true
		}
	}
	return false
}

func mebibytes(n int) string { return fmt.Sprintf("%d MiB", n>>20) }
