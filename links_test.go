package macemc_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	quoted  = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	unsaid  = regexp.MustCompile(`[^\pL\pN_ -]`)
)

// anchors returns the names by which links may refer to the headings of a page. GitHub makes them
// from the headings.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		all[strings.ReplaceAll(unsaid.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return all
}

// deadLinks returns the relative links of a page that lead to no file or heading.
func deadLinks(file, page string) (dead []string) {
	for _, l := range link.FindAllStringSubmatch(quoted.ReplaceAllString(fenced.ReplaceAllString(page, ""), ""), -1) {
		target, anchor, named := strings.Cut(l[1], "#")
		if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
			continue
		}
		in := page
		if target != "" {
			to := filepath.Join(filepath.Dir(file), filepath.FromSlash(target))
			if _, err := os.Stat(to); err != nil {
				dead = append(dead, l[1])
				continue
			}
			text, _ := os.ReadFile(to) // of a folder, nothing
			in = string(text)
		}
		if named && !anchors(in)[anchor] {
			dead = append(dead, l[1])
		}
	}
	return dead
}

// TestLinks: every relative link in a document leads to a file that is there,
// and to a heading of it.
func TestLinks(t *testing.T) {
	pages := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "bin" || len(d.Name()) > 1 && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(file) != ".md":
			return nil
		}
		pages++
		text, err := os.ReadFile(file)
		for _, l := range deadLinks(file, string(text)) {
			t.Errorf("%s links to %s, which is not there", file, l)
		}
		return err
	})
	if err != nil || pages < 10 {
		t.Errorf("%d documents were read: %v", pages, err)
	}
}

func TestDeadLinks(t *testing.T) {
	page := "# One two\n[a](README.md) [b](#one-two) [c](#two) [d](no.md) [e](https://x.y/z) `[f](no.md)`\n```\n# Three\n[g](no.md)\n```\n[h](#three) [i](README.md#a-first-finding) [j](docs/README.md#nothing)"
	if got := strings.Join(deadLinks("page.md", page), " "); got != "#two no.md #three docs/README.md#nothing" {
		t.Errorf("dead are %s", got)
	}
}
