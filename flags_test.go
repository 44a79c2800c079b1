package macemc_test

import (
	"fmt"
	"go/ast"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const flagsFile = "testdata/flags.txt"

var flagName = regexp.MustCompile(`(^|[^-\w])--[a-z]`)

// An error of the library names its field, as Config.Public, and package command names the
// flag: see flagOf there. TestErrorsNameFields counts errors below command that name a flag
// themselves, by package. The ceilings in testdata/flags.txt may only sink;
// go test . -run TestErrorsNameFields -lower writes the present counts.
func TestErrorsNameFields(t *testing.T) {
	found := flagged(repository(t))
	text := "# Ceilings of errors that name a flag instead of a field, by package: see TestErrorsNameFields.\n"
	for _, pkg := range sortedKeys(found) {
		text += fmt.Sprintln(pkg, len(found[pkg]))
	}
	hold(t, flagsFile, text, func(text string) (problems []string) {
		ceiling := ceilingsOf(text)
		for _, pkg := range sortedKeys(found) {
			if n := len(found[pkg]); n > ceiling[pkg] {
				problems = append(problems, fmt.Sprintf("%s has %d errors that name a flag, and may have %d; name the field, and add it to flagOf in command:\n\t%s",
					pkg, n, ceiling[pkg], strings.Join(found[pkg], "\n\t")))
			}
		}
		return problems
	})
}

// flagged returns the texts of errors that name a flag, by package.
func flagged(sources []source) map[string][]string {
	found := map[string][]string{}
	for _, s := range sources {
		if s.test || s.pkg == "command" || strings.HasPrefix(s.pkg, "cmd/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "Errorf" && f.Sel.Name != "New" {
				return true
			}
			if l, ok := call.Args[0].(*ast.BasicLit); ok {
				if text, err := strconv.Unquote(l.Value); err == nil && flagName.MatchString(text) {
					found[s.pkg] = append(found[s.pkg], s.at(l.Pos())+": "+text)
				}
			}
			return true
		})
	}
	return found
}

func TestFlagsAreFound(t *testing.T) {
	found := flagged(mustParse(house(map[string]string{
		"live/a.go": "package live\nimport (\"errors\"; \"fmt\")\nvar a = fmt.Errorf(\"--nodes is %d\", 1)\nvar b = errors.New(\"leave --public out\")\n" +
			"var c = errors.New(\"Config.Public is set, n0 -- n1\")\nvar d = \"--not an error\"\n",
		"command/a.go": "package command\nimport \"errors\"\nvar a = errors.New(\"--nodes\")\n",
	})))
	if len(found) != 1 || len(found["live"]) != 2 {
		t.Errorf("found %q", found)
	}
}
