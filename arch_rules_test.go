package macemc_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The rules of the house, as functions from sources to problems. They parse
// and do not type-check: fast, without the go command, and good enough, since
// they catch mistakes and not malice.

const (
	module   = "macemc"
	document = "ARCHITECTURE.md"
)

// A source is one parsed Go file.
type source struct {
	path string // from the root of the repository
	pkg  string // its folder, "." for the root
	test bool
	fset *token.FileSet
	file *ast.File
	text string
}

func (s source) at(pos token.Pos) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(pos).Line)
}

// parse reads the Go files of the module at the root of tree. Folders that the
// go command skips, and modules of their own, are skipped.
func parse(tree fs.FS) ([]source, error) {
	var sources []source
	fset := token.NewFileSet()
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && (skipped(entry.Name()) || exists(tree, path.Join(name, "go.mod"))) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasPrefix(entry.Name(), "_") || strings.HasPrefix(entry.Name(), ".") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		sources = append(sources, source{
			path: name,
			pkg:  path.Dir(name),
			test: strings.HasSuffix(name, "_test.go"),
			fset: fset,
			file: file,
			text: string(text),
		})
		return nil
	})
	return sources, err
}

func skipped(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || folder == "testdata" || folder == "vendor"
}

func exists(tree fs.FS, name string) bool {
	_, err := fs.Stat(tree, name)
	return err == nil
}

// tableOrder reports rooms of the table that may import a room which does not stand before them.
func tableOrder(rooms []room) []string {
	var problems, before []string
	for _, r := range rooms {
		for _, pattern := range r.may {
			if !slices.Contains(before, pattern) && !(pattern == r.path && strings.HasSuffix(pattern, "/*")) {
				problems = append(problems, fmt.Sprintf(
					"the table lets %s import %s, which does not stand before it; imports point down only", r.path, pattern))
			}
		}
		before = append(before, r.path)
	}
	return problems
}

// imports reports imports that the table does not allow.
func imports(sources []source, rooms []room) []string {
	var problems []string
	unknown := map[string]bool{}
	for _, s := range sources {
		r, ok := roomOf(rooms, s.pkg)
		if !ok {
			if !unknown[s.pkg] {
				unknown[s.pkg] = true
				problems = append(problems, fmt.Sprintf(
					"%s: package %s is in no room; put it into the table of arch_test.go, and into %s", s.path, s.pkg, document))
			}
			continue
		}
		for _, spec := range s.file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				panic("macemc bug: the parser accepted the import path " + spec.Path.Value)
			}
			if problem := checkImport(s, r, imported); problem != "" {
				problems = append(problems, s.at(spec.Pos())+": "+problem)
			}
		}
	}
	return problems
}

func checkImport(s source, r room, imported string) string {
	for _, l := range libraries {
		if imported == l.path && !s.test && !matches(l.in, s.pkg) {
			return fmt.Sprintf("%s imports %s: %s", s.pkg, imported, l.instead)
		}
	}
	target, ok := strings.CutPrefix(imported, module+"/")
	if !ok && imported != module {
		return ""
	}
	if !ok {
		target = "."
	}
	allowed := r.may
	if s.test {
		// An external test imports the package that it tests.
		allowed = join(join(join(r.may, r.tests...), everyTest...), s.pkg)
	}
	if matches(allowed, target) {
		return ""
	}
	return fmt.Sprintf("%s imports %s: %s (%s may import: %s)", s.pkg, target, alternative(r, target), r.path, orNothing(allowed))
}

func alternative(r room, target string) string {
	for _, pattern := range sortedKeys(r.instead) {
		if pattern != "" && matches([]string{pattern}, target) {
			return r.instead[pattern]
		}
	}
	if r.instead[""] != "" {
		return r.instead[""]
	}
	return "imports point down only; move what both need into a room below"
}

