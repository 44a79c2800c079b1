package command

import (
	"cmp"
	"errors"
	"fmt"
	"macemc/internal/jobs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"macemc/internal/account"
	"macemc/internal/contract"
	"macemc/internal/finding"
	"macemc/internal/report"
	"macemc/internal/search"
	"macemc/sim"
)

// searchFlags are the flags of the command search, as the user typed them.
type searchFlags struct {
	conditionFlags
	bugs, params         []string
	ignore               []string
	opts                 search.Options // the bounds, and the options that need no parsing
	memory               string
	time                 time.Duration
	noCritical, noShrink bool
	noLines              bool
	coverage             bool
	seed                 int64
	state                string
	cluster              *jobs.Cluster // distributes the walks, or nil
	noWork               bool          // a coordinator has no worker of its own
	resume               bool          // continue the search whose state is in the directory state
	prefix               string
	out                  string
	inProcess            bool
	json, quiet, web     bool
	outputs              outputs
}

func (t *tool) searchCommand() *cobra.Command { return t.searches(new(searchFlags)) }

// searches returns the command search, which runs a search according to the flags f. The command coordinator
// is made from it.
func (t *tool) searches(f *searchFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "search SYSTEM",
		Short: "search for failures of a system, and write each into a folder",
		Long: `search takes runs of a system until one fails. It begins with the exhaustive phase,
which visits all states in rounds of growing depth. Faults of the environment happen in it
wherever --faults allows them. At the end of a round it takes a walk without faults from
every state that is not live. Then it takes long random walks from the start;
every second one begins with a storm of faults, after which the environment heals.
Safety properties are checked in every state. If all states were visited, liveness is
decided exactly. Otherwise a walk that does not become live is suspected, and reported
as dead if no fresh walk from its end becomes live.

A finding is written into a folder of its own, DIR/SYSTEM-WHAT-N, where WHAT is
the known bug, the property or the verdict: error.path, which replays it, report.md for
a bug report, trace.jsonl for programs, and graphs of cause and effect. The report ends
with the command that replays the finding.`,
		Example: `
macemc search handshake
macemc search handshake --bug HS1 --faults loss=1
macemc search simtcp --nodes 3 --param messages=2 --time 10m --findings 5
macemc search twophase --junit junit.xml --sarif macemc.sarif`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := t.one(args, "search takes the name of one SYSTEM; the command list prints all names")
			if err != nil {
				return err
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			if err := f.outputs.check(t, cmd.Flags()); err != nil {
				return err
			}
			if sys, err := t.find(name); err == nil && sys.Programs != nil {
				if err := honoured(cmd.Flags(), name); err != nil {
					return err
				}
				return t.searchPrograms(name, *f)
			}
			if k := t.keep(f.inProcess); k != nil {
				if f.coverage {
					end, err := k.counted(t.copiedOnce())
					if err != nil {
						return fmt.Errorf("--coverage: %w", err)
					}
					defer end()
				}
				t.status = k.search(f.time)
				return t.exploreFound(*f, k.shown())
			}
			if f.coverage && t.child == nil {
				return errors.New("--coverage: lines are counted in a process of its own, which this command cannot start here")
			}
			if err := t.search(name, *f); err != nil || t.child != nil {
				return err
			}
			return t.exploreFound(*f, t.shown)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.opts.Early = new(int)
	bound := func(name string) {
		b := search.Bounded(name)
		flags.IntVar(b.In(&f.opts), name, 0, b.Help)
	}
	flags.StringArrayVar(&f.bugs, "bug", nil, "switch the known bug `ID` on (repeatable)")
	f.conditionFlags.add(cmd, "")
	flags.StringArrayVar(&f.ignore, "ignore", nil, "do not report failures of this kind: `verdict=V`; property=NAME; place=FILE:LINE of a panic; cause=EVENT,\nwhich is the critical event of a dead run, or else the event that failed; or because=TEXT, a part of the\nreport's row \"because\", in which * stands for any text (repeatable)")
	bound("nodes")
	flags.StringArrayVar(&f.params, "param", nil, "set a parameter of the system, `k=v` (repeatable)")
	bound("early")
	bound("depth")
	bound("step")
	flags.StringVar(&f.memory, "memory", "4GiB", "limit the memory of the process to this many `bytes`, as 512MiB or 4GiB; at this limit the exhaustive\nphase ends, or with --state it keeps further states on disk")
	flags.DurationVar(&f.time, "time", 0, "end the search after this `time`, as 30s or 10m; without --paths, walks are taken until then\n(default never)")
	bound("walk-steps")
	bound("max-walk-steps")
	bound("walk-least")
	bound("evidence-walks")
	flags.BoolVar(&f.opts.NoWalks, "no-walks", false, "take no random walks")
	flags.BoolVar(&f.noCritical, "no-critical", false, "do not look for the critical step of a finding")
	flags.BoolVar(&f.noShrink, "no-shrink", false, "do not make the run of a finding shorter")
	bound("explain-effort")
	flags.BoolVar(&f.noLines, "no-lines", false, "do not report the lines of code that ran; this saves building a copy of the program that counts them")
	flags.StringVar((*string)(&f.opts.Walking), "walk", "", "how walks pick an event: `auto|weighted|uniform|chain|swarm|single`. weighted: by weight; uniform: all\nalike; chain: the chain of causes with the highest priority; swarm: by weights drawn for each walk;\nsingle: by weight, with one kind of event rarer in each walk; auto: chain, swarm, weighted and single\nin turn. With auto, chain, swarm and single each fault happens at a time that is drawn first, and part of\nthe walks end with their storm (default auto)")
	flags.IntVar(&f.opts.Restarts, "restarts", 0, "after the first million steps, begin `N` percent of the walks at states that earlier walks met;\nonly with --walk auto, chain, swarm and single, and if nodes can be copied (default 30)")
	bound("paths")
	bound("findings")
	flags.Int64Var(&f.seed, "seed", 1, "the seed `S` of the walks")
	flags.StringVar(&f.prefix, "prefix", "", "begin at the end of the run of `FILE`, with its nodes and parameters, and allow faults from there on\n(default at the start)")
	bound("print-prefixes")
	bound("steady")
	flags.StringVar((*string)(&f.opts.Engine), "engine", string(search.EngineMemo), "the engine of the exhaustive phase, `memo|local|reference`. memo: take each state once, and a step once\nfor the parts of the state that it depends on; local: take each state once; reference: take every run\nfrom its start")
	flags.StringVar((*string)(&f.opts.Reduce), "reduce", "", "in the exhaustive phase, leave out steps that only change the order of independent steps,\n`auto|none|stubborn|sleep|dpor`. auto: where no finding is lost by it and it saves time; stubborn: from\nthe start, or an error if that is impossible; sleep: visit every state, by fewer steps, or an error if\nthat is impossible; dpor: with --engine reference, take one run for each order of dependent steps\n(default auto; if you give it, the report says why no steps were left out)")
	flags.StringVar((*string)(&f.opts.Symmetry), "symmetry", string(search.ReduceNone), "of states that differ only in the names of nodes which System.Interchangeable lists, visit one,\n`auto|none`. auto: where no finding is lost by it")
	flags.StringVar((*string)(&f.opts.Visited), "visited", "", "how visited states are kept, `vectors|fingerprint|off`. vectors: in full, so that no two are confused and\nliveness can be decided exactly; fingerprint: as a hash; off: not at all, so that every path is taken,\nwith --engine reference (default vectors; with that engine fingerprint)")
	bound("workers")
	bound("hash-bits")
	flags.BoolVar(&f.opts.ProfileSpace, "profile-space", false, "report which parts differ between the states of the exhaustive phase, and estimate the number of states")
	flags.DurationVar(&f.opts.Stuck, "stuck", 10*time.Second, "report a handler that runs for this `time` without calling Env; 0 means never")
	flags.StringVar(&f.out, "out", "macemc-findings/", "write findings into `DIR`")
	flags.StringVar(&f.state, "state", "", "keep the state of the search in `DIR`, so that resume DIR goes on with it after an interrupt, a kill or a\nreboot; states beyond --memory are kept there, too (default it is not kept)")
	flags.BoolVar(&f.resume, "resume", false, "")
	_ = flags.MarkHidden("resume")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.web, "web", false, "afterwards, explore the first finding in a browser, as mdb --web does")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	flags.BoolVar(&f.inProcess, "in-process", false, "take the runs in this process: a handler that ends the process ends the search, without a finding")
	flags.BoolVar(&f.coverage, "coverage", false, "report the lines of the service that never ran; the runs are taken by a copy of the program that\ncounts them, which is built once")
	f.outputs.flags(flags)
	return cmd
}

