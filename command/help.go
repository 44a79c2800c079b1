package command

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"macemc/internal/report"
	"macemc/internal/wording"
)

// A heading is the title of a group of commands or flags in the help.
type heading struct {
	text  string
	names []string
}

// commandHeadings lists the headings of the help, with their commands in the order in which a user needs
// them. Commands without a heading come last.
var commandHeadings = []heading{
	{"begin", []string{"new", "vet"}},
	{"find", []string{"list", "search", "resume"}},
	{"on several machines", []string{"coordinator", "worker"}},
	{"look into a finding", []string{"replay", "graph", "mdb", "critical", "shrink"}},
	{"run it for real", []string{"live", "merge"}},
	{"judge the checker", []string{"bugs"}},
	{"the command itself", []string{"version", "completion"}},
	{"known bugs", []string{"show", "verify"}},
	{"shells", []string{"bash", "zsh", "fish", "powershell"}},
}

// flagHeadings lists the headings of flags, for commands with many flags.
var flagHeadings = map[string][]heading{
	"live": {
		{"what runs", []string{"nodes", "bug", "param", "time", "in-process", "seed", "pace"}},
		{"the environment", []string{"faults", "faults-at", "faults-for"}},
		{"what is kept", []string{"record", "dir"}},
		{"for operators", []string{"metrics", "log-format", "log-level", "verbose"}},
		{"one node of a deployment", []string{"id", "book", "public", "tls-cert", "tls-key", "tls-ca"}},
	},
	"search": {
		{"what runs", []string{"bug", "param", "nodes", "property", "ignore"}},
		{"the environment", []string{"faults", "net", "crash", "disk", "timers", "early", "byzantine"}},
		{"how far it goes", []string{"depth", "paths", "time", "memory", "findings", "step", "seed"}},
		{"random walks", []string{"walk-steps", "max-walk-steps", "walk-least", "evidence-walks", "walk", "restarts", "no-walks"}},
		{"a prefix", []string{"prefix", "print-prefixes", "steady"}},
		{"a finding", []string{"out", "no-critical", "no-shrink", "explain-effort", "no-lines", "stuck", "in-process", "web"}},
		{"what it prints", []string{"json", "quiet", "profile-space", "coverage", "charts"}},
		{"its state", []string{"state"}},
		{"for continuous integration", []string{"junit", "sarif", "github"}},
		{"the engine", []string{"engine", "visited", "reduce", "symmetry", "hash-bits", "workers"}},
	},
}

// headingsOf returns the headings of the flags of the command with this name. A coordinator has those of
// a search, and some more.
func headingsOf(name string) []heading {
	if name != "coordinator" {
		return flagHeadings[name]
	}
	return append([]heading{{"the cluster", []string{"cluster", "replicas", "listen", "status", "no-work", "token-file", "creds", "tls-cert", "tls-key", "tls-ca", "tls-name"}}}, flagHeadings["search"]...)
}

const (
	helpColumns = 100
	flagColumn  = 24 // the column at which the texts of flags begin
)

// help writes the help of a command.
func (t *tool) help(cmd *cobra.Command, _ []string) {
	if words := cmd.Flags().Args(); len(words) > 0 && cmd.HasAvailableSubCommands() {
		t.complain(fmt.Errorf("%w; see %s --help", unknownCommand(cmd, words[0]), t.Name))
		t.status = exitInput
		return
	}
	var b strings.Builder
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	text = strings.ReplaceAll(strings.TrimSpace(text), ": macemc ", ": "+t.Name+" ")
	fmt.Fprintf(&b, "%s\n\nusage: %s\n", text, t.usageLine(cmd))
	if t.Of == "" && mayTakePackage(cmd) {
		b.WriteString(aboutPackage)
		if strings.HasSuffix(cmd.Use, " SYSTEM") {
			b.WriteString("Where there is only one system, SYSTEM may be left out.\n")
		}
	}
	if cmd.HasAvailableSubCommands() {
		t.helpCommands(&b, cmd)
	}
	if cmd.Example != "" {
		b.WriteString("\nexamples:\n")
		for _, line := range t.examples(cmd.Example) {
			b.WriteString("  " + strings.Replace(line, "macemc ", t.Name+" ", 1) + "\n")
		}
	}
	helpFlags(&b, cmd)
	fmt.Fprint(cmd.OutOrStdout(), b.String())
}

