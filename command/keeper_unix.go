//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package command

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"macemc/internal/account"
	"macemc/internal/lines"
	"macemc/internal/search"
	"macemc/internal/trail"
)

// These are the file descriptors that a child gets besides the usual three. It moves them to numbers from
// fdHigh on, so that a handler which writes to a small number by mistake, to a descriptor that it has not
// opened, does not hit them.
const (
	fdStdout = 3 + iota
	fdStderr
	fdTrail
	fdSaid
	fdAlive

	fdHigh = 200
)

// stackMost is the largest stack of a goroutine in a child, in bytes. Filling Go's default of 1 GB takes so
// long that the handler would seem not to return.
const stackMost = 64 << 20

// heldBy returns the connection of this process to its keeper, or nil if the process is no child.
func heldBy() *child {
	role := os.Getenv(asChild)
	if role == "" {
		return nil
	}
	os.Unsetenv(asChild) // programs that handlers start are no children of the keeper
	memory, alive, token := moved(fdTrail, "trail"), moved(fdAlive, "alive"), make([]byte, tokenBytes)
	held, err := trail.Open(memory)
	memory.Close()
	if _, failed := io.ReadFull(alive, token); err != nil || failed != nil { // it must not become a keeper, or processes would start each other without end
		fmt.Fprintln(os.Stderr, "macemc: a process that takes runs has no keeper:", errors.Join(err, failed))
		os.Exit(exitInput)
	}
	debug.SetMaxStack(stackMost)
	go func() {
		_, _ = alive.Read(make([]byte, 1)) // nothing more is written: the keeper is gone
		os.Exit(exitStopped)
	}()
	return &child{
		role: role, trail: held, said: moved(fdSaid, "said"), token: string(token), began: time.Now(),
		stdout: moved(fdStdout, "stdout"), stderr: moved(fdStderr, "stderr"), prints: os.Stdout,
	}
}

// moved moves a file of the child to a high number, and returns it.
func moved(fd uintptr, name string) *os.File {
	high, _, no := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_DUPFD_CLOEXEC, fdHigh)
	if no != 0 { // the number is above the limit of open files
		syscall.CloseOnExec(int(fd))
		return os.NewFile(fd, name)
	}
	_ = syscall.Close(int(fd))
	return os.NewFile(high, name)
}

// tokenBytes is the length of the token with which each line begins that a child and its keeper write to
// each other. No handler knows the token, so a line that a handler prints is never taken for one of these.
const tokenBytes = 32

// keeper starts children that execute the command line, watches them, and goes on when one dies.
type keeper struct {
	t       *tool
	self    string
	counts  string // a folder for the files that Go's coverage writes if the program counts lines, or ""
	trail   *trail.Trail
	said    *os.File
	token   string
	printed *os.File // the output of handlers, and that of Go's runtime when the child dies

	limit time.Duration // --time of a search; 0 means none
	began time.Time

	mu    sync.Mutex
	asked int       // the number of interrupts received
	since time.Time // the first of them
	last  os.Signal
}

// counted makes the next children run the copy p of the program, which counts how often each of its
// lines runs. end removes the folder of these counts.
func (k *keeper) counted(p *lines.Program) (end func(), err error) {
	if k.self, err = p.File(); err != nil {
		return nil, err
	}
	if k.counts, err = os.MkdirTemp("", "macemc-counts-*"); err != nil {
		return nil, err
	}
	return func() { os.RemoveAll(k.counts) }, nil
}

// death describes the unexpected end of a child.
type death struct {
	how     string // in the words of the operating system
	signal  syscall.Signal
	printed string
	memory  int // its memory in bytes, if it was killed because of that, or 0
	late    bool
	stopped int         // the number of times in a row that it was seen stopped, as by SIGSTOP
	stop    search.Stop // if it was killed because it did not end: the reason to end; otherwise ""
}

// stands records whether the child was just seen stopped, as by SIGSTOP. It returns true once the
// child was seen so more than stoppedMost times in a row.
func (d *death) stands(stopped bool) bool {
	if d.stopped++; !stopped {
		d.stopped = 0
	}
	return d.stopped > stoppedMost
}

// overdue sets d.stop to why, the reason for which the child should have ended by now, or "". It
// reports whether there is such a reason.
func (d *death) overdue(why search.Stop) bool {
	d.stop = why
	return why != ""
}

// keep returns a keeper, whose children execute the command line. It returns nil if the command must run in
// this process: if this process is a child or a test, if inProcess is set, or if the files that a keeper needs
// cannot be made.
func (t *tool) keep(inProcess bool) (kept *keeper) {
	if t.args == nil || t.child != nil || inProcess {
		return nil
	}
	k := &keeper{t: t, token: (rand.Text() + rand.Text())[:tokenBytes]}
	var err, failed error
	k.self, err = os.Executable()
	k.trail, failed = trail.New()
	err = errors.Join(err, failed)
	k.said, failed = trail.Memory("said")
	err = errors.Join(err, failed)
	k.printed, failed = trail.Memory("printed")
	if errors.Join(err, failed) != nil {
		return nil
	}
	for _, file := range []*os.File{k.said, k.printed} { // several processes write to each
		if _, _, no := syscall.Syscall(syscall.SYS_FCNTL, file.Fd(), syscall.F_SETFL, syscall.O_RDWR|syscall.O_APPEND); no != 0 {
			return nil
		}
	}
	return k
}

