package mdb

import (
	"fmt"
	"strings"
)

func others() []*Command {
	return []*Command{
		{
			Name: "copy", Aliases: []string{"y"}, Group: groupOther,
			Short:   "tell the command that comes to this place again; the screen copies it to the clipboard too",
			Example: "jump 3; copy",
			run: func(s *Session, args []word) (Page, error) {
				if len(args) > 0 {
					return nil, usageOf("copy")
				}
				return page("%s", s.Command()), nil
			},
		},
		{
			Name: "history", Group: groupOther,
			Short:   "tell the lines that were executed",
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
			Name: "help", Aliases: []string{"h", "?"}, Group: groupOther, Usage: "[COMMAND | queries | fields]",
			Short:   "tell the commands, or about one of them",
			Example: "help next; help fields; help queries; help", args: []completer{ofCommands},
			run: func(_ *Session, args []word) (Page, error) { return help(args) },
		},
		{
			Name: "quit", Aliases: []string{"q", "exit"}, Group: groupOther,
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

// The topics of help that are no commands.
const (
	topicQueries = "queries"
	topicFields  = "fields"
)

// fieldHelp says what a field may be.
const fieldHelp = `A FIELD is named as in the lines of the state, and stands for all lines below it too:
  n2.parent                a field of a node; n2 is the node with all that it has
  randtree[2].parent       the same, by the name of the system or of the type of its nodes
  parent                   the field on every node, in whichever layer
  "n2 timer"               the timers of a node; task, script
  "tcp n0->n1"             what is under way from one node to another; udp, set
  "faults left"            what is left of the budgets of faults`

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
		return nil, unknown("command", args[0].text, commandNames(), "help lists them")
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

// helpAll tells all commands, by group.
func helpAll() (p Page) {
	group := ""
	for _, c := range Commands() {
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
	p.add(Dim, "help COMMAND tells more; help queries and help fields what these may be")
	return p
}

func text(all string) (p Page) {
	for _, l := range strings.Split(all, "\n") {
		p.add(Plain, "%s", l)
	}
	return p
}

// Command is the command line that comes to this place again.
func (s *Session) Command() string {
	if s.opened == "" {
		return fmt.Sprintf("%s mdb %s", s.opener.Tool, s.run.title)
	}
	line := fmt.Sprintf("%s mdb %s", s.opener.Tool, shellWord(s.opened))
	if s.step > 0 && s.here == s.run.trunk {
		line += fmt.Sprintf(" --at %d", s.step)
	}
	return line
}

// shellWord quotes a word for a shell, where it must be.
func shellWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=+:,@%") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
