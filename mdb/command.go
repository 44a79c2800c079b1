package mdb

import (
	"fmt"
	"slices"
	"strings"
)

// command is a row of the table of commands. Lines are parsed and completed by this table, and the
// help and the manual are made from it.
type command struct {
	Name    string
	Aliases []string
	Meant   string // words, separated by blanks, for which unknownCommand suggests this command
	Group   string
	Usage   string // its arguments
	Short   string // one line of help
	Help    string // further sentences
	Example string // a script that shows it
	args    []completer

	run func(s *Session, args []word) (Page, error)
}

// The groups, in order.
const (
	groupMove    = "Moving"
	groupLook    = "Looking"
	groupCompare = "Comparing"
	groupBranch  = "Branching"
	groupOther   = "Other"
)

// commands returns the table.
func commands() []*command {
	return slices.Concat(moving(), looking(), []*command{graphCommand()}, comparing(), branching(), recovering(), others())
}

// lookup returns the command of a name or of an alias, or nil if there is none.
func lookup(name string) *command {
	for _, c := range commands() {
		if c.Name == name {
			return c
		}
		if slices.Contains(c.Aliases, name) {
			return c
		}
	}
	return nil
}

// unknownCommand returns the error for a command that does not exist. It suggests the
// commands that list the word in Meant, or else the one with the nearest name.
func unknownCommand(typed string) error {
	var meant []string
	for _, c := range commands() {
		if slices.Contains(strings.Fields(c.Meant), strings.ToLower(typed)) {
			end := strings.IndexAny(c.Short+":", ":,;")
			meant = append(meant, fmt.Sprintf("%s, to %s", c.Name, c.Short[:end]))
		}
	}
	if len(meant) > 0 {
		return fmt.Errorf("there is no command %q; did you mean %s?", typed, strings.Join(meant, ", or "))
	}
	return unknown("command", typed, commandNames(), "help lists them")
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.Name)
	}
	return names
}

// Heading returns the command with its arguments.
func (c *command) Heading() string {
	return strings.TrimSpace(c.Name + " " + c.Usage)
}

// usage returns the error for arguments that the command does not take.
func (c *command) usage() error {
	return fmt.Errorf("%s is used as: %s", c.Name, c.Heading())
}

// usageOf returns the usage error of the command with a name, for commands that find the
// error while they run.
func usageOf(name string) error { return lookup(name).usage() }
