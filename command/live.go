package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"crypto/tls"

	"github.com/spf13/cobra"

	"macemc/internal/numerals"
	"macemc/internal/report"
	"macemc/internal/wording"
	"macemc/live"
	"macemc/sim"
)

// liveFlags are the flags of the command live, as the user typed them.
type liveFlags struct {
	nodes                int
	bugs, params         []string
	inProcess            bool
	time                 time.Duration
	faults, timetable    string
	faultsFor            time.Duration
	seed                 uint64
	pace                 float64
	record, dir, metrics string
	only                 string
	id                   int // the number in only; -1 means all nodes
	book                 string
	public               bool
	cert, key, ca        string
	verbose              bool
	logFormat, logLevel  string

	child bool // a process that live has started
	life  int
}

// liveRun is one run of the command live.
type liveRun struct {
	*tool
	sys *sim.System
	f   liveFlags
}

// lifeOfChild is the environment variable with the number of a node's life, which live sets for a process that
// it starts.
const lifeOfChild = "MACEMC_LIVE_LIFE"

func (t *tool) liveCommand() *cobra.Command {
	f := liveFlags{id: -1}
	cmd := &cobra.Command{
		Use:   "live SYSTEM",
		Short: "run the nodes of a system for real, and watch its properties",
		Long: `live runs the same code that search checks on real sockets, clocks and disks. Each node is a
process of its own on the loopback interface, which other machines cannot reach, and gets the
requests of the system's script. While the nodes run, live repeats their steps from their records
and evaluates the properties after every step, in an order in which no message is received before
it was sent.

It ends after --time, on an interrupt, or at a failure, and reports which properties hold. With
--faults it kills nodes and starts them again, partitions and pauses them, and makes links worse;
at the end it heals everything, and the system has to recover. With --faults-at a file lists the
faults with their times:

  2s kill n3
  3s start n3
  3s down n2
  4s partition n0 n1 | n2
  5s oneway n0 | n1 n2
  6s mend
  7s pause n1
  8s resume n1
  9s weather loss=0.1,dup=0.1,reorder=0.1,reset=0.01,delay=20ms

With --id and --book it runs one node of a deployment: the book is a file with a line for each node,
such as "n0 10.0.0.1:7000". With --nodes 5 a book of three nodes may grow to five: live reads a new
line within a second while nodes run. The node's storage is in the folder --dir.`,
		Example: `
macemc live randtree --nodes 8 --time 10s
macemc live randtree --nodes 8 --time 30s --faults kill=3s,loss=0.05,delay=5ms
macemc live overcast --record run --time 5s
macemc live overcast --id 0 --book nodes.txt --dir data --metrics 127.0.0.1:9100`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := t.one(args, "live takes the name of one SYSTEM; the command list prints all names")
			if err != nil {
				return err
			}
			sys, err := t.find(name)
			if err != nil {
				return err
			}
			if err := checkNodes(cmd, f.nodes); err != nil {
				return err
			}
			t.status, err = (&liveRun{t, sys, f}).run()
			return err
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.IntVar(&f.nodes, "nodes", 0, "run `N` nodes (default the system's)")
	flags.StringArrayVar(&f.bugs, "bug", nil, "switch the known bug `ID` on (repeatable)")
	flags.StringArrayVar(&f.params, "param", nil, "set a parameter, `k=v` (repeatable)")
	flags.DurationVar(&f.time, "time", 0, "end after this `time` (default on an interrupt)")
	flags.BoolVar(&f.inProcess, "in-process", false, "run all nodes in this process")
	flags.StringVar(&f.faults, "faults", "", "a `list` of faults, separated by commas: kill=2s, cut=5s, oneway=5s and pause=5s are average times between such faults; loss=0.1, dup=0.1, reorder=0.1 and reset=0.01 are probabilities; delay=5ms is a time")
	flags.StringVar(&f.timetable, "faults-at", "", "a `file` of faults with their times, a line for each: 2s kill n3")
	flags.DurationVar(&f.faultsFor, "faults-for", 0, "end --faults and --faults-at after this `time` (default two thirds of --time)")
	flags.Uint64Var(&f.seed, "seed", 0, "draw coins and faults by the seed `N` (default a new one each time)")
	flags.Float64Var(&f.pace, "pace", 1, "multiply the durations of timers by this `factor`, and slow down the nodes' clocks by it: with 0.1 both\nare ten times as fast")
	flags.StringVar(&f.record, "record", "", "write the record of each node into this `folder`, which must be new or empty, for merge")
	flags.StringVar(&f.dir, "dir", "", "keep the storage of nodes in this `folder` (default a temporary one)")
	flags.StringVar(&f.metrics, "metrics", "", "serve at this `address` /metrics for Prometheus, /healthz and /readyz (only with --id or --in-process)")
	flags.StringVar(&f.only, "id", "", "run only the node `I` of the book, from 0")
	flags.StringVar(&f.book, "book", "", "the `file` with the address of each node")
	flags.BoolVar(&f.public, "public", false, "with --id, allow addresses beyond the loopback interface")
	flags.StringVar(&f.cert, "tls-cert", "", "the `file` with the certificate of this node, which names it n0, n1, ...")
	flags.StringVar(&f.key, "tls-key", "", "the `file` with the key of this node's certificate")
	flags.StringVar(&f.ca, "tls-ca", "", "the `file` with the certificates of the authorities that sign those of nodes")
	flags.StringVar(&f.logFormat, "log-format", "text", "log as `text|json`, on standard error")
	flags.StringVar(&f.logLevel, "log-level", "", "log messages of this level and above, `debug|info|warn|error` (default warn; with --id info)")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log connections, and the lines that services write by Env.Logf; implies --log-level debug")
	return cmd
}

// checkNodes returns an error if --nodes was given, and is less than 1.
func checkNodes(cmd *cobra.Command, nodes int) error {
	if cmd.Flags().Changed("nodes") && nodes < 1 {
		return usagef("--nodes is %d; it must be 1 or more", nodes)
	}
	return nil
}

// check returns an error if flags contradict each other. It sets the fields that follow from flags, such as id
// from --id, and returns the parameters of the system. life is the value of lifeOfChild, or "" if live has not
// started this process.
func (f *liveFlags) check(sys *sim.System, life string) (p sim.Params, err error) {
	f.params = sys.Running(f.params)
	p, err = sys.Configure(f.nodes, f.params, f.bugs)
	if err != nil {
		return p, usage{err}
	}
	if f.only != "" {
		if f.id, err = strconv.Atoi(strings.TrimPrefix(f.only, "n")); err != nil || f.id < 0 {
			return p, usagef("--id is %q; it must be the number of a node, from 0", f.only)
		}
	}
	if life != "" {
		f.child = true
		if f.life, err = strconv.Atoi(life); err != nil {
			return p, usagef("%s is %q; it must be a number, and is set by macemc live for the processes of its nodes", lifeOfChild, life)
		}
	}
	switch {
	case (f.id >= 0) != (f.book != ""):
		return p, usagef("only one of --id and --book is given; give both: --book is the file with the addresses of all nodes, and --id the node that this process runs")
	case f.faults != "" && f.timetable != "":
		return p, usagef("--faults draws faults at random, and --faults-at reads them from a file; leave one of them out")
	case f.id >= 0 && (f.faults != "" || f.timetable != "" || f.inProcess):
		return p, usagef("--faults, --faults-at and --in-process are for a run of all nodes; leave them out, or leave out --id")
	case f.time < 0 || f.faultsFor < 0:
		return p, usagef("--time is %s, and --faults-for %s; neither may be less than 0", f.time, f.faultsFor)
	case f.pace <= 0:
		return p, usagef("--pace is %v; it must be more than 0", f.pace)
	case f.faultsFor > 0 && f.faults == "" && f.timetable == "":
		return p, usagef("--faults-for says when --faults and --faults-at end; give one of them")
	case f.id < 0 && (f.cert != "" || f.public):
		return p, usagef("--public and --tls-cert are for one node of a deployment; give --id and --book")
	case f.metrics != "" && f.id < 0 && !f.inProcess:
		return p, usagef("--metrics are those of one process; give --id and --book, or --in-process")
	}
	return p, nil
}

// run runs the nodes as the flags say, and returns the exit status.
func (t *liveRun) run() (status int, err error) {
	p, err := t.f.check(t.sys, t.env(lifeOfChild))
	if err != nil {
		return exitInput, err
	}
	log, err := t.f.log(t.stderr)
	if err != nil {
		return exitInput, err
	}
	c := live.Config{
		Params: p, Seed: t.f.seed, Pace: t.f.pace, Public: t.f.public, Trace: t.f.verbose, Dir: t.f.dir, Life: t.f.life,
		Log: log,
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if t.f.time > 0 && !t.f.child {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.f.time)
		defer cancel()
	}
	if t.f.id >= 0 {
		return t.node(ctx, c)
	}
	return t.all(ctx, c)
}

func readBook(name string) (live.Book, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("the book cannot be read: %w", err)
	}
	defer func() { _ = file.Close() }()
	b, err := live.ReadBook(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

// followBook watches the file name, which is the book of the deployment: the list of its nodes and their
// addresses. Each time the file has changed, it reads the file again and adds the new nodes to the host, until
// ctx ends.
func followBook(ctx context.Context, h *live.Host, name string, log *slog.Logger) {
	var before os.FileInfo
	for tick := time.Tick(time.Second); ; {
		if info, err := os.Stat(name); err == nil && (before == nil || info.ModTime() != before.ModTime() || info.Size() != before.Size()) {
			before = info
			b, err := readBook(name)
			if err == nil {
				err = h.Grow(b)
			}
			if err != nil {
				log.Warn("the book is as it was", "why", err.Error())
			}
		}
		select {
		case <-tick:
		case <-ctx.Done():
			return
		}
	}
}

// log returns the logger for --log-format and --log-level. It writes to the writer to.
func (f *liveFlags) log(to io.Writer) (*slog.Logger, error) {
	level := slog.LevelWarn
	switch {
	case f.logLevel != "" && f.verbose:
		return nil, usagef("--verbose implies --log-level debug; leave one of them out")
	case f.logLevel != "":
		if err := level.UnmarshalText([]byte(f.logLevel)); err != nil {
			return nil, usagef("--log-level is %q; there are debug, info, warn and error", f.logLevel)
		}
	case f.verbose:
		level = slog.LevelDebug
	case f.id >= 0 && !f.child:
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	switch f.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(to, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(to, options)), nil
	}
	return nil, usagef("--log-format is %q; there are text and json", f.logFormat)
}

// node runs the one node that --id names, and returns the exit status.
func (t *liveRun) node(ctx context.Context, c live.Config) (status int, err error) {
	if c.Book, err = readBook(t.f.book); err != nil {
		return exitInput, err
	}
	if c.TLSNow, err = t.f.tls(); err != nil {
		return exitInput, err
	}
	if t.f.nodes == 0 {
		if c.Params, err = t.sys.Configure(len(c.Book), t.f.params, t.f.bugs); err != nil {
			return exitInput, fmt.Errorf("%s: %w", t.f.book, err)
		}
	}
	c.Only = []int{t.f.id}
	switch {
	case t.f.child:
		c.Record, c.Weather = live.ChildRecord, live.NewWeather(t.f.seed+uint64(t.f.id), live.Climate{})
	case t.f.record != "":
		c.Record = live.RecordIn(t.f.record)
	}
	h, err := live.Start(t.sys, c)
	if err != nil {
		return exitInput, err
	}
	closeMetrics, err := t.serveMetrics(h, c.Log)
	if err != nil {
		return exitInput, errors.Join(err, h.Stop())
	}
	defer closeMetrics()
	if t.f.child {
		// An interrupt from the terminal reaches all processes, but the parent decides when
		// this one ends.
		err = live.Child(context.WithoutCancel(ctx), h, os.Stdin)
	} else {
		reach := "which only this machine can reach"
		if t.f.public {
			reach = "which others can reach"
		}
		t.announce(c.Log, "n%d of %s runs at %s, %s; interrupt it to stop", t.f.id, t.sys.Name, c.Book[t.f.id], reach)
		go followBook(ctx, h, t.f.book, c.Log)
		select {
		case <-ctx.Done():
		case <-h.Node(t.f.id).Done():
		}
		err = h.Stop()
	}
	var failed *live.Failed
	if errors.As(err, &failed) {
		if t.f.child {
			return exitFound, nil // it is in the record
		}
		fmt.Fprintf(t.stdout, "%s: a handler failed: %s\n%s", failed.Node, report.Line(failed.Text), failed.Stack)
		return exitFound, nil
	}
	return exitNothing, err
}

func (f *liveFlags) tls() (func() (*tls.Config, error), error) {
	if f.cert == "" && f.key == "" && f.ca == "" {
		return nil, nil
	}
	if f.cert == "" || f.key == "" || f.ca == "" {
		return nil, usagef("--tls-cert is %q, --tls-key %q and --tls-ca %q; give all three, or none", f.cert, f.key, f.ca)
	}
	return live.TLSFiles(f.cert, f.key, f.ca)
}

// announce prints a text for the user on standard error. With --log-format json it logs the text, so that
// every line is JSON.
func (t *liveRun) announce(log *slog.Logger, format string, args ...any) {
	if t.f.logFormat == "json" {
		log.Info(fmt.Sprintf(format, args...))
		return
	}
	fmt.Fprintf(t.stderr, format+"\n", args...)
}

// serveMetrics serves the metrics of host h by HTTP until closer is called, if --metrics is set.
func (t *liveRun) serveMetrics(h *live.Host, log *slog.Logger) (closer func(), err error) {
	if t.f.metrics == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", t.f.metrics)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	s := &http.Server{Handler: h.Handler(), ReadHeaderTimeout: 5 * time.Second}
	t.announce(log, "http://%s serves /metrics, /healthz and /readyz", l.Addr())
	go func() { _ = s.Serve(l) }()
	return func() { _ = s.Close() }, nil
}

// all runs all nodes, watches them, and returns the exit status.
func (t *liveRun) all(ctx context.Context, c live.Config) (status int, err error) {
	if c.Params, err = t.sys.Resolve(c.Params); err != nil {
		return exitInput, err
	}
	if err := t.sys.Validate(c.Params); err != nil {
		return exitInput, err
	}
	if err := live.Honest(t.sys, c.Params); err != nil {
		return exitInput, err
	}
	trouble, fails, err := t.f.trouble(c.Params.Nodes)
	if err != nil {
		return exitInput, err
	}
	copies, err := t.f.copies()
	if err != nil {
		return exitInput, err
	}
	follow, err := live.Follow(t.sys, c.Params, copies)
	if err != nil {
		return exitInput, err
	}
	follow.Look(func(w *live.Watch) {
		for _, i := range fails {
			w.Fails(i)
		}
	})
	if c.Dir == "" {
		if c.Dir, err = os.MkdirTemp("", "macemc-live-"); err != nil {
			return exitInput, err
		}
		dir := c.Dir
		defer func() { _ = os.RemoveAll(dir) }()
	}
	began := time.Now()
	v := &voice{t: t.tool, began: began}
	broken := make(chan error, c.Params.Nodes)
	fleet, host, err := t.fleet(c, follow, func(i int, err error) { broken <- fmt.Errorf("the process of n%d has ended: %w", i, err) })
	if err != nil {
		return exitInput, err
	}
	closeMetrics := func() {}
	if host != nil {
		if closeMetrics, err = t.serveMetrics(host, c.Log); err != nil {
			return exitInput, errors.Join(err, fleet.Stop())
		}
	}
	defer func() { closeMetrics() }()
	where := "as processes"
	if t.f.inProcess {
		where = "in this process"
	}
	v.say("%s of %s run %s, on 127.0.0.1, which only this machine can reach", numerals.Many(c.Params.Nodes, "node"), t.sys.Name, where)
	ended := make(chan error, 1)
	if trouble != nil {
		bad, heal := ctx, context.CancelFunc(func() {})
		if end, _ := t.f.faultsEnd(); end > 0 {
			bad, heal = context.WithTimeout(ctx, end)
		}
		defer heal()
		go func() {
			ended <- trouble(bad, fleet, func(what string) { v.say("%s", what) })
		}()
	} else {
		ended <- nil
	}
	why := t.attend(ctx, follow, v, broken)
	if err := <-ended; err != nil {
		v.say("the faults have ended: %v", err)
	}
	if trouble != nil && why == nil { // after the faults have ended, the system must recover
		follow.Wait(20*time.Second, func(w *live.Watch) bool {
			is, _ := w.Live()
			return is || !w.Recovers() || len(w.Violations()) > 0
		})
	}
	status, summary := t.summarise(follow, why)
	stopped := fleet.Stop()
	follow.Close()
	summary()
	if t.f.record != "" {
		fmt.Fprintf(t.stdout, "recorded: %s makes one path of it\n", t.line("merge", t.f.record))
	}
	if status == exitNothing {
		err = stopped
	}
	return status, err
}

// voice prints events of a run, each with the time since the start of the run.
type voice struct {
	t     *tool
	began time.Time
	mu    sync.Mutex
}

func (v *voice) say(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fmt.Fprintf(v.t.stdout, "%7.2f s  %s\n", time.Since(v.began).Seconds(), report.Line(fmt.Sprintf(format, args...)))
}

// attend follows a run until ctx is done. It prints each time when the system becomes live or ceases to be
// live. It returns an error as soon as a property is violated or a node fails; failures of nodes come from
// broken. At the end it returns the first error in the records, or nil.
func (t *liveRun) attend(ctx context.Context, follow *live.Follower, v *voice, broken <-chan error) (wrong error) {
	was := false
	for wrong == nil && ctx.Err() == nil {
		follow.Wait(100*time.Millisecond, func(w *live.Watch) bool {
			is, why := w.Live()
			if w.Recovers() && is != was && w.Steps() > 0 {
				was = is
				if is {
					v.say("live: every liveness property holds, after %s", numerals.Many(w.Steps(), "step"))
				} else {
					v.say("not live: %s", strings.Join(why, "; "))
				}
			}
			return len(w.Violations()) > 0 || ctx.Err() != nil
		})
		follow.Look(func(w *live.Watch) {
			if len(w.Violations()) > 0 {
				wrong = errors.New("a property was violated, or a handler failed; the lines above say which")
			}
		})
		select {
		case err := <-broken:
			// The failure of a handler is also in its record, which is read a moment later.
			follow.Wait(time.Second, func(w *live.Watch) bool { return len(w.Violations()) > 0 })
			v.say("%v", err)
			wrong = err
		default:
		}
	}
	if wrong == nil {
		wrong = follow.Err()
	}
	return wrong
}

// summarise collects the summary of a run while the nodes still run. wrong is the error of attend. It returns
// the exit status, and a function that prints the summary.
func (t *liveRun) summarise(follow *live.Follower, wrong error) (status int, print func()) {
	var lines []string
	follow.Look(func(w *live.Watch) {
		is, why := w.Live()
		for _, s := range w.Statuses() {
			up := "up"
			if !s.Up {
				up = "down"
			}
			lines = append(lines, fmt.Sprintf("  %-4s %-5s life %d  %s, %s", s.Node, up, s.Life, numerals.Many(int(s.Steps), "step"), numerals.Many(s.Timers, "timer")))
		}
		lines = append(lines, "")
		for _, one := range w.Violations() {
			status = exitFound
			lines = append(lines, "violated: "+report.Line(one.String()))
		}
		switch {
		case status == exitFound:
		case wrong != nil:
			status = exitFound
			lines = append(lines, "ended: "+report.Line(wrong.Error()))
		case !w.Recovers():
			lines = append(lines, heldSafety(w)+"; there is no liveness property")
		case is:
			lines = append(lines, heldSafety(w)+"; at the end, every liveness property")
		default:
			status = exitFound
			lines = append(lines, "not live at the end: "+report.Line(strings.Join(why, "; ")))
		}
		if left := w.Unjudged(); len(left) > 0 {
			lines = append(lines, "not judged live, since it asks what is under way, which nobody knows for sure: "+quotedNames(left)+"; merge judges it, of a run that is recorded")
		}
		if left := w.OfSearches(); len(left) > 0 {
			lines = append(lines, "not judged live, since one run cannot decide it: "+quotedNames(left)+"; search does")
		}
	})
	return status, func() { fmt.Fprintln(t.stdout, strings.Join(lines, "\n")) }
}

const namedMost = 6 // properties that the end of a run names

// heldSafety returns a sentence that names the safety properties that have held in all states.
func heldSafety(w *live.Watch) string {
	names := w.Judged()
	what := quotedNames(names)
	switch n := len(names); {
	case n == 0:
		return "held: there is no safety property that is judged"
	case n > namedMost:
		what = "all " + numerals.Many(n, "safety property")
	}
	return fmt.Sprintf("held: %s, in each of %s", what, numerals.Many(w.Steps(), "state"))
}

// quotedNames returns the names of properties in quotation marks, on one line.
func quotedNames(names []string) string { return report.Line(wording.Quoted(names)) }

// trouble returns a function that causes the faults which --faults or --faults-at describes, or nil if
// there are no such flags. fails has the nodes that will go down and not come back.
func (f *liveFlags) trouble(nodes int) (run func(context.Context, live.Fleet, func(string)) error, fails []int, err error) {
	switch {
	case f.faults != "":
		t, err := live.ParseTrouble(f.faults)
		if err != nil {
			return nil, nil, usagef("--faults: %w", err)
		}
		return func(ctx context.Context, fleet live.Fleet, tell func(string)) error {
			return t.Run(ctx, fleet, nodes, f.seed, tell)
		}, nil, nil
	case f.timetable != "":
		file, err := os.Open(f.timetable)
		if err != nil {
			return nil, nil, fmt.Errorf("--faults-at: %w", err)
		}
		defer func() { _ = file.Close() }()
		t, err := live.ReadTimetable(file, nodes)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.timetable, err)
		}
		if end, why := f.faultsEnd(); end > 0 && t.Last() >= end {
			return nil, nil, usagef("the last line of %s is at %s, and faults end after %s, %s; give more --time, or cut the file", f.timetable, t.Last(), end, why)
		}
		return func(ctx context.Context, fleet live.Fleet, tell func(string)) error {
			return t.Run(ctx, fleet, nodes, tell)
		}, t.Fails(), nil
	}
	return nil, nil, nil
}