// check returns an error if a flag has an impossible value, or if flags contradict each other.
func (f *searchFlags) check(cmd *cobra.Command) error {
	o, given := &f.opts, cmd.Flags().Changed
	if err := o.CheckBounds(given); err != nil {
		return usagef("%w", err)
	}
	if !given("early") {
		o.Early = nil
	}
	if err := f.conditionFlags.check(cmd); err != nil {
		return err
	}
	if (o.Visited == search.VisitedOff || o.Reduce == "dpor") && !given("engine") {
		o.Engine = search.EngineReference
	}
	_, notBytes := parseBytes(f.memory)
	for _, c := range []refusal{
		{given("seed") && f.seed < 1, usagef("--seed is %d; it must be 1 or more", f.seed)},
		{o.NoWalks && given("walk"), usagef("--no-walks takes no walks, so --walk %s has no effect; leave one of them out", o.Walking)},
		oneOf("walk", cmp.Or(o.Walking, search.WalkAuto), search.Walkings...),
		{o.Restarts < 0 || o.Restarts > 100, usagef("--restarts is %d; it must be 0 to 100", o.Restarts)},
		{o.NoWalks && given("restarts"), usagef("--no-walks takes no walks, so --restarts has no effect; leave one of them out")},
		{o.Restarts > 0 && (o.Walking == search.WalkWeighted || o.Walking == search.WalkUniform),
			usagef("--restarts and --walk %s exclude each other: all of these walks begin at the start; leave one of them out", o.Walking)},
		oneOf("visited", cmp.Or(o.Visited, search.VisitedVectors), search.VisitedVectors, search.VisitedFingerprint, search.VisitedOff),
		{given("hash-bits") && o.HashBits != 32 && o.HashBits != 64, usagef("--hash-bits is %d; it must be 32 or 64", o.HashBits)},
		oneOf("engine", o.Engine, search.EngineMemo, search.EngineLocal, search.EngineReference),
		oneOf("reduce", cmp.Or(o.Reduce, search.ReduceAuto), search.Reduces...),
		oneOf("symmetry", o.Symmetry, search.ReduceAuto, search.ReduceNone),
		{o.NoWalks && given("paths") && o.Engine != search.EngineReference,
			usagef("--no-walks takes no walks, and --paths counts them; leave one of them out, or add --engine reference, whose runs count")},
		{given("prefix") && f.prefix == "", usagef("--prefix is empty; name a path file")},
		{f.web && f.json, usagef("--web and --json exclude each other: the address of the page would be printed after the JSON object")},
		{f.cluster != nil && f.state == "", usagef("coordinator needs --state, the directory in which it keeps the state of the search")},
		{f.cluster != nil && f.prefix != "", usagef("--prefix names a file of this machine, which workers on other machines cannot read; leave it out")},
		{f.coverage && f.state != "", usagef("--coverage and --state exclude each other: the state of a search does not have the lines that ran")},
		{f.coverage && f.inProcess, usagef("--coverage and --in-process exclude each other: lines are counted in a process of its own")},
		{notBytes != nil, usagef("--memory is %q; it must be a number of bytes, as 512MiB or 4GiB, of at least 32MiB", f.memory)},
		{given("time") && f.time <= 0, usagef("--time is %s; it must be more than 0, as 30s or 10m", f.time)},
		{o.Stuck < 0, usagef("--stuck is %s; it must be 0 (never) or more", o.Stuck)},
	} {
		if c.is {
			return c.err
		}
	}
	if given("restarts") && o.Restarts == 0 {
		o.Restarts = -1
	}
	for _, text := range f.ignore {
		one, err := search.ParseIgnore(text)
		if err != nil {
			return usagef("--ignore is %w", err)
		}
		o.Ignore = append(o.Ignore, one)
	}
	return writable("out", f.out, f.out)
}