func roomOf(rooms []room, pkg string) (room, bool) {
	for _, r := range rooms {
		if matches([]string{r.path}, pkg) {
			return r, true
		}
	}
	return room{}, false
}

func orNothing(list []string) string {
	if len(list) == 0 {
		return "nothing of this module"
	}
	return strings.Join(list, ", ")
}

// The kinds of things that need a permission.
const (
	clock      = "clock"
	goroutines = "goroutines"
	randomness = "randomness"
	bubble     = "bubble" // it runs in a synctest bubble, where to sleep and to draw is simulated
)

var insteadOf = map[string]string{
	clock:      "ask Env.Now, Env.Before or Env.After, or count steps",
	goroutines: "ask Env.Post for a step of its own, or return a value and let the workers of search run it",
	randomness: "ask Env.Choose or a choose.Source, and derive what has to differ from a seed",
	bubble:     "wait for the event itself, and draw from a generator that has a seed",
}

// A permission allows a file, or a folder if path ends in a slash, to use some kinds of things.
type permission struct {
	path   string
	kinds  []string
	reason string
}

func (p permission) covers(file string) bool {
	return p.path == file || strings.HasSuffix(p.path, "/") && strings.HasPrefix(file, p.path)
}

var permissionsBlock = regexp.MustCompile("(?s)\n```permissions\n(.*?)\n```\n")

// permissions reads the block of the architecture document that grants them.
// The document is the only place where they are written: .ci/run reads it too.
func permissions(text string) (granted []permission, problems []string) {
	blocks := permissionsBlock.FindAllStringSubmatch(text, -1)
	if len(blocks) != 1 {
		return nil, []string{fmt.Sprintf("%s: has %d permissions blocks, needs one", document, len(blocks))}
	}
	for line := range strings.SplitSeq(blocks[0][1], "\n") {
		columns := regexp.MustCompile(`\s{2,}`).Split(strings.TrimSpace(line), 3)
		if len(columns) != 3 {
			problems = append(problems, fmt.Sprintf(
				"%s: permission %q needs a path, kinds and a reason, with two blanks between", document, line))
			continue
		}
		p := permission{path: columns[0], kinds: strings.Fields(columns[1]), reason: columns[2]}
		for _, kind := range p.kinds {
			if insteadOf[kind] == "" {
				problems = append(problems, fmt.Sprintf(
					"%s: permission of %s has the kind %q; there are %s", document, p.path, kind, strings.Join(sortedKeys(insteadOf), ", ")))
			}
		}
		granted = append(granted, p)
	}
	return granted, problems
}

// A need is a use of something that needs a permission.
type need struct {
	kind string
	pos  token.Pos
	what string
}

// The functions that read or wait for the wall clock. Types and constants, as
// time.Duration, are free.
var clockFuncs = map[string][]string{
	"time":    {"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "NewTimer", "NewTicker", "Tick"},
	"context": {"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"},
}

var randomImports = []string{"math/rand", "math/rand/v2", "crypto/rand", "hash/maphash"}

// needs lists what a file uses that needs a permission.
func needs(s source) []need {
	var found []need
	names := importNames(s.file)
	for _, spec := range s.file.Imports {
		if imported, _ := strconv.Unquote(spec.Path.Value); slices.Contains(randomImports, imported) {
			found = append(found, need{randomness, spec.Pos(), imported})
		}
	}
	ast.Inspect(s.file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.GoStmt:
			found = append(found, need{goroutines, node.Pos(), "a go statement"})
		case *ast.CallExpr:
			if makesChannel(node) {
				found = append(found, need{goroutines, node.Pos(), "a channel"})
			}
			if startsGroup(node, names) {
				found = append(found, need{goroutines, node.Pos(), "a goroutine of a group"})
			}
		case *ast.SelectorExpr:
			if pkg, name := selected(node, names); slices.Contains(clockFuncs[pkg], name) {
				found = append(found, need{clock, node.Pos(), pkg + "." + name})
			}
		}
		return true
	})
	return found
}

