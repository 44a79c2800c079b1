//go:build unix

package command

import (
	"archive/zip"
	"bytes"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"macemc/internal/long"
)

// The service that new begins with is that of examples/lock, which the documents
// show.
func TestScaffold(t *testing.T) {
	for name, from := range map[string]string{"service.go.txt": "lock.go", "service_test.go.txt": "lock_test.go", "check.go.txt": "check/main.go"} {
		if get(t, "scaffold/"+name) != get(t, "../examples/lock/"+from) {
			t.Errorf("command/scaffold/%s is not examples/lock/%s; copy it", name, from)
		}
	}
}

// The module that new makes compiles and passes, and its bug is found.
func TestNew(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	folder := t.TempDir()
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"new", "Counter"}, exitInput, "the name of a service is \"Counter\"; it must be"},
		{[]string{"new", "counter"}, exitNothing, "go run ./check search --bug CO1"},
		{[]string{"new", "counter"}, exitInput, "counter is there already"},
	} {
		out, errs, status := inFolder(t, folder, c.args...)
		if status != c.status || !strings.Contains(out+errs, c.says) {
			t.Fatalf("%s: status %d, %s%s", c.args, status, out, errs)
		}
	}
	made := filepath.Join(folder, "counter")
	main := get(t, filepath.Join(made, "check/main.go"))
	if formatted, err := format.Source([]byte(main)); err != nil || string(formatted) != main || !strings.Contains(main, "// Command check is the command line of macemc, for counter.") {
		t.Errorf("%v: check/main.go is\n%s", err, main)
	}
	if !*long.On {
		return // TestPackage builds a program by default
	}
	tests := exec.Command("go", "test", ".")
	tests.Dir, tests.Env = made, append(os.Environ(), "GOWORK=off")
	if out, err := tests.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// Its folder is a package from above too, though it is a module of its own.
	out, errs, status := inFolder(t, folder, "search", "./counter", "--bug", "CO1", "--quiet", "--no-shrink")
	if status != exitFound || !strings.HasPrefix(out, "counter with CO1: dead") || !strings.Contains(out, "replay: macemc replay ./counter macemc-findings") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	check := exec.Command("go", "run", "./check", "list")
	check.Dir, check.Env = made, append(os.Environ(), "GOWORK=off")
	if out, err := check.CombinedOutput(); err != nil || !strings.Contains(string(out), "counter") {
		t.Errorf("%v: %s", err, out)
	}
}

// A new module that does not know where macemc is says how to name the clone.
func TestWhereModule(t *testing.T) {
	folder := t.TempDir()
	for text, named := range map[string]bool{"module m\n": true, "module m\n\nreplace macemc => ../macemc\n": false} {
		if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if said := whereModule(folder); strings.Contains(said, "go mod edit -replace macemc=THE-CLONE && go mod tidy") != named {
			t.Errorf("of %q it says %q", text, said)
		}
	}
}

func TestVersionTold(t *testing.T) {
	for want, info := range map[string]*debug.BuildInfo{
		"v0.1.0 not known": {Main: debug.Module{Path: module, Version: "v0.1.0"}},
		"not a release abc, modified": {Main: debug.Module{Path: module, Version: "(devel)"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
		}},
		"v0.0.0-20260102030405-0123456789ab 0123456789ab": {Main: debug.Module{Path: "other"}, Deps: []*debug.Module{{Path: module, Version: "v0.0.0-20260102030405-0123456789ab"}}},
	} {
		info.GoVersion = "go1.2"
		var out bytes.Buffer
		if err := versionTold(&out, info); err != nil {
			t.Fatal(err)
		}
		words := regexp.MustCompile(`(?m)^\w+ +`).ReplaceAllString(out.String(), "")
		if got := strings.ReplaceAll(strings.TrimSpace(words), "\n", " "); got != module+" "+want+" go1.2" {
			t.Errorf("told is %q, want %q", got, want)
		}
	}
}

// fetched is an environment in which the module of macemc exists only as the go command fetches it: under
// another path, as a version that a proxy of files serves.
type fetched struct {
	t           *testing.T
	folder, bin string
	env         []string
}

const (
	fetchedPath    = "example.org/you/macemc"
	fetchedVersion = "v0.1.0"
)

func (f *fetched) run(folder string, status int, line ...string) string {
	f.t.Helper()
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env = folder, f.env
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		f.t.Fatalf("%s: %v\n%s", strings.Join(line, " "), err, out)
	}
	return string(out)
}