// run executes the command line in a child with this role, and waits for it. If the child ended by itself, d is
// nil and status is its exit status. Otherwise d describes how it died.
func (k *keeper) run(role string, limit time.Duration) (status int, d *death) {
	alive, ours, err := os.Pipe()
	if err != nil {
		return exitInput, &death{how: err.Error()}
	}
	defer ours.Close()
	if _, err := ours.WriteString(k.token); err != nil {
		return exitInput, &death{how: err.Error()}
	}
	k.trail.Clear()
	_ = k.printed.Truncate(0)
	cmd := exec.Command(k.self, k.t.args...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), asChild+"="+role)
	if k.counts != "" {
		cmd.Env = append(cmd.Env, "GOCOVERDIR="+k.counts)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, k.printed, k.printed
	cmd.ExtraFiles = []*os.File{fileOf(k.t.stdout), fileOf(k.t.stderr), k.trail.File(), k.said, alive}
	err = cmd.Start()
	alive.Close()
	if err != nil {
		return exitInput, &death{how: err.Error()}
	}
	d = &death{}
	ended := k.watch(cmd.Process, d, limit, role)
	err = cmd.Wait()
	ended()
	if status, ok := k.trail.Ended(); ok {
		return status, nil
	}
	d.how = "exit status 0"
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		d.how = exit.Error()
		if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
			d.signal = w.Signal()
		}
	}
	d.printed = k.whatWasPrinted()
	return exitFound, d
}

// These limits apply to the output of a child, which is checked and cut from time to time.
const (
	watchEvery  = 50 * time.Millisecond
	printedMost = 1 << 20
	dumpTime    = 3 * time.Second // how long Go's runtime may take to print all stacks
)

// stoppedMost is the number of times in a row that a child may be seen stopped. This is a count and not a time: if
// the keeper was stopped together with its child, the time meanwhile does not count.
var stoppedMost = 200

// watch watches the process p of a child until ended is called. It kills the child if it takes too much memory,
// goes on beyond the limit, stays stopped, or does not end when it was asked to. It empties the file of the
// output if that grows too large, and passes on interrupts that the child did not get itself.
func (k *keeper) watch(p *os.Process, d *death, limit time.Duration, role string) (ended func()) {
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		began, behind := time.Now(), 0
		var dumped time.Time
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if info, err := k.printed.Stat(); err == nil && info.Size() > printedMost && dumped.IsZero() {
				_ = k.printed.Truncate(0)
			}
			if asked, last := k.interrupted(); asked > k.trail.Heard() {
				if behind++; behind == 4 { // else it gets the terminal's itself
					_ = p.Signal(last)
					behind = 0
				}
			}
			if d.overdue(k.overdue(role)) {
				_ = p.Kill()
				return
			}
			if d.stands(isStopped(p.Pid)) {
				_ = p.Kill()
				return
			}
			most := k.trail.Allowed()
			switch has := residentBytes(p.Pid); {
			case !dumped.IsZero():
				if time.Since(dumped) > dumpTime {
					_ = p.Kill()
				}
			case most > 0 && has > most+most/2+slackBytes:
				d.memory, dumped = has, time.Now()
				_ = p.Signal(syscall.SIGQUIT)
			case limit > 0 && time.Since(began) > limit:
				d.late, dumped = true, time.Now()
				_ = p.Signal(syscall.SIGQUIT)
			}
		}
	}()
	return func() {
		close(done)
		<-over
	}
}

// overdue returns the reason for which a child in this role should have ended long ago, or "" if there is none.
func (k *keeper) overdue(role string) search.Stop {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case role == roleTell:
		return ""
	case k.asked > 0 && time.Since(k.since) > killAfterSignal:
		return search.StopInterrupted
	case k.limit > 0 && time.Since(k.began) > k.limit+killAfterTime:
		return search.StopTime
	}
	return ""
}

// slackBytes is how much memory a child may use above one and a half times the memory limit of the search;
// the keeper kills a child that uses more. The search itself keeps to its limit, so then a handler uses
// the memory.
const slackBytes = 256 << 20

func (k *keeper) interrupted() (int, os.Signal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.asked, k.last
}

func (k *keeper) whatWasPrinted() string {
	info, err := k.printed.Stat()
	if err != nil {
		return ""
	}
	text := make([]byte, min(info.Size(), 4*printedMost))
	n, _ := k.printed.ReadAt(text, 0)
	return string(text[:n])
}