func makesChannel(call *ast.CallExpr) bool {
	name, ok := call.Fun.(*ast.Ident)
	if !ok || name.Name != "make" || len(call.Args) == 0 {
		return false
	}
	_, ok = call.Args[0].(*ast.ChanType)
	return ok
}

// startsGroup reports whether a call looks like Go of a sync.WaitGroup or an
// errgroup.Group.
func startsGroup(call *ast.CallExpr, names map[string]string) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Go" || len(call.Args) != 1 {
		return false
	}
	for _, imported := range names {
		if imported == "sync" || imported == "golang.org/x/sync/errgroup" {
			return true
		}
	}
	return false
}

// importNames maps the names of a file's imports to their paths.
func importNames(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(imported)
		if regexp.MustCompile(`^v\d+$`).MatchString(name) {
			name = path.Base(path.Dir(imported))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = imported
	}
	return names
}

// selected returns the package and the name that a selector denotes, if it selects from an imported
// package.
func selected(node *ast.SelectorExpr, names map[string]string) (pkg, name string) {
	if x, ok := node.X.(*ast.Ident); ok {
		return names[x.Name], node.Sel.Name
	}
	return "", ""
}

// forbidden reports uses of the clock, of goroutines and of randomness where
// no permission covers them. Tests may use all three, but never sleep, and
// nothing may draw from the shared generator.
func forbidden(sources []source, granted []permission) []string {
	var problems []string
	for _, s := range sources {
		simulated := slices.ContainsFunc(granted, func(p permission) bool { return p.covers(s.path) && slices.Contains(p.kinds, bubble) })
		for _, n := range needs(s) {
			if s.test && n.what == "time.Sleep" && !simulated {
				problems = append(problems, fmt.Sprintf(
					"%s: a test sleeps: tests never sleep; wait for the event itself, or use testing/synctest", s.at(n.pos)))
			}
			if s.test || slices.ContainsFunc(granted, func(p permission) bool {
				return p.covers(s.path) && slices.Contains(p.kinds, n.kind)
			}) {
				continue
			}
			problems = append(problems, fmt.Sprintf("%s: %s (%s) is not allowed here: %s; or give the file a line with a reason in the permissions block of %s",
				s.at(n.pos), n.what, n.kind, insteadOf[n.kind], document))
		}
		if !simulated {
			problems = append(problems, sharedGenerator(s)...)
		}
	}
	return problems
}

// sharedGenerator reports functions of math/rand that draw from the generator
// that the whole process shares and nobody can seed.
func sharedGenerator(s source) []string {
	var problems []string
	names := importNames(s.file)
	ast.Inspect(s.file, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, name := selected(selector, names)
		own := strings.HasPrefix(name, "New") || slices.Contains([]string{"Rand", "Source", "Source64", "PCG", "ChaCha8", "Zipf"}, name)
		if (pkg == "math/rand" || pkg == "math/rand/v2") && !own {
			problems = append(problems, fmt.Sprintf(
				"%s: %s.%s draws from the shared generator, which no seed repeats: use rand.New(rand.NewPCG(seed, stream))", s.at(selector.Pos()), pkg, name))
		}
		return true
	})
	return problems
}

// stale reports permissions that nothing uses, of files and folders that exist.
func stale(sources []source, granted []permission) []string {
	var problems []string
	for _, p := range granted {
		built := false
		used := map[string]bool{}
		for _, s := range sources {
			if s.test || !p.covers(s.path) {
				continue
			}
			built = true
			for _, n := range needs(s) {
				used[n.kind] = true
			}
			used[bubble] = used[bubble] || len(sharedGenerator(s)) > 0
		}
		for _, kind := range p.kinds {
			if built && !used[kind] {
				problems = append(problems, fmt.Sprintf(
					"%s: %s has the permission %q and does not need it; take it out", document, p.path, kind))
			}
		}
	}
	return problems
}

