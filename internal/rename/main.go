package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	dir := flag.String("dir", ".", "the `folder` of the module")
	flag.Parse()
	if err := rename(*dir, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(2)
	}
}

var (
	modulePath = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._~-]+)+$`)
	moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)
)

// rename changes the path of the module in a folder to another path.
func rename(dir, to string) error {
	if !modulePath.MatchString(to) {
		return fmt.Errorf("the path is %q; it must be one that can be fetched, as example.org/you/macemc", to)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	m := moduleLine.FindSubmatch(mod)
	if m == nil {
		return fmt.Errorf("go.mod has no module line")
	}
	files, err := tracked(dir)
	if err != nil {
		return err
	}
	words := wordsOf(string(m[1]), files)
	for _, name := range files {
		if err := words.file(filepath.Join(dir, name), to); err != nil {
			return err
		}
	}
	return nil
}

// tracked returns the files of the repository.
func tracked(dir string) ([]string, error) {
	out, err := exec.Command("git", "-C", dir, "ls-files", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00"), nil
}

// words are the forms in which the path of the module occurs in files. The first group of
// each pattern matches the text before the path, and the last group the text after it.
type words []*regexp.Regexp

func wordsOf(path string, files []string) words {
	var folders []string
	for _, name := range files {
		folder, _, below := strings.Cut(name, "/")
		if below && strings.HasSuffix(name, ".go") && !slices.Contains(folders, folder) {
			folders = append(folders, regexp.QuoteMeta(folder))
		}
	}
	p := regexp.QuoteMeta(path)
	return words{
		regexp.MustCompile(`(^|\\[nt]|[^A-Za-z0-9_./-])` + p + `(/(?:` + strings.Join(folders, "|") + `)\b)`),
		regexp.MustCompile(`(\b(?:module|require|replace) )` + p + `(\s|@|=|$)`),
		regexp.MustCompile(`(\bmodule\s+= "|import ")` + p + `(")`),
	}
}

// file replaces the path of the module in one file.
func (w words) file(name, to string) error {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	text, err := os.ReadFile(name)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return err
	}
	lines := strings.SplitAfter(string(text), "\n")
	for i := range lines {
		for _, one := range w {
			lines[i] = one.ReplaceAllString(lines[i], "${1}"+to+"${2}")
		}
	}
	changed := []byte(strings.Join(lines, ""))
	if bytes.Equal(changed, text) {
		return nil
	}
	if strings.HasSuffix(name, ".go") {
		if formatted, err := format.Source(changed); err == nil { // imports are sorted by their paths
			changed = formatted
		}
	}
	return os.WriteFile(name, changed, info.Mode().Perm())
}