// faultsEnd returns the time at which all faults end, and a text with the reason. 0 means that they end with
// the run.
func (f *liveFlags) faultsEnd() (end time.Duration, why string) {
	if f.faultsFor > 0 {
		return f.faultsFor, "as --faults-for says"
	}
	return (f.time * 2 / 3).Round(time.Millisecond), fmt.Sprintf("two thirds of --time %s, so that the system can recover", f.time)
}

// copies returns a function that opens a file in the folder of --record, to which the record of one life of
// a node is copied. It returns nil if there is no such flag.
func (f *liveFlags) copies() (func(node, life int) (io.WriteCloser, error), error) {
	if f.record == "" {
		return nil, nil
	}
	if old, err := filepath.Glob(filepath.Join(f.record, "*.rec")); err != nil || len(old) > 0 {
		return nil, fmt.Errorf("the folder %s has records of another run; name a new one", f.record)
	}
	return live.RecordIn(f.record), nil
}

// fleet starts the nodes, whose records follow reads. If they run in this process, it also returns their host.
func (t *liveRun) fleet(c live.Config, follow *live.Follower, failed func(int, error)) (live.Fleet, *live.Host, error) {
	if t.f.inProcess {
		c.Record, c.Weather = follow.Record, live.NewWeather(t.f.seed, live.Climate{})
		c.Failed = func(at sim.Addr, err error) { failed(at.Index(), err) }
		h, err := live.Start(t.sys, c)
		if err != nil {
			return nil, nil, err
		}
		return h, h, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	book, err := live.Loopback(c.Params.Nodes)
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(c.Dir, "book")
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(file, []byte(book.String()), 0o600); err != nil {
		return nil, nil, err
	}
	args := []string{"live", t.sys.Name, "--book", file, "--dir", c.Dir, "--seed", fmt.Sprint(t.f.seed), "--pace", fmt.Sprint(t.f.pace), "--nodes", fmt.Sprint(c.Params.Nodes)}
	for _, b := range t.f.bugs {
		args = append(args, "--bug", b)
	}
	for _, one := range t.f.params {
		args = append(args, "--param", one)
	}
	args = append(args, "--log-format", t.f.logFormat)
	if t.f.logLevel != "" {
		args = append(args, "--log-level", t.f.logLevel)
	}
	if t.f.verbose {
		args = append(args, "--verbose")
	}
	ps, err := live.Spawn(c.Params.Nodes, follow, func(node, life int) *exec.Cmd {
		cmd := exec.Command(self, append(slices.Clone(args), "--id", fmt.Sprint(node))...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", lifeOfChild, life))
		cmd.Stdout, cmd.Stderr = t.stderr, t.stderr
		cmd.SysProcAttr = apart()
		return cmd
	}, failed)
	if err != nil {
		return nil, nil, err
	}
	return ps, nil, nil
}
