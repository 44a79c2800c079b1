package command

import (
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"macemc/internal/wording"
)

// scaffold has the files of a new service: the service, its test, and the other files of a module.
// A test compares them with examples/lock.
//
//go:embed scaffold
var scaffold embed.FS

// scaffolded lists the files of scaffold with the names that they get in a new service.
var scaffolded = []struct{ from, to string }{
	{"service.go.txt", "lock.go"},
	{"service_test.go.txt", "lock_test.go"},
	{"check.go.txt", "check/main.go"},
	{"README.md.txt", "README.md"},
	{"macemc.yml.txt", ".github/workflows/macemc.yml"},
}

func (t *tool) newCommand() *cobra.Command {
	path := ""
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "begin a service: with a test, a bug to switch on, and a workflow",
		Long: `new makes the folder NAME with a service to begin with: a lock server with its
properties, a bug that can be switched on, tests, a program that is this command
for the service, a workflow for GitHub and a README. It is a module of its own, whose
tests pass. All commands accept the folder in place of a system: macemc search ./NAME.`,
		Example: `
macemc new lock
macemc new lock --module example.com/you/lock`,
		Args: exactly(1, "new takes one NAME, of the service and of its folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			name := filepath.Base(args[0])
			if !goName.MatchString(name) || token.IsKeyword(name) {
				return usagef("the name of a service is %q; it must be a lower case letter, and then such letters and digits, since its package has that name", name)
			}
			if exists(args[0]) {
				return fmt.Errorf("%s is there already; name a folder that does not exist yet", args[0])
			}
			if path == "" {
				path = "example.com/" + name
			}
			if !modulePath.MatchString(path) {
				return usagef("--module is %q; it must be the path of a module, as example.com/you/%s", path, name)
			}
			return t.begin(args[0], name, path)
		},
	}
	cmd.Flags().StringVar(&path, "module", "", "the `path` of its module (default example.com/NAME)")
	return cmd
}

var modulePath = regexp.MustCompile(`^[\w.~-]+(/[\w.~-]+)*$`)

var goName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// begin writes a new service into a folder, as a module with this path, and runs the go command to
// fetch the modules that it needs.
func (t *tool) begin(folder, name, path string) error {
	bug := strings.ToUpper(name[:min(2, len(name))]) + "1"
	if name == "lock" { // as the documents have it
		bug = "LK1"
	}
	renamed := strings.NewReplacer(
		"package lock", "package "+name, "for the lock server", "for "+name, "Package lock is", "Package "+name+" is", module+"/examples/lock", path, "lock.System", name+".System", `"lock"`, fmt.Sprintf("%q", name),
		"# lock", "# "+name, "lock.go", name+".go", "macemc-findings/lock", "macemc-findings/"+name, "LK1", bug, "MODULE", module,
	)
	for _, f := range scaffolded {
		text, err := scaffold.ReadFile("scaffold/" + f.from)
		if err != nil {
			return err
		}
		file := filepath.Join(folder, strings.Replace(f.to, "lock", name, 1))
		written := []byte(renamed.Replace(string(text)))
		if filepath.Ext(file) == ".go" { // another name may come elsewhere among the imports
			if written, err = format.Source(written); err != nil {
				return err
			}
		}
		err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, written, 0o666))
		if err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte(goMod(path)), 0o666); err != nil {
		return err
	}
	if out, err := exec.Command("go", "-C", folder, "mod", "tidy").CombinedOutput(); err != nil {
		_, _ = t.stderr.Write(out)
		return fmt.Errorf("%s is written, but go mod tidy has failed, and its errors are above: %w%s", folder, err, whereModule(folder))
	}
	fmt.Fprintf(t.stdout, `%[1]s is a lock server, to be made yours.

  cd %[1]s
  go test ./...                         searches it
  go run ./check search                 the same, and further
  go run ./check search --bug %[2]s       with the bug that can be switched on
  go run ./check live --time 5s         runs it on real sockets
`, wording.Typed(folder), bug)
	return nil
}

// whereModule returns advice on how a new module finds the module of macemc, or "" if the go.mod in
// the folder has that already.
func whereModule(folder string) string {
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil || strings.Contains(string(text), "\nreplace ") || strings.Contains(strings.Split(module, "/")[0], ".") {
		return ""
	}
	return fmt.Sprintf("; the clone that this command was built from is not where it was, so name it: cd %s && go mod edit -replace %s=THE-CLONE && go mod tidy", wording.Typed(folder), module)
}

// goMod returns the go.mod of a new module. It requires the release to which this program belongs,
// or replaces it by the sources from which this program was built.
func goMod(path string) string {
	version, instead := "v0.0.0", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := versionOfModule(info); v != "" && !strings.Contains(v, "+dirty") {
			version = v
		}
	}
	if _, file, _, ok := runtime.Caller(0); ok {
		if root := filepath.Dir(filepath.Dir(file)); exists(filepath.Join(root, "go.mod")) && !strings.Contains(filepath.Base(root), "@v") {
			version, instead = "v0.0.0", fmt.Sprintf("\nreplace %s => %s\n", module, root)
		}
	}
	goes := strings.TrimPrefix(runtime.Version(), "go")
	goes, _, _ = strings.Cut(goes, "-")
	goes, _, _ = strings.Cut(goes, " ")
	return fmt.Sprintf("module %s\n\ngo %s\n\ntool %s/cmd/macemc\n\nrequire %[3]s %s\n%s", path, goes, module, version, instead)
}