// serve makes such a proxy: it copies the files of this repository, renames the module, and puts a zip of it
// where the go command looks for modules.
func serve(t *testing.T) *fetched {
	t.Helper()
	f := &fetched{t: t, folder: t.TempDir(), env: append(os.Environ(), "GOWORK=off", "GOFLAGS=")}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	list, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("the files of this module are told by git: %v", err)
	}
	own := filepath.Join(f.folder, "copy")
	var files []string
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue // a link to a folder, or one that was removed
		}
		to := filepath.Join(own, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		put(to, string(text))
		files = append(files, name)
	}
	f.run(own, 0, "git", "init", "-q")
	f.run(own, 0, "git", "add", "-A", "-f")
	f.run(root, 0, "go", "run", "./internal/rename", "-dir", own, fetchedPath)
	f.run(own, 0, "go", "build", "./...")

	at := filepath.Join(f.folder, "proxy", fetchedPath, "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range files {
		if strings.HasPrefix(name, "examples/") { // modules of their own
			continue
		}
		w, err := z.Create(fmt.Sprintf("%s@%s/%s", fetchedPath, fetchedVersion, name))
		if err == nil {
			_, err = w.Write([]byte(get(t, filepath.Join(own, name))))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	put(filepath.Join(at, "list"), fetchedVersion+"\n")
	put(filepath.Join(at, fetchedVersion+".info"), fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, fetchedVersion))
	put(filepath.Join(at, fetchedVersion+".mod"), get(t, filepath.Join(own, "go.mod")))
	put(filepath.Join(at, fetchedVersion+".zip"), packed.String())
	known := strings.TrimSpace(f.run(root, 0, "go", "env", "GOMODCACHE"))
	others := strings.TrimSpace(f.run(root, 0, "go", "env", "GOPROXY"))
	f.bin = filepath.Join(f.folder, "bin")
	f.env = append(f.env, "GOPROXY=file://"+filepath.Join(f.folder, "proxy")+",file://"+known+"/cache/download,"+others,
		"GONOSUMDB=example.org", "GOMODCACHE="+filepath.Join(f.folder, "modules"), "GOFLAGS=-modcacherw", "GOBIN="+f.bin)
	return f
}

// A user who has only Go, and fetches macemc as a version, comes from go install to the finding of the bug in
// the service that new writes, its graph and its test. The steps of docs/service.md work in the same way.
func TestFetched(t *testing.T) {
	if long.Of(0, 1) == 0 {
		t.Skip("it builds all of the module; make fetched does it")
	}
	f := serve(t)
	f.run(f.folder, 0, "go", "install", fetchedPath+"/cmd/macemc@"+fetchedVersion)
	macemc := filepath.Join(f.bin, "macemc")
	if said := f.run(f.folder, 0, macemc, "version"); !strings.Contains(said, "module   "+fetchedPath+"\nversion  "+fetchedVersion+"\n") {
		t.Error(said)
	}
	work := filepath.Join(f.folder, "work")
	if err := os.MkdirAll(filepath.Join(work, "lock", "check"), 0o777); err != nil {
		t.Fatal(err)
	}
	f.run(work, 0, macemc, "new", "counter")
	counter := filepath.Join(work, "counter")
	if mod := get(t, filepath.Join(counter, "go.mod")); strings.Contains(mod, "replace") || !strings.Contains(mod, fetchedPath+" "+fetchedVersion) {
		t.Error(mod)
	}
	f.run(counter, 0, "go", "test", "./...")
	if said := f.run(counter, exitFound, "go", "tool", "macemc", "search", ".", "--bug", "CO1", "--quiet"); !strings.Contains(said, "replay: go tool macemc replay . macemc-findings/counter-CO1-1/error.path\n") {
		t.Error(said)
	}
	const found = "macemc-findings/counter-CO1-1"
	for _, line := range [][]string{{"replay", ".", found}, {"graph", ".", found}, {"mdb", ".", found, "-x", "show"}} {
		f.run(counter, 0, append([]string{"go", "tool", "macemc"}, line...)...)
	}

	lock := filepath.Join(work, "lock")
	for _, name := range []string{"lock.go", "lock_test.go", "check/main.go"} {
		text := strings.ReplaceAll(get(t, filepath.Join(f.folder, "copy/examples/lock", name)), fetchedPath+"/examples/lock", "example.com/lock")
		put(filepath.Join(lock, name), text)
	}
	f.run(lock, 0, "go", "mod", "init", "example.com/lock")
	f.run(lock, 0, "go", "get", fetchedPath+"@"+fetchedVersion)
	f.run(lock, 0, "go", "mod", "tidy")
	f.run(lock, 0, "go", "test", "./...")
	if said := f.run(lock, 0, "go", "run", "./check", "search", "lock", "--quiet"); !strings.HasPrefix(said, "lock: nothing found within these bounds\n") {
		t.Error(said)
	}
	if mod := get(t, filepath.Join(lock, "go.mod")); strings.Contains(mod, "replace") {
		t.Error(mod)
	}
}
