package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// elementKinds returns the number of elements of each kind in a Markdown text, as GitHub reads it, and the
// contents of its spans and blocks of code.
func elementKinds(t *testing.T, markdown string) (elements map[string]int, code []string) {
	t.Helper()
	source := []byte(markdown)
	elements = map[string]int{}
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		elements[n.Kind().String()]++
		switch n := n.(type) {
		case *ast.CodeSpan:
			var b bytes.Buffer
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				b.Write(c.(*ast.Text).Segment.Value(source))
			}
			code = append(code, b.String())
		case *ast.FencedCodeBlock:
			var b bytes.Buffer
			for i := range n.Lines().Len() {
				segment := n.Lines().At(i)
				b.Write(segment.Value(source))
			}
			code = append(code, b.String())
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return elements, code
}

// markdownIsText checks that a text stays a text in all forms of Markdown.
func markdownIsText(t *testing.T, name, text string) {
	t.Helper()
	harmless := func(form, markdown string, want map[string]int) (code []string) {
		t.Helper()
		elements, code := elementKinds(t, markdown)
		for kind, n := range elements {
			if kind != "Text" && kind != "String" && want[kind] != n {
				t.Errorf("%s as %s has %d of %s:\n%.500q", name, form, n, kind, markdown)
			}
		}
		harmlessLog(t, name, markdown)
		return code
	}
	plain := short(text)
	if plain == "" {
		harmless("nothing", Code(text), map[string]int{"Document": 1, "Paragraph": 1, "Emphasis": 1})
		return
	}
	if code := harmless("code", "is "+Code(text)+".", map[string]int{"Document": 1, "Paragraph": 1, "CodeSpan": 1}); len(code) != 1 || code[0] != plain && strings.Trim(code[0], " ") != strings.Trim(plain, " ") {
		t.Errorf("%s as code is %.200q, want %.200q", name, code, plain)
	}
	harmless("prose", "is "+Prose(text)+".", map[string]int{"Document": 1, "Paragraph": 1})
	harmless("a block", CodeBlock("sh", text), map[string]int{"Document": 1, "FencedCodeBlock": 1})
	code := harmless("a table", Table([]string{"a", "b"}, [][]string{{Code(text), Prose(text)}, {"x", Code(text)}}),
		map[string]int{"Document": 1, "Table": 1, "TableHeader": 1, "TableRow": 2, "TableCell": 6, "CodeSpan": 2})
	if len(code) != 2 || code[0] != code[1] {
		t.Errorf("%s in a table is %.200q", name, code)
	}
}

func TestHostileMarkdown(t *testing.T) {
	for name, text := range hostile {
		if text != "" {
			markdownIsText(t, name, text)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, text := range hostile {
		if len(text) < 1000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { markdownIsText(t, "fuzz", text) })
}
