package mdb

import (
	"fmt"
	"strings"

	"macemc/internal/numerals"
	"macemc/internal/wording"
)

func others() []*command {
	return []*command{
		{
			Name: "copy", Meant: "replay", Aliases: []string{"y"}, Group: groupOther,
			Short:   "show the command lines that return to this place, and that replay the file; the screen copies them",
			Help:    "A branch that is not saved is in no file: then the lines return to the place where it leaves the trunk.",
			Example: "jump 3; copy",
			run:     (*Session).copy,
		},
		{
			Name: "history", Group: groupOther,
			Short:   "show the lines that were executed",
			Example: "next; history",
			run: func(s *Session, args []word) (p Page, _ error) {
				if len(args) > 0 {
					return nil, usageOf("history")
				}
				for i, l := range s.history {
					p.add(Plain, "%4d  %s", i+1, l)
				}
				return p, nil
			},
		},
		{
			Name: "help", Meant: "man commands usage", Aliases: []string{"h", "?"}, Group: groupOther, Usage: "[COMMAND | queries | fields]",
			Short:   "list the commands, or explain one of them",
			Example: "help next; help fields; help queries; help", args: []completer{ofCommands},
			run: func(_ *Session, args []word) (Page, error) { return help(args) },
		},
		{
			Name: "quit", Meant: "bye leave", Aliases: []string{"q", "exit"}, Group: groupOther,
			Short:   "end the session",
			Example: "quit",
			run: func(s *Session, args []word) (Page, error) {
				if len(args) > 0 {
					return nil, usageOf("quit")
				}
				s.ended = true
				return nil, nil
			},
		},
	}
}

// The topics of help that are not commands.
const (
	topicQueries = "queries"
	topicFields  = "fields"
)

// fieldHelp is the help on naming a field.
const fieldHelp = `A FIELD is named as in the lines of the state, and stands for all lines below it too:
  n2.parent                a field of a node; n2 is all fields of the node
  randtree[2].parent       the same, by the name of the system or of the type of its nodes
  parent                   the field on every node, in whichever layer
  "n2 timer"               the timers of a node; task, script
  "tcp n0->n1"             messages under way from one node to another; udp, set, bag
  "faults left"            the remaining budgets of faults`

func help(args []word) (p Page, err error) {
	if len(args) > 1 {
		return nil, usageOf("help")
	}
	if len(args) == 0 {
		return helpAll(), nil
	}
	switch args[0].text {
	case topicQueries:
		return text(queryHelp), nil
	case topicFields:
		return text(fieldHelp), nil
	}
	c := lookup(args[0].text)
	if c == nil {
		return nil, unknownCommand(args[0].text)
	}
	p.add(Strong, "%s", c.Heading())
	p.add(Plain, "  %s", c.Short)
	if c.Help != "" {
		for _, l := range strings.Split(c.Help, "\n") {
			p.add(Plain, "  %s", l)
		}
	}
	if len(c.Aliases) > 0 {
		p.add(Dim, "  also: %s", strings.Join(c.Aliases, ", "))
	}
	p.add(Dim, "  as in: %s", c.Example)
	return p, nil
}

// helpAll returns all commands, by group.
func helpAll() (p Page) {
	group := ""
	for _, c := range commands() {
		if c.Group != group {
			group = c.Group
			p.add(Strong, "%s", group)
		}
		name := c.Name
		if len(c.Aliases) > 0 {
			name += ", " + strings.Join(c.Aliases, ", ")
		}
		p.line(strong("  %-20s ", name), plain("%s", c.Short))
	}
	p.add(Dim, "help COMMAND explains one; help queries and help fields explain the arguments QUERY and FIELD")
	return p
}

func text(all string) (p Page) {
	for _, l := range strings.Split(all, "\n") {
		p.add(Plain, "%s", l)
	}
	return p
}

func (s *Session) copy(args []word) (p Page, _ error) {
	if len(args) > 0 {
		return nil, usageOf("copy")
	}
	p.add(Plain, "%s", s.Command())
	if s.opened != "" {
		p.add(Plain, "%s replay %s%s", s.opener.Tool, s.opener.Of, wording.Typed(s.opened))
	}
	if s.here != s.run.trunk {
		p.add(Dim, "the branch %s leaves the trunk at step %s; save FILE keeps it", s.here.name, numerals.Count(s.trunkStep()))
	}
	return p, nil
}

// Command returns the command line that returns to this place.
func (s *Session) Command() string {
	if s.opened != "" {
		line := fmt.Sprintf("%s mdb %s%s", s.opener.Tool, s.opener.Of, wording.Typed(s.opened))
		if n := s.trunkStep(); n > 0 {
			line += fmt.Sprintf(" --at %d", n)
		}
		return line
	}
	line := fmt.Sprintf("%s mdb %s%s", s.opener.Tool, s.opener.Of, s.run.title)
	faults := "none"
	for _, f := range s.run.header {
		switch f.Key {
		case "nodes", "param", "bug", "property", "net":
			line += " --" + f.Key + " " + wording.Typed(f.Value)
		case "faults":
			faults = f.Value
		}
	}
	return line + " --faults " + faults
}
