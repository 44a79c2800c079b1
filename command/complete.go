package command

import (
	"strings"

	"github.com/spf13/cobra"
)

// completionCommand adds the command that prints scripts by which shells complete command
// lines.
func completionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd("completion")
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Short = "let a shell complete commands, flags, systems, bugs and properties"
		c.Long = "completion prints the script by which a shell completes commands, flags, systems,\nknown bugs, properties and parameters. The help of each shell says where it belongs."
		for _, shell := range c.Commands() {
			shell.Short = "the script for " + shell.Name()
		}
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		}
	}
}

// completes lets a shell complete the arguments and flags of cmd: names of systems, and
// the ids of known bugs, properties and parameters of the system that was typed.
func (t *tool) completes(cmd *cobra.Command) *cobra.Command {
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, sys := range t.Systems {
			names = append(names, sys.Name+"\t"+firstLine(sys.Doc))
		}
		return names, cobra.ShellCompDirectiveDefault // or a file, or a package
	}
	for flag, of := range map[string]func(args []string) []string{"bug": t.bugsOf, "property": t.propertiesOf, "param": t.paramsOf} {
		if cmd.Flags().Lookup(flag) == nil {
			continue
		}
		err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return of(args), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			panic("macemc bug: command: a flag that there is cannot be completed: " + err.Error())
		}
	}
	return cmd
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func (p Program) bugsOf(args []string) (all []string) {
	if sys, err := p.find(p.systemOf(args)); err == nil {
		for _, b := range sys.Bugs {
			all = append(all, string(b.ID)+"\t"+firstLine(b.Story))
		}
	}
	return all
}

func (p Program) propertiesOf(args []string) (all []string) {
	if sys, err := p.find(p.systemOf(args)); err == nil {
		for _, p := range sys.Properties {
			all = append(all, p.Name)
		}
	}
	return all
}

func (p Program) paramsOf(args []string) (all []string) {
	if sys, err := p.find(p.systemOf(args)); err == nil {
		for _, p := range sys.Params {
			all = append(all, p.Name+"=\t"+firstLine(p.Doc))
		}
	}
	return all
}

// systemOf returns the name of the system among the arguments, or the name of the only
// system if there is one.
func (p Program) systemOf(args []string) string {
	if len(args) == 0 && len(p.Systems) == 1 {
		return p.Systems[0].Name
	}
	return strings.Join(args[:min(1, len(args))], "")
}
