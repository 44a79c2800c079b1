package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"macemc/internal/finding"
	"macemc/internal/lines"
	"macemc/internal/nearest"
	"macemc/internal/numerals"
	"macemc/internal/report"
)

// These are the exit statuses of all commands.
const (
	exitNothing = 0 // nothing was found; a path was reproduced
	exitFound   = 1 // something was found; a path was not reproduced
	exitInput   = 2 // wrong usage or input
	exitStopped = 3 // a search was stopped before its bound
)

// tool is one execution of a command line.
type tool struct {
	Program
	calling
	stdout io.Writer
	stderr io.Writer
	exit   func(int)           // ends the process at once
	getenv func(string) string // os.Getenv if it is nil
	args   []string            // the arguments of the process, or nil if the tool runs inside another program, as in tests
	child  *child              // the connection to the process that started this one to watch it, or nil

	shelf  *finding.Shelf // writes the folders of findings
	shown  string         // the path of the first finding of a search, or "" if none was written
	copies *lines.Program // reports which lines ran; may be nil
	status int            // the exit status, which the command sets
}

// run executes a command line and returns its exit status.
func (t *tool) run(args []string) int {
	t.stdout = &printer{to: t.stdout}
	t.status = t.execute(args)
	return t.ended()
}

func (t *tool) execute(args []string) int {
	root := t.root()
	root.SetArgs(args)
	root.SetOut(t.stdout)
	root.SetErr(t.stderr)
	cmd, err := root.ExecuteC()
	if err == nil {
		return t.status
	}
	text := strings.TrimSpace(err.Error())
	var u usage
	if errors.As(err, &u) {
		if before, ok := strings.CutSuffix(text, "?"); ok {
			text = before + "? See "
		} else {
			text += "; see "
		}
		text += t.Name + strings.TrimSuffix(strings.TrimPrefix(cmd.CommandPath(), root.Name()), " help") + " --help"
	}
	t.complain(errors.New(text))
	return exitInput
}

// ended returns the exit status after everything was printed. If some output could not be written, the status
// becomes exitInput, unless something was found, whose status stays.
func (t *tool) ended() int {
	if p, is := t.stdout.(*printer); is && p.lost != nil {
		t.complain(fmt.Errorf("some of the output could not be written: %w", p.lost))
		if t.status != exitFound {
			t.status = exitInput
		}
	}
	return t.status
}

// endWith ends the process with a status after everything was printed.
func (t *tool) endWith(status int) {
	t.status = status
	t.exit(t.ended())
}

// printer prints to a file, and keeps the first error. After an error the command continues without its
// output, and tool.ended reports the error.
type printer struct {
	to   io.Writer
	lost error // the first error; nothing is printed after it
}

func (p *printer) Write(text []byte) (int, error) {
	if p.lost == nil {
		_, p.lost = p.to.Write(text)
	}
	return len(text), nil
}

// Columns returns the width of the terminal to which p prints, or 0 if that is no terminal.
func (p *printer) Columns() int {
	if terminal(p) {
		return columns(p.to)
	}
	return 0
}

// complain prints an error. It escapes control characters, so that names in the error cannot steer the
// terminal.
func (t *tool) complain(err error) {
	fmt.Fprintf(t.stderr, "macemc: %s\n", report.Line(inFlags(err.Error())))
}

// usage is an error in the command line itself, which is printed with a hint to the help.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

func usagef(format string, args ...any) error { return usage{fmt.Errorf(format, args...)} }

func (t *tool) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "macemc",
		Short: "find failures of event-driven services, in safety and liveness",
		Long: `macemc runs the real code of an event-driven service in a simulator that owns
every choice: which event comes next, and how the service's own coins fall. It
searches for runs that violate a property, or from which the service can never
recover, and writes each into a folder: a path that can be replayed, and a report.

The exit status is 0 when nothing was found (replay: it was reproduced), 1 when
something was found (replay: it was not reproduced), 2 when the input is wrong,
and 3 when a search was stopped before its bound.`,
		Example: `
macemc new lock
macemc search ./lock
macemc list
macemc search handshake --bug HS1
macemc replay macemc-findings/handshake-HS1-1
macemc mdb macemc-findings/handshake-HS1-1 -x 'jump critical; show'`,
		Version:           version(),
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{},
	}
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(root, args[0])
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(t.help)
	root.SetVersionTemplate("macemc {{.Version}}\n")
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [command]",
		Short: "explain a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, args[len(args)-len(rest)])
			}
			return cmd.Help()
		},
	})
	root.AddCommand(t.completes(t.listCommand()), t.completes(t.searchCommand()), t.resumeCommand(), t.replayCommand(), t.criticalCommand(), t.shrinkCommand(), t.completes(t.mdbCommand()), t.graphCommand(), t.liveCommand(), t.mergeCommand(), t.newCommand(), t.vetCommand(), t.versionCommand())
	if len(t.bugs()) > 0 {
		root.AddCommand(t.bugsCommand())
	}
	if t.cluster() != nil {
		root.AddCommand(t.completes(t.coordinatorCommand()), t.workerCommand())
	}
	completionCommand(root)
	return root
}

