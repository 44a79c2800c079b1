package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"macemc/internal/account"
	"macemc/internal/charts"
	"macemc/internal/report"
	"macemc/internal/search"
)

// outputs are the files and annotations that a search writes for continuous integration, besides its
// report.
type outputs struct {
	junit, sarif string // names of files, or ""
	charts       string
	github       bool
	began        time.Time
}

func (o *outputs) flags(flags *pflag.FlagSet) {
	flags.StringVar(&o.junit, "junit", "", "write JUnit's XML to `FILE`: a case for each property")
	flags.StringVar(&o.sarif, "sarif", "", "write SARIF 2.1.0 to `FILE`: a finding at the source of its critical step")
	flags.StringVar(&o.charts, "charts", "", "write the state machines to `FILE`, with the number of times that each reaction was exercised: as\n.html, .dot or .mmd (Mermaid)")
	flags.BoolVar(&o.github, "github", false, "annotate the source as GitHub's workflows read it, on standard error (default where\nGITHUB_ACTIONS is true)")
}

// chartForms has the functions that draw state machines, by the extension of the file.
var chartForms = map[string]func(io.Writer, []charts.Counted) error{
	".html": report.ChartHTML, ".dot": report.ChartDOT, ".mmd": report.ChartMermaid,
}

// check sets the flags whose defaults depend on environment variables. It returns an error if one of the
// output files could not be written, so that the user does not learn this only at the end of the search.
func (o *outputs) check(t *tool, flags *pflag.FlagSet) error {
	o.began = time.Now()
	if !flags.Changed("github") {
		o.github = t.env("GITHUB_ACTIONS") == "true"
	}
	for _, f := range []struct{ flag, file string }{{"junit", o.junit}, {"sarif", o.sarif}, {"charts", o.charts}} {
		if f.file == "" {
			if flags.Changed(f.flag) {
				return usagef("--%s is empty; name a file", f.flag)
			}
			continue
		}
		if info, err := os.Stat(f.file); err == nil && info.IsDir() {
			return fmt.Errorf("--%s is %s, which is a folder; name a file", f.flag, f.file)
		}
		if isDevice(f.file) {
			continue
		}
		if folder := filepath.Dir(f.file); !isFolder(folder) {
			return fmt.Errorf("--%s is %s, but there is no folder %s; make it first", f.flag, f.file, folder)
		} else if err := writable(f.flag, f.file, folder); err != nil {
			return err
		}
	}
	if _, known := chartForms[filepath.Ext(o.charts)]; o.charts != "" && !known {
		return usagef("--charts is %s; name a file that ends in .html, .dot or .mmd", o.charts)
	}
	if o.junit != "" && filepath.Clean(o.junit) == filepath.Clean(o.sarif) {
		return usagef("--junit and --sarif are both %s; name two files", o.junit)
	}
	return nil
}

// writable returns an error if files could not be written into a folder when the search is over. name is the
// value of the flag that leads to this folder. To find out, writable makes a folder in it and removes that
// again; if the folder does not exist yet, it does so in the nearest one above that exists.
func writable(flag, name, folder string) error {
	if name == "" {
		return usagef("--%s is empty; name a folder", flag)
	}
	there := folder
	for !isThere(there) && filepath.Dir(there) != there {
		there = filepath.Dir(there)
	}
	switch {
	case !exists(there):
		return fmt.Errorf("--%s is %s, but %s is a link that leads nowhere; make the folder to which it points, or name another folder", flag, name, there)
	case !isFolder(there) && there == folder:
		return fmt.Errorf("--%s is %s, which is a file; name a folder", flag, name)
	case !isFolder(there):
		return fmt.Errorf("--%s is %s, but %s is a file, so the folder cannot be made; name another folder", flag, name, there)
	}
	trial, err := os.MkdirTemp(there, ".macemc-*")
	if err == nil {
		err = os.Remove(trial)
	}
	if err != nil {
		var why *fs.PathError
		if errors.As(err, &why) {
			err = why.Err
		}
		return fmt.Errorf("--%s is %s, but nothing can be written into %s: %w; name another folder", flag, name, there, err)
	}
	return nil
}

// isThere reports whether a file of this name exists, even if it is a link that leads nowhere.
func isThere(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// write writes the files for which the flags ask.
func (o *outputs) write(t *tool, r *search.Result, all []*account.Account) error {
	root := moduleBelow(t.env("GITHUB_WORKSPACE"))
	var failed []error
	for _, f := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{o.junit, func(w io.Writer) error { return report.JUnit(w, r, o.began, all...) }},
		{o.charts, func(w io.Writer) error { return chartForms[filepath.Ext(o.charts)](w, r.Charts) }},
		{o.sarif, func(w io.Writer) error { return report.SARIF(w, r, version(), root, all...) }},
	} {
		if f.file != "" {
			failed = append(failed, replaceFile(f.file, f.write))
		}
	}
	if o.github {
		failed = append(failed, report.GitHub(t.stderr, r, root, all...), summarize(t.env("GITHUB_STEP_SUMMARY"), all))
	}
	return errors.Join(failed...)
}

// summarize adds the reports of findings to the file summary, whose Markdown GitHub shows as the summary of
// a job.
func summarize(summary string, all []*account.Account) error {
	if summary == "" {
		return nil
	}
	file, err := os.OpenFile(summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	for _, a := range all {
		if a.Place.Report == "" || err != nil {
			continue
		}
		var text []byte
		if text, err = os.ReadFile(a.Place.Report); err == nil {
			_, err = file.Write(append(text, '\n'))
		}
	}
	if file != nil {
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return fmt.Errorf("the summary of the job cannot be written: %w", err)
	}
	return nil
}

// isDevice reports whether a name belongs to a pipe or a device, such as /dev/stdout. Such a file is written
// to, and must not be replaced.
func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular()
}

// writeDevice opens the pipe or the device with this name, calls write to write to it, and closes
// it.
func writeDevice(name string, write func(io.Writer) error) error {
	device, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		err = errors.Join(write(device), device.Close())
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}

// replaceFile writes a file in such a way that a reader sees either the old contents or the new ones. A pipe
// or a device is not replaced, but written to.
func replaceFile(name string, write func(io.Writer) error) error {
	if isDevice(name) {
		return writeDevice(name, write)
	}
	return replaceWith(name, 0o644, write)
}

// replaceWith does the same as replaceFile, and gives the file this mode. The file must not be a pipe or a
// device.
func replaceWith(name string, mode os.FileMode, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err == nil {
		if err = errors.Join(write(file), file.Chmod(mode), file.Close()); err == nil {
			err = os.Rename(file.Name(), name)
		}
		if err != nil {
			os.Remove(file.Name())
		}
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}

// moduleBelow returns the folder of the current module relative to the root of the repository, or "" if the
// root is not known. Annotations and SARIF name files relative to that root.
func moduleBelow(repository string) string {
	here, err := os.Getwd()
	if repository == "" || err != nil {
		return ""
	}
	for folder := here; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if exists(filepath.Join(folder, "go.mod")) {
			below, err := filepath.Rel(repository, folder)
			if err != nil || below == "." || strings.HasPrefix(below, "..") {
				return ""
			}
			return filepath.ToSlash(below)
		}
	}
	return ""
}

// env returns the value of an environment variable.
func (t *tool) env(name string) string {
	if t.getenv != nil {
		return t.getenv(name)
	}
	return os.Getenv(name)
}