// refusal is the result of a check of the command line. If is is true, the check has failed, and err says why.
type refusal struct {
	is  bool
	err error
}

// oneOf refuses the value of a flag if it is not one of words.
func oneOf[W ~string](flag string, value W, words ...W) refusal {
	var all []string
	for _, w := range words {
		all = append(all, string(w))
	}
	return refusal{!slices.Contains(words, value), usagef("--%s is %q; it must be one of %s%s", flag, string(value), strings.Join(all, ", "), suggest(string(value), all))}
}

// options returns the system with this name, and the options of a search according to the flags f.
func (p Program) options(name string, f *searchFlags) (sys *sim.System, opts search.Options, err error) {
	sys, err = p.find(name)
	if err != nil {
		return nil, opts, err
	}
	if err := knownNames(sys, *f); err != nil {
		return nil, opts, err
	}
	opts = f.opts
	opts.Seed = uint64(f.seed)
	nodes := f.opts.Params.Nodes
	if f.prefix != "" {
		if opts.Prefix, err = load(f.prefix); err != nil {
			return nil, opts, err
		}
		opts.PrefixName = f.prefix
		if nodes, f.params, err = search.LikePrefix(opts.Prefix, nodes, f.params); err != nil {
			return nil, opts, fmt.Errorf("%s: %w", f.prefix, err)
		}
	}
	if opts.Params, err = sys.Configure(nodes, f.params, f.bugs); err != nil {
		return nil, opts, err
	}
	if opts.Conditions, err = f.conditionFlags.read(); err != nil {
		return nil, opts, err
	}
	opts.Early = f.opts.Early
	if err := f.clocked(sys, opts.Params); err != nil {
		return nil, opts, err
	}
	opts.Memory, _ = parseBytes(f.memory)
	return sys, opts, nil
}

