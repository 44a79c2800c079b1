package report

import (
	"slices"
	"strings"
)

// Markdown shows what a service says as code, in which nothing is a link, a
// heading, a mention or HTML.

// Code returns a text, on one line, as Markdown that shows it as code.
func Code(text string) string {
	text = short(text)
	if text == "" {
		return "*(empty)*"
	}
	fence := strings.Repeat("`", run(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		text = " " + text + " " // one of each is taken away
	}
	return fence + text + fence
}

// Prose returns a text as Markdown that shows it as it is: no part of it is taken for
// markup, a link, HTML or the name of a user. It must not stand at the beginning of a line.
func Prose(text string) string {
	return proses.Replace(cutTo(textMost, strings.TrimSpace(logged(oneLine(text)))))
}

var proses = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;",
	"://", "&#58;//", "www.", `www\.`, "@", "@\u200c", "#", "#\u200c",
)

// run returns the length of the longest sequence of backquotes in a text.
func run(text string) (longest int) {
	n := 0
	for _, r := range text {
		if n++; r != '`' {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}

// CodeBlock returns Markdown for a block of code in a language, which may be "".
func CodeBlock(language, text string) string {
	fence := strings.Repeat("`", max(3, run(text)+1))
	return fence + language + "\n" + Printed(strings.TrimRight(text, "\n")) + "\n" + fence + "\n"
}

// Table returns a Markdown table, whose cells are Markdown already.
func Table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	line(head)
	line(slices.Repeat([]string{"---"}, len(head)))
	for _, r := range rows {
		line(r)
	}
	return b.String()
}
