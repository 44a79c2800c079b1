package eventgraph

import (
	"regexp"
	"strings"
)

// pictureCSS is style.css for a picture without a page. Many programs that draw SVG (rsvg-convert,
// ImageMagick, Inkscape) support neither variables nor media queries. So its rules have plain colours,
// and the rules for dark mode come after them in a media query, which only browsers read.
var pictureCSS = plainCSS(styleCSS)

var (
	rootRule = regexp.MustCompile(`:root \{([^{}]*)\}`)
	variable = regexp.MustCompile(`(--[a-z-]+): ([^;]+);`)
	used     = regexp.MustCompile(`var\((--[a-z-]+)\)`)
	darkRule = regexp.MustCompile(`@media \(prefers-color-scheme: dark\) \{ :root \{[^{}]*\} \}\n`)
	cssRule  = regexp.MustCompile(`[^{}]+\{[^{}]*\}\n`)
	property = regexp.MustCompile(`[^{};]*var\(--[a-z-]+\)[^{};]*;`)
)

// plainCSS replaces variables by their values in light mode. It repeats the rules that use variables, with
// the values of dark mode, in a media query.
func plainCSS(css string) string {
	roots := rootRule.FindAllStringSubmatch(css, -1)
	if len(roots) != 2 {
		panic("macemc bug: eventgraph: style.css has no colours of a light page and of a dark one")
	}
	var colours [2]map[string]string
	for i, root := range roots {
		colours[i] = map[string]string{}
		for _, v := range variable.FindAllStringSubmatch(root[1], -1) {
			colours[i][v[1]] = v[2]
		}
	}
	with := func(i int, text string) string {
		return used.ReplaceAllStringFunc(text, func(name string) string { return colours[i][used.FindStringSubmatch(name)[1]] })
	}
	rules := darkRule.ReplaceAllString(css, "")
	rules = rootRule.ReplaceAllString(rules, "")
	var light, dark strings.Builder
	for _, rule := range cssRule.FindAllString(rules, -1) {
		rule = strings.TrimLeft(rule, "\n")
		light.WriteString(with(0, rule))
		if of := property.FindAllString(rule, -1); of != nil {
			selector, _, _ := strings.Cut(rule, "{")
			dark.WriteString(selector + "{" + with(1, strings.Join(of, "")) + " }\n")
		}
	}
	return light.String() + "@media (prefers-color-scheme: dark) {\n" + dark.String() + "}\n"
}