func (t *tool) search(name string, f searchFlags) error {
	sys, opts, err := t.options(name, &f)
	if err != nil {
		return err
	}
	t.shelf = finding.NewShelf(f.out)
	if t.child != nil {
		t.child.trail.Allow(opts.Memory)
		switch t.child.role {
		case roleAlone:
			return t.child.alone(sys, opts)
		case roleTell:
			return t.tellOfDeath(sys, opts, f)
		}
		opts.Trail = t.child.trail
	}
	progress := t.progress(f.quiet)
	progress.limit = f.time
	opts.Found = func(found *search.Finding) {
		t.child.finds(found)
		progress.finds(found)
	}
	var state *keptState
	if f.state != "" {
		header, err := t.headerOf(sys, opts)
		if err != nil {
			return err
		}
		if state, err = openState(f.state, f.resume, header, progress.note); err != nil {
			return err
		}
		opts.Store, opts.Spill = state, filepath.Join(f.state, "states")
		if f.cluster != nil {
			c, err := f.cluster.Coordinate(jobs.Job{Header: header}, f.state, progress.note, progress.status)
			if err != nil {
				return errors.Join(err, state.ends(nil))
			}
			defer c.End()
			opts.Afar = c.Afar
			if !f.noWork {
				defer (&workerRun{t, opts.Workers, opts.Memory}).beside(c.Join)()
			}
		}
	}
	opts.Progress = func(p search.Progress) {
		t.child.far(p)
		progress.searched(p)
	}
	opts.OnSlow = func(s search.Slow) { progress.note(slowly(s)) }
	ends, ignore := t.interrupts(progress, f.time)
	defer ignore() // not earlier: an interrupt must not end the process while findings are written
	opts.Stop, opts.Timed = ends.why, f.time > 0
	opts.OnStuck = func(r *search.Result) {
		progress.clear()
		t.conclude(r, f, ends.late.Load)
		t.exit(t.ended())
	}
	r, err := search.Search(sys, opts)
	if err != nil {
		progress.clear()
		return err
	}
	r.Stats.Explain(inFlags)
	if f.coverage {
		if r.Lines, err = linesRan(sys, opts.Params); err != nil {
			t.complain(fmt.Errorf("--coverage: %w", err))
		}
	}
	lost := t.explain(r, f, progress, ends)
	t.child.looked(r.Findings)
	progress.clear()
	if lost != nil {
		t.complain(fmt.Errorf("the finding could not be looked into: %w", lost))
	}
	if len(r.Findings) > 0 && !f.noLines && ends.why() == "" {
		progress.say(func(time.Time) string { return "building a copy of the program that counts lines" })
		t.copiedOnce().Until(ends.late.Load)
		t.copiedOnce().Prepare()
	}
	progress.say(func(time.Time) string { return "writing what was found" })
	all, failed := t.store(r, ends.late.Load)
	progress.clear()
	t.report(r, f, all, failed)
	return t.leaves(state, r, all)
}