// undocumented reports packages without a doc.go that holds a package comment
// of at least two sentences.
func undocumented(sources []source) []string {
	var problems []string
	documented := map[string]bool{}
	for _, s := range sources {
		if s.test {
			continue
		}
		documented[s.pkg] = documented[s.pkg] || path.Base(s.path) == "doc.go" && sentences(s.file.Doc.Text()) >= 2
	}
	for _, pkg := range sortedKeys(documented) {
		if !documented[pkg] {
			problems = append(problems, fmt.Sprintf(
				"%s: needs a doc.go with a package comment of at least two sentences: which room this is, what enters and what leaves", pkg))
		}
	}
	return problems
}

var sentenceEnd = regexp.MustCompile(`[.!?]['")]?(\s|$)`)

func sentences(text string) int { return len(sentenceEnd.FindAllString(text, -1)) }

var roomsBlock = regexp.MustCompile("(?s)\n```rooms\n(.*?)\n```\n")

// documentMax is the largest number of lines of the architecture document, which should be read in one sitting.
// Details belong into the doc.go of a room.
const documentMax = 250

// drawing reports differences between the packages, the table of imports and the
// drawing in the architecture document: every room that is built is drawn, nothing
// else is drawn, and every room is drawn above those that it may import.
func drawing(text string, sources []source, rooms []room) []string {
	var problems []string
	if n := strings.Count(text, "\n"); n > documentMax {
		problems = append(problems, fmt.Sprintf("%s: has %d lines, may have %d; move what concerns one room into its doc.go", document, n, documentMax))
	}
	blocks := roomsBlock.FindAllStringSubmatch(text, -1)
	if len(blocks) != 1 {
		return append(problems, fmt.Sprintf("%s: has %d drawings of the rooms, needs one", document, len(blocks)))
	}
	drawn := map[string]int{} // the line of each room
	for number, line := range strings.Split(blocks[0][1], "\n") {
		names, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
		for _, name := range strings.Fields(names) {
			drawn[name] = number + 1
		}
	}
	for _, r := range rooms {
		if r.path == "." {
			continue
		}
		built := slices.ContainsFunc(sources, func(s source) bool { return !s.test && matches([]string{r.path}, s.pkg) })
		switch {
		case built && drawn[r.path] == 0:
			problems = append(problems, fmt.Sprintf("%s: %s is built: draw it among the rooms", document, r.path))
		case !built:
			problems = append(problems, fmt.Sprintf("%s is in the table of arch_test.go and has no package: take it out", r.path))
		}
		for _, below := range r.may {
			if built && drawn[below] != 0 && drawn[below] <= drawn[r.path] && below != r.path {
				problems = append(problems, fmt.Sprintf("%s: %s may import %s: draw it on a line above", document, r.path, below))
			}
		}
	}
	for _, name := range sortedKeys(drawn) {
		if !slices.ContainsFunc(rooms, func(r room) bool { return r.path == name }) {
			problems = append(problems, fmt.Sprintf("%s: the drawing has %s, which the table of arch_test.go has not", document, name))
		}
	}
	return problems
}

var (
	wordRow    = regexp.MustCompile(`(?m)^\| ([a-z ]+) \| .* \|$`)
	italic     = regexp.MustCompile(`(?m)(?:^|[ (])\*([A-Za-z ]+)\*(?:[^*]|$)`)
	linkToType = regexp.MustCompile(`\[([A-Z][A-Za-z]*)\]`)
	letters    = regexp.MustCompile(`[A-Z]?[a-z]+`)
)

// wordRooms are the rooms that introduce words: each type that the package comment of such a room
// links to must stand in the table of words.
var wordRooms = []string{"internal/world", "internal/decide", "internal/search", "internal/search/internal/*"}

