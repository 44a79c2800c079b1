package wire

import (
	"fmt"
	"strings"
)

// Manual returns the text of docs/serve.md, made from the table of operations. answers returns
// the answer to the example of an operation.
func Manual(answers func(request string) string) string {
	var b strings.Builder
	b.WriteString(`# Drive the debugger by a program

<!-- Made of the table of operations in the package mdb/wire: go test ./mdb/wire -run Manual -rewrite -->

` + "`macemc mdb FILE --serve`" + ` opens what ` + "`mdb`" + ` opens, reads requests from standard input and writes the
answers to standard output, so that an editor, a script or an agent can drive a session. Each request is a JSON object on a line of its own, and so is each
answer, in the order of the requests:

` + "```sh" + `
echo '{"id": 1, "op": "do", "line": "jump critical; show"}' | go run ./cmd/macemc mdb docs/examples/handshake-HS1 --serve
` + "```" + `

A request names its operation, ` + "`op`" + `; an ` + "`id`" + `, any JSON value, comes back with the answer. An answer has

| field | is |
|---|---|
| ` + "`id`" + ` | that of the request; null if it had none, or was no JSON |
| ` + "`place`" + ` | where the session stands after it: ` + "`branch`, `step`" + `, and ` + "`of`" + `, the steps of the branch; only ` + "`do`" + ` moves it |
| ` + "`answer`" + ` | what was asked for |
| ` + "`error`" + ` | in its place, why there is none, in one line |

An error ends nothing. A field that an operation does not take is an error. The session ends with
the input, or with the line ` + "`quit`" + `; the exit status is then 0. A handler that does not return for
` + "`--stuck`" + ` is the error of the request that ran it, the last answer, and the exit status 1. What handlers
print goes to standard error.

Where an operation takes ` + "`branch` and `step`" + `, they name a place; without them it is the one where the session
stands, and without ` + "`step`" + ` the end of another branch. The nearest live path beside the file that was
opened is the branch ` + "`live`" + `. New fields may be added to answers; what is here stays.
`)
	for _, op := range Operations() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", op.Name, op.Short)
		row := func(word string, names []string) {
			if len(names) > 0 {
				fmt.Fprintf(&b, "%s: `%s`. ", word, strings.Join(names, "`, `"))
			}
		}
		row("Needs", op.Needs)
		row("Takes", op.Takes)
		fmt.Fprintf(&b, "Answers: %s\n\n    %s\n    %s\n", op.Answers, op.Example, answers(op.Example))
	}
	return b.String()
}
