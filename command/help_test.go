package command

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// every calls do for the root command and all below it.
func every(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		every(c, do)
	}
}

// Help fits into a hundred columns, calls the program by the name that the user has typed, and names each
// command and each flag once, under a heading of its own.
func TestHelp(t *testing.T) {
	var out bytes.Buffer
	tool := &tool{Program: whole(), calling: calling{Name: "./bin/macemc"}, stdout: &out, stderr: &out}
	every(tool.root(), func(cmd *cobra.Command) {
		if cmd.Name() == "help" {
			return
		}
		out.Reset()
		line := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		if status := tool.run(line); status != exitNothing {
			t.Fatalf("%v: exit %d", line, status)
		}
		text := out.String()
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > helpColumns {
				t.Errorf("%s: a line is too long:\n%s", cmd.CommandPath(), line)
			}
			if regexp.MustCompile(`^  macemc `).MatchString(line) {
				t.Errorf("%s: an example does not call as the user does: %s", cmd.CommandPath(), line)
			}
		}
		if cmd.Long == "" || !strings.Contains(text, "\nusage: ./bin/macemc") || strings.Contains(text, "\nothers:") {
			t.Errorf("%s: no long text, no usage, or something under no heading (help.go has them):\n%s", cmd.CommandPath(), text)
		}
		count := func(label string) {
			if n := len(regexp.MustCompile(`(?m)^  (-., )?`+label+`( |$)`).FindAllString(text, -1)); n != 1 {
				t.Errorf("%s: help has %s %d times:\n%s", cmd.CommandPath(), label, n, text)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !f.Hidden {
				count("--" + f.Name)
			}
		})
		for _, c := range cmd.Commands() {
			if c.Name() != "help" {
				count(c.Name())
			}
		}
	})
}

// The examples of help are command lines that the command accepts.
func TestHelpExamples(t *testing.T) {
	n := 0
	every((&tool{Program: whole(), calling: calling{Name: "macemc"}}).root(), func(cmd *cobra.Command) {
		for line := range strings.Lines(strings.TrimSpace(cmd.Example)) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			n++
			args := words(strings.TrimPrefix(line, "macemc "))
			root := (&tool{Program: whole(), calling: calling{Name: "macemc"}}).root()
			called, rest, err := root.Find(args)
			if err != nil || called == root {
				t.Errorf("%s: %q is no command line: %v", cmd.CommandPath(), line, err)
				continue
			}
			if err := called.ParseFlags(rest); err != nil {
				t.Errorf("%s: %q: %v", cmd.CommandPath(), line, err)
				continue
			}
			if err := called.ValidateArgs(called.Flags().Args()); err != nil {
				t.Errorf("%s: %q: %v", cmd.CommandPath(), line, err)
			}
		}
	})
	if n < 5 {
		t.Errorf("there are %d examples", n)
	}
}

// A shell completes the names of systems, and the known bugs of one.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"__complete search hand":             "handshake\t",
		"__complete search handshake --bug ": "HS1\t",
		"__complete mdb brokentree --bug ":   "BT1\t",
	} {
		args := words(line)
		if strings.HasSuffix(line, " ") {
			args = append(args, "")
		}
		if out, errs, status := execute(args...); status != exitNothing || !strings.Contains(out, want) {
			t.Errorf("%s: status %d, %q, %q", line, status, out, errs)
		}
	}
}