// vocabulary compares the table of words with the words that are introduced: those in italics in
// the document, and the types that the package comments of wordRooms link to. Each of them must
// have a row, and each word of the table must be used in the code.
func vocabulary(text string, sources []source) []string {
	var problems []string
	before, table, found := strings.Cut(text, "\n## Words\n")
	if !found {
		return []string{document + ": has no section with the words"}
	}
	rows := firstGroups(wordRow, table)
	introduced := map[string]string{} // by word: where
	for _, word := range firstGroups(italic, before) {
		introduced[strings.ToLower(word)] = document
	}
	used := map[string]bool{}
	for _, s := range sources {
		if s.test {
			continue
		}
		for _, w := range letters.FindAllString(s.text, -1) {
			used[strings.ToLower(w)] = true
		}
		if s.file.Doc != nil && matches(wordRooms, s.pkg) {
			for _, name := range firstGroups(linkToType, s.file.Doc.Text()) {
				introduced[strings.ToLower(strings.Join(letters.FindAllString(name, -1), " "))] = s.path
			}
		}
	}
	for _, word := range sortedKeys(introduced) {
		if !slices.ContainsFunc(rows, func(row string) bool { return word == row || word == row+"s" }) {
			problems = append(problems, fmt.Sprintf("%s introduces the word %q: give it a row in the table of words", introduced[word], word))
		}
	}
	for _, row := range rows {
		for _, part := range strings.Fields(row) {
			if row != "word" && !used[part] {
				problems = append(problems, fmt.Sprintf("%s: the table has the word %q, which no code uses: take it out, or use it", document, row))
				break
			}
		}
	}
	return problems
}

func firstGroups(pattern *regexp.Regexp, text string) []string {
	var groups []string
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		groups = append(groups, match[1])
	}
	return groups
}

// private matches texts that have a meaning only on one machine or for one team. The patterns are written so
// that they do not match themselves.
var private = []*regexp.Regexp{
	regexp.MustCompile(`(^|[^\w.\-/])/(work|root|home/\w+)/`),
	regexp.MustCompile(`(?i)\bsub[-_ ]?agents?\b`),
	regexp.MustCompile(`\.\./shared\b`),
}

// unmentionable reports lines of text files that match private. Files that
// .gitignore names are skipped.
func unmentionable(tree fs.FS) []string {
	var problems []string
	ignored, problem := gitignore(tree)
	if problem != "" {
		return []string{problem}
	}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name == ".git" || ignored(name, true) {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || name == ".git" || ignored(name, false) {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		if bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
			return nil
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			for _, pattern := range private {
				if match := pattern.FindString(line); match != "" {
					problems = append(problems, fmt.Sprintf(
						"%s:%d: %q means nothing outside one machine; name a path of this repository, or say what is meant", name, number, strings.TrimSpace(match)))
				}
			}
		}
		return nil
	})
	if err != nil {
		problems = append(problems, err.Error())
	}
	return problems
}

// gitignore understands the three forms that this repository uses: /folder/,
// /file and a pattern without a slash.
func gitignore(tree fs.FS) (ignored func(name string, folder bool) bool, problem string) {
	text, err := fs.ReadFile(tree, ".gitignore")
	if err != nil {
		return func(string, bool) bool { return false }, ""
	}
	var folders, files, bases []string
	for line := range strings.SplitSeq(string(text), "\n") {
		rest, rooted := strings.CutPrefix(line, "/")
		trimmed, folder := strings.CutSuffix(rest, "/")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.Contains(line, "!") || !rooted && strings.Contains(line, "/"):
			return nil, fmt.Sprintf(".gitignore: this test understands /folder/, /file and *.ext, not %q", line)
		case rooted && folder:
			folders = append(folders, trimmed)
		case rooted:
			files = append(files, rest)
		default:
			bases = append(bases, line)
		}
	}
	return func(name string, folder bool) bool {
		return folder && matches(folders, name) || matches(files, name) || matches(bases, path.Base(name))
	}, ""
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