// examples returns the lines of text, which are examples for the help, as they fit this program. If it
// does not have the system handshake, its first system takes that name's place. Lines that name
// another system which it does not have are left out.
func (p Program) examples(text string) (lines []string) {
	first := p.Systems[0]
	bug := "WHAT"
	if len(first.Bugs) > 0 {
		bug = string(first.Bugs[0].ID)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		if _, err := p.find(exampleSystem); err != nil {
			if len(first.Bugs) == 0 {
				line = strings.Replace(line, " --bug "+exampleBug, "", 1)
			}
			line = strings.NewReplacer(exampleSystem, first.Name, exampleBug, bug).Replace(line)
			if words := strings.Fields(line); len(words) > 2 && words[1] == "search" && words[2] != first.Name {
				continue
			}
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// exampleSystem and exampleBug are the system and the bug of most examples.
const exampleSystem, exampleBug = "handshake", "HS1"

// aboutPackage is a paragraph in the help of each command that accepts a package.
const aboutPackage = `
PACKAGE is a package of your module that exports systems, such as ./lock or the current
folder, "."; macemc builds a program with these systems, which executes the command.
Without PACKAGE the systems are those that list prints.
`

func mayTakePackage(cmd *cobra.Command) bool {
	return cmd.Parent() == cmd.Root() && slices.Contains(takesPackages, cmd.Name())
}

func (t *tool) usageLine(cmd *cobra.Command) string {
	words := strings.Fields(cmd.Use)[1:]
	for i, word := range words {
		if word == "SYSTEM" && len(t.Systems) == 1 {
			words[i] = "[SYSTEM]"
		}
	}
	if mayTakePackage(cmd) {
		pkg := "[PACKAGE]"
		if t.Of != "" {
			pkg = wording.Typed(t.Of)
		}
		words = append([]string{pkg}, words...)
	}
	line := t.Name + strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())
	if cmd.HasAvailableSubCommands() {
		words = []string{"COMMAND"}
	}
	if cmd.HasAvailableLocalFlags() {
		words = append(words, "[flags]")
	}
	return strings.Join(append([]string{line}, words...), " ")
}

func (c *calling) helpCommands(b *strings.Builder, cmd *cobra.Command) {
	all := map[string]string{}
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden && c.Name() != "help" {
			all[c.Name()], names = c.Short, append(names, c.Name())
		}
	}
	for _, h := range under(commandHeadings, names) {
		fmt.Fprintf(b, "\n%s:\n", h.text)
		for _, name := range h.names {
			row(b, 12, name, all[name])
		}
	}
	fmt.Fprintf(b, "\n%s COMMAND --help explains a command.\n", c.Name+strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()))
}

// under distributes names among the headings to which they belong. It returns these headings with
// their names, without headings that get none. Names that belong to no heading come last.
func under(headings []heading, names []string) (out []heading) {
	rest := slices.Clone(names)
	for _, h := range headings {
		there := slices.DeleteFunc(slices.Clone(h.names), func(name string) bool { return !slices.Contains(names, name) })
		rest = slices.DeleteFunc(rest, func(name string) bool { return slices.Contains(there, name) })
		if len(there) > 0 {
			out = append(out, heading{h.text, there})
		}
	}
	if len(rest) > 0 {
		text := "others"
		if len(out) == 0 {
			text = "flags"
		}
		out = append(out, heading{text, rest})
	}
	return out
}

func helpFlags(b *strings.Builder, cmd *cobra.Command) {
	var names []string
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !f.Hidden {
			names = append(names, f.Name)
		}
	})
	for _, h := range under(headingsOf(cmd.Name()), names) {
		fmt.Fprintf(b, "\n%s:\n", h.text)
		for _, name := range h.names {
			f := cmd.LocalFlags().Lookup(name)
			value, usage := pflag.UnquoteUsage(f)
			label := strings.TrimSpace("--" + f.Name + " " + value)
			if f.Shorthand != "" {
				label = "-" + f.Shorthand + ", " + label
			}
			if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) && !strings.Contains(usage, "(default") {
				usage += fmt.Sprintf(" (default %s)", f.DefValue)
			}
			row(b, flagColumn, label, usage)
		}
	}
}

// row writes a label, and a text of this width beside it, or below it if the label is too long.
func row(b *strings.Builder, width int, label, text string) {
	lines := report.Wrap(strings.Join(strings.Fields(text), " "), helpColumns-width-2)
	if utf8.RuneCountInString(label) > width-2 {
		fmt.Fprintf(b, "  %s\n", label)
		label = ""
	}
	for _, line := range lines {
		fmt.Fprintf(b, "  %-*s%s\n", width, label, line)
		label = ""
	}
}
