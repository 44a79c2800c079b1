package finding

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// elements returns the number of elements of each kind in a Markdown text, as GitHub reads it.
func elements(markdown string) map[string]int {
	kinds := map[string]int{}
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader([]byte(markdown)))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			kinds[n.Kind().String()]++
		}
		return ast.WalkContinue, nil
	})
	return kinds
}
