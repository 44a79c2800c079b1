package mdb

import (
	"fmt"
	"strings"
)

// manualText returns the text of docs/mdb.md, made from the table of commands. A test compares
// them.
func manualText() string {
	var b strings.Builder
	b.WriteString(`# mdb, the debugger

<!-- Made of the table of commands in the package mdb: go test ./mdb -run Manual -rewrite -->

` + "`macemc mdb FILE`" + ` opens the path of a finding, or the folder that holds it, and
` + "`macemc mdb SYSTEM`" + ` a system at its start, to be explored by hand. A session stands at a
step of a run: the state that it shows is the one after that step, and step 0 is the start. It goes
forward and back, to any step, and nothing that was recorded ever changes: another choice begins
a branch.

` + "`macemc mdb FILE -x 'jump critical; show; diff live'`" + ` executes commands and prints what they
answer, for bug reports and scripts. The exit status is 0, or 2 if a line was wrong. ` + "`--web`" + ` opens the same
session as [a page in the browser](explore.md), and ` + "`--serve`" + ` answers [JSON lines](serve.md).
`)
	group := ""
	for _, c := range commands() {
		if c.Group != group {
			group = c.Group
			fmt.Fprintf(&b, "\n## %s\n", group)
		}
		fmt.Fprintf(&b, "\n### %s\n\n", c.Name)
		fmt.Fprintf(&b, "    %s\n\n", c.Heading())
		fmt.Fprintf(&b, "%s%s.", strings.ToUpper(c.Short[:1]), c.Short[1:])
		if c.Help != "" {
			fmt.Fprintf(&b, " %s", strings.ReplaceAll(c.Help, "\n", " "))
		}
		b.WriteString("\n")
		if len(c.Aliases) > 0 {
			fmt.Fprintf(&b, "\nAlso: `%s`.", strings.Join(c.Aliases, "`, `"))
		}
		fmt.Fprintf(&b, "\nFor example: `%s`\n", c.Example)
	}
	fmt.Fprintf(&b, "\n## Queries\n\n```\n%s\n```\n", queryHelp)
	fmt.Fprintf(&b, "\n## Fields\n\n```\n%s\n```\n", fieldHelp)
	b.WriteString(`
## The screen

It shows the steps with a column for each node, a live event graph, and beside or below them a view
of the step where the session stands. The last row has what is typed and what was answered in a
line; longer answers are a view of their own. The mouse chooses a step or a view. Work that takes
long is stopped by Ctrl-C. There are no colours with ` + "`--no-color`" + ` or where ` + "`NO_COLOR`" + ` is set.

| view | shows what is answered to |
|---|---|
`)
	for i, v := range Views() {
		line := "`" + v.Line + "`"
		if v.Line == "" {
			line = "the last line that was typed and has a long answer"
		}
		fmt.Fprintf(&b, "| `%s` %s | %s |\n", v.Key(i), v.Name, line)
	}
	b.WriteString("\nIn the view `live` the other run is the last that was compared with, else the nearest live path.\n\n| key | does |\n|---|---|\n")
	for _, k := range Keys() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.Join(k.Names, "` `"), k.Short)
	}
	b.WriteString(`
While a line is typed, Tab completes it, the arrows go through the line and its history, and Escape
leaves it.

## Marks

| mark | a step that is marked with it |
|---|---|
| ` + "`◆`" + ` | is the critical step |
| ` + "`!`" + ` | is the one in which the service fails |
| ` + "`+`" + ` | has a live state |
| ` + "`⑂`" + ` | is left by a branch |

In states and comparisons, ` + "`+`, `-` and `~`" + ` mark lines that are new, that are gone, and that differ.
`)
	return b.String()
}
