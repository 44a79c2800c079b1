package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"macemc/internal/report"
	"macemc/search"
)

// store writes the path of a finding into a new folder below out, and returns
// the file's name. Nothing is ever overwritten.
func store(out string, r *search.Result, f *search.Finding) (string, error) {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return "", fmt.Errorf("the finding cannot be written: %w", err)
	}
	base := filepath.Join(out, r.System.Name+"-"+slug(r, f))
	for n := 1; ; n++ {
		folder := base + "-" + strconv.Itoa(n)
		err := os.Mkdir(folder, 0o777)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("the finding cannot be written: %w", err)
		}
		name := filepath.Join(folder, "error.path")
		return name, writePath(name, f)
	}
}

func writePath(name string, f *search.Finding) error {
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("the finding cannot be written: %w", err)
	}
	_, err = f.Path.WriteTo(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("the finding cannot be written: %w", err)
	}
	return nil
}

// slug says in a word what a finding is about: the bugs that were switched on,
// or the property, or else the verdict.
func slug(r *search.Result, f *search.Finding) string {
	var words []string
	for _, b := range r.Params.Bugs() {
		words = append(words, string(b))
	}
	if len(words) == 0 {
		words = append(words, strings.ToLower(f.Property))
	}
	s := report.Slug(strings.Join(words, "-"), 40)
	if s == "" {
		return f.Verdict.String()
	}
	return s
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// shellWord is a file name as it must be typed.
func shellWord(name string) string {
	if plainWord.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