func unknownCommand(root *cobra.Command, word string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return usagef("there is no command %q%s", word, suggest(word, names))
}

// flagError returns the error for an unknown or wrong flag of cmd, with the nearest name.
func flagError(cmd *cobra.Command, err error) error {
	var unknown interface{ GetSpecifiedName() string }
	var bad interface{ GetValue() string }
	var lacks interface{ GetSpecifiedName() string }
	text := err.Error()
	switch {
	case errors.As(err, &lacks) && strings.HasPrefix(text, "flag needs an argument"):
		return usagef("--%s needs a value", lacks.GetSpecifiedName())
	case errors.As(err, &bad) && (strings.Contains(text, `for "--stuck" flag`) || strings.Contains(text, `for "--time" flag`)):
		name, never := "--stuck", ", or 0 (never)"
		if strings.Contains(text, `for "--time" flag`) {
			name, never = "--time", ""
		}
		value := bad.GetValue()
		if _, err := strconv.ParseUint(value, 10, 32); err == nil {
			return usagef("%s is %q, without a unit; write %ss for seconds", name, value, value)
		}
		return usagef("%s is %q; it must be a time with its unit, as 10s or 2m%s", name, value, never)
	case errors.As(err, &unknown) && strings.HasPrefix(text, "unknown "):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		_, typed, short := strings.Cut(text, " in -")
		if !short {
			typed = unknown.GetSpecifiedName()
		}
		typed, _, _ = strings.Cut(typed, "=")
		dashes := map[bool]string{false: "--", true: "-"}[short]
		meant := nearest.Name(typed, names)
		if meant != "" {
			return usagef("there is no flag %s%s; did you mean --%s?", dashes, typed, meant)
		}
		return usagef("there is no flag %s%s", dashes, typed)
	}
	var of interface {
		GetFlag() *pflag.Flag
		GetValue() string
	}
	if errors.As(err, &of) {
		must := map[string]string{"int": "a whole number of at most 18 digits", "int64": "a whole number of at most 18 digits", "bool": "true or false"}[of.GetFlag().Value.Type()]
		if must == "" {
			must = "a " + of.GetFlag().Value.Type()
		}
		return usagef("--%s is %q; it must be %s", of.GetFlag().Name, of.GetValue(), must)
	}
	return usagef("%s", text)
}

// exactly returns a check for the arguments of a command. If there are not n of them, the check
// returns an error that begins with sentence.
func exactly(n int, sentence string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s; got %s", sentence, numerals.Many(len(args), "argument"))
		}
		return nil
	}
}

// versionCommand returns the command version.
func (t *tool) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version, the commit and the version of Go",
		Long:  "version prints the release of macemc in this program, its commit, and the version of Go that\nbuilt it. Include them when you report a bug of macemc.",
		Args:  exactly(0, "version takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = &debug.BuildInfo{GoVersion: runtime.Version()}
			}
			return versionTold(t.stdout, info)
		},
	}
}

// versionTold prints the version of a build with its details.
func versionTold(w io.Writer, info *debug.BuildInfo) error {
	v, commit := versionOfModule(info), ""
	if info.Main.Path == module {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value + commit
			case s.Key == "vcs.modified" && s.Value == "true":
				commit += ", modified"
			}
		}
	}
	if m := pseudo.FindStringSubmatch(v); commit == "" && m != nil {
		commit = m[1]
	}
	_, err := fmt.Fprintf(w, "module   %s\nversion  %s\ncommit   %s\ngo       %s\n", module, cmp.Or(v, "not a release"), cmp.Or(commit, "not known"), info.GoVersion)
	return err
}

// pseudo matches a version that the go command has made from a commit, which has no release.
var pseudo = regexp.MustCompile(`-\d{14}-([0-9a-f]{12})`)

// versionOfModule returns the release of macemc's module with which a program was built, or "" if that is
// no release.
func versionOfModule(info *debug.BuildInfo) string {
	if info.Main.Path == module {
		return strings.TrimPrefix(info.Main.Version, "(devel)")
	}
	for _, dep := range info.Deps {
		if dep.Path == module && dep.Replace == nil {
			return dep.Version
		}
	}
	return ""
}

// version returns the version of this build: a release, or the commit from which it was built.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of an unknown build"
	}
	return versionOf(info)
}

// module is the path of macemc's module, as other modules require it.
var module = strings.TrimSuffix(reflect.TypeFor[tool]().PkgPath(), "/command")

func versionOf(info *debug.BuildInfo) string {
	if info.Main.Path != module { // a program with systems of its own
		for _, dep := range info.Deps {
			if dep.Path != module {
				continue
			}
			if dep.Replace != nil {
				return fmt.Sprintf("%s, replaced by %s (%s)", dep.Version, dep.Replace.Path, info.GoVersion)
			}
			return fmt.Sprintf("%s (%s)", dep.Version, info.GoVersion)
		}
	}
	text, dirty := info.Main.Version, ""
	if text == "" || text == "(devel)" {
		text = "devel"
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				text += " " + s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = ", modified"
			}
		}
	}
	return fmt.Sprintf("%s%s (%s)", text, dirty, info.GoVersion)
}