// leaves closes the directory in which the state of a search is kept, if there is one. If the search has not
// ended, leaves prints the command that continues it.
func (t *tool) leaves(state *keptState, r *search.Result, all []*account.Account) error {
	if state == nil {
		return nil
	}
	end, failed := t.endOf(r, all)
	if end == nil && failed == nil {
		fmt.Fprintf(t.stderr, "macemc: the state is kept; go on with: %s\n", t.line("resume", string(state.dir)))
	}
	return errors.Join(failed, state.ends(end))
}

// conclude writes the findings of a search and reports its result. When late returns true, findings are not
// analyzed any further; a nil late sets no limit.
func (t *tool) conclude(r *search.Result, f searchFlags, late func() bool) {
	all, failed := t.store(r, late)
	t.report(r, f, all, failed)
}

// store writes the folders of the findings, and returns their accounts.
func (t *tool) store(r *search.Result, late func() bool) (all []*account.Account, failed error) {
	failed = cmp.Or(storePrefixes(t.shelf, r), storeUndecided(t.shelf, r), storeLeftOut(t.shelf, r))
	all = account.AllBy(r, account.Means{Copy: t.copies, Prints: t.child.heard(), Stop: late})
	for _, a := range all {
		failed = cmp.Or(failed, t.shelf.Write(a, r, t.commands))
	}
	return all, failed
}

// report reports the result of a search, and sets the exit status, which is that of a finding even if
// something could not be written. failed is the error of writing the findings.
func (t *tool) report(r *search.Result, f searchFlags, all []*account.Account, failed error) {
	print := report.Result
	if f.json {
		print = report.ResultJSON
	}
	if err := errors.Join(failed, print(t.stdout, r, all...)); err != nil {
		t.complain(err)
		failed = err
	}
	if err := f.outputs.write(t, r, all); err != nil {
		t.complain(err)
		failed = err
	}
	if len(all) > 0 {
		t.shown = all[0].Place.Path
		t.child.shows(t.shown)
	}
	switch {
	case r.Finding != nil:
		t.status = exitFound
	case failed != nil: // a caller that waits for a file must not take its absence for success
		t.status = exitInput
	case r.Stop.Early(), len(r.Undecided) > 0, len(r.Prefixes) < r.Options.Prefixes:
		t.status = exitStopped
	default:
		t.status = exitNothing
	}
}

// knownNames returns an error if the flags name a bug or a property that the system does not have. The error
// suggests the nearest name.
func knownNames(sys *sim.System, f searchFlags) error {
	var bugs, properties []string
	for _, b := range sys.Bugs {
		bugs = append(bugs, string(b.ID))
	}
	for _, p := range sys.Properties {
		properties = append(properties, p.Name)
	}
	if err := knownName(sys, "known bug", f.bugs, bugs); err != nil {
		return err
	}
	for _, one := range f.opts.Ignore {
		if one.Property != "" && !slices.Contains(properties, one.Property) {
			return knownName(sys, "property", []string{one.Property}, properties)
		}
	}
	return knownName(sys, "property", f.properties, properties)
}

func knownName(sys *sim.System, kind string, wanted, have []string) error {
	for _, w := range wanted {
		if !slices.Contains(have, w) {
			return fmt.Errorf("%s has no %s %q%s", sys.Name, kind, w, suggestOrAll(w, have))
		}
	}
	return nil
}

// parseFaults reads budgets of faults, such as "crash=1,loss=2". The error for an unknown name suggests the
// nearest one.
func parseFaults(text string) (sim.Faults, error) {
	names := contract.FaultNames()
	for part := range strings.SplitSeq(text, ",") {
		name, _, _ := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		if name == "" || name == "none" || slices.Contains(names, name) {
			continue
		}
		if meant := suggest(name, append(names, "none")); meant != "" {
			return sim.Faults{}, fmt.Errorf("there is no fault %q%s", name, meant)
		}
	}
	return sim.ParseFaults(text)
}

// parseBytes reads a size such as 4GiB. 4GB and 4G mean the same.
func parseBytes(text string) (int, error) {
	unit := 1
	bare := strings.TrimSuffix(strings.TrimSuffix(text, "B"), "i")
	for i, suffix := range []string{"K", "M", "G", "T"} {
		if rest, ok := strings.CutSuffix(bare, suffix); ok {
			text, unit = rest, 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.Atoi(text)
	if err == nil && (n < 1 || n > math.MaxInt/unit || n*unit < 32<<20) {
		err = strconv.ErrRange
	}
	return n * unit, err
}