// listen counts the signals that ask this process to end, until end is called, and passes on those that the
// child does not get itself.
func (k *keeper) listen() (end func()) {
	signals, done := make(chan os.Signal, 4), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for {
			select {
			case s := <-signals:
				k.mu.Lock()
				if k.asked == 0 {
					k.since = time.Now()
				}
				k.asked, k.last = k.asked+1, s
				k.mu.Unlock()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// follow ends this process by the signal d.signal that has ended the child, if the user has sent the
// same signal to this process.
func (k *keeper) follow(d *death) {
	asked, last := k.interrupted()
	if asked == 0 || d.signal != last {
		return
	}
	signal.Reset(last)
	_ = syscall.Kill(os.Getpid(), d.signal)
	time.Sleep(time.Second)
	k.t.exit(exitStopped)
}

// search runs a search in a child, and returns the exit status. If the child dies, or does not end within
// the limit, it reports the progress so far.
func (k *keeper) search(limit time.Duration) (status int) {
	defer k.listen()()
	k.limit, k.began = limit, time.Now()
	status, d := k.run(roleRun, 0)
	if d == nil {
		k.aboutPrinted()
		return status
	}
	k.follow(d)
	m := k.afterDeath()
	if m.Stop = d.stop; d.stop == "" {
		m.Killed, m.Reason = k.culprit(d)
	} else {
		m.Reason = "the search did not stop in time, and was killed; the result has only what it had reported before"
	}
	k.ask(m)
	status, again := k.run(roleTell, 0)
	if again == nil {
		return status
	}
	k.follow(again)
	k.t.complain(fmt.Errorf("the service ended the process of the search (%s), and also the process that replayed its runs to find out why (%s); --in-process shows its output", how(d), how(again)))
	return exitFound
}

// shown returns the file with the path of the first finding that the child has written, or "".
func (k *keeper) shown() string {
	m, _ := lastSaid(k.said, k.token, func(m *message) bool { return m.Shown != "" })
	return m.Shown
}

// afterDeath returns a message with the findings and the progress of a search whose child has died.
func (k *keeper) afterDeath() (m message) {
	found, _ := lastSaid(k.said, k.token, func(m *message) bool { return m.Found != nil })
	m.Found = found.Found
	_ = json.Unmarshal(k.trail.Noted(), &m.Note)
	return m
}

// ask writes a message for the next child into the file by which keeper and child exchange
// messages. It removes all earlier messages.
func (k *keeper) ask(m message) {
	_ = k.said.Truncate(0)
	(&child{said: k.said, token: k.token}).say(m)
}

const (
	aloneTries = 3 // the number of times that a run is taken alone, since its handler may behave differently each time
	aloneTime  = 30 * time.Second
)

// culprit finds out which run killed the search. It takes each run that was under way when the child died once
// more, alone in a new child. If that child dies too, culprit describes its run. If no child dies, culprit
// returns nil, and the cause of death d as a text.
func (k *keeper) culprit(d *death) (*killed, string) {
	runs := k.trail.Runs()
	for _, r := range runs {
		for range aloneTries {
			k.ask(message{Run: r.Bytes()})
			_, again := k.run(roleAlone, aloneTime)
			switch {
			case again == nil || again.late:
				continue
			case again.stop != "":
				return nil, "the process of the search was ended, and there was no time to find out by which run"
			}
			k.follow(again)
			if m, ok := lastSaid(k.said, k.token, func(m *message) bool { return m.Alone != "" }); ok {
				what, stack := tellDeath(again, k.trail.Allowed())
				return &killed{Path: m.Alone, Message: what, Stack: stack}, ""
			}
		}
	}
	what, stack := tellDeath(d, k.trail.Allowed())
	reason := fmt.Sprintf("the process of the search was ended: %s", what)
	if at := account.At(stack); at != "" {
		reason += "; at " + at
	}
	switch {
	case len(runs) == 0:
		return nil, reason + "; no run was under way. The result has the findings before that, and claims nothing about states that were not visited"
	case stack != "" && d.memory == 0:
		return nil, reason + "; none of the runs that were under way does that when it is taken alone: handlers of different runs share something, such as a package variable, or a goroutine or a callback ended the process. --workers 1 takes one run at a time"
	}
	return nil, reason + "; no run that was under way does this when it is taken alone, so the cause came from outside. The result has the findings before that, and claims nothing about states that were not visited"
}

// other executes a command other than search in a child, and returns its exit status. If the child died, d
// describes how, and answers is the number of choices that its run had made by then.
func (k *keeper) other() (status int, d *death, answers int) {
	defer k.listen()()
	status, d = k.run(roleRun, 0)
	if d == nil {
		k.aboutPrinted()
		return status, nil, 0
	}
	k.follow(d)
	if d.stop != "" {
		k.t.complain(errors.New("the process that takes runs did not stop in time, and was killed"))
		return exitStopped, nil, 0
	}
	for _, r := range k.trail.Runs() {
		answers = max(answers, len(r.Picks))
	}
	return status, d, answers
}

// aboutPrinted informs the user if handlers have printed something, since reports do not show their output.
func (k *keeper) aboutPrinted() {
	text := k.whatWasPrinted()
	if text == "" {
		return
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	k.t.complain(fmt.Errorf("the service prints lines such as %q, which reports do not show, and only trace.jsonl of a finding has: use env.Logf, whose lines stand beside their step", cmp.Or(first, "a blank line")))
}
