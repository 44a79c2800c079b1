package lines

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"macemc/choose"
)

// Program describes how the running program was built, so that a copy of it can be built that counts
// which lines run.
type Program struct {
	Packages []string // the paths of the service's packages, whose lines are counted
	Main     string   // the path of its package main; "" means that the build information has it
	Not      string   // the path of a module; of its packages only those in Packages are counted
	Flags    []string // the flags of the go command that built it
	Dir      string   // the folder in which the go command runs; "" means the current one
	Overlay  string   // the file of an overlay that it was built with; "" means none

	stop func() bool // reports whether to stop building and counting; nil means never

	copied *order // nil if there is no copy yet
	file   string
	failed error
}

const (
	buildMost = 2 * time.Minute
	stepMost  = 10 * time.Second // the longest time without an answer, after which a handler counts as not returning
	askEvery  = 100 * time.Millisecond
	copies    = 12 // the number of copies that are kept, of each kind
)

// Until makes p stop building the copy, or taking a path by it, when stop returns true.
func (p *Program) Until(stop func() bool) {
	if p != nil {
		p.stop = stop
	}
}

// ErrNone reports that no copy of the program that counts lines can be built.
var ErrNone = errors.New("line counting is not available: no instrumented copy of the program can be built here")

// Take returns which lines run in each step of a path, by running a copy of the program.
// The result may be shorter than the path, since a handler may end its process.
func (p *Program) Take(path *choose.Path) (*Ran, error) {
	if p == nil {
		return nil, ErrNone
	}
	if p.Prepare(); p.failed != nil {
		return nil, p.failed
	}
	folder, err := os.MkdirTemp("", "macemc-lines-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	o := *p.copied
	o.Path, o.Answer = filepath.Join(folder, "path"), filepath.Join(folder, "answer")
	var text bytes.Buffer
	if _, err := path.WriteTo(&text); err != nil {
		return nil, err
	}
	if err := errors.Join(os.WriteFile(o.Path, text.Bytes(), 0o600), os.WriteFile(o.Answer, nil, 0o600)); err != nil {
		return nil, err
	}
	said, err := p.ask(&o)
	answer, failed := os.ReadFile(o.Answer)
	if failed != nil {
		return nil, failed
	}
	r, failed := read(answer)
	switch {
	case failed != nil:
		return nil, failed
	case len(r.Steps) == 0:
		return nil, fmt.Errorf("the copy that counts lines did not take the run: %s", cmp.Or(firstLine(said), fmt.Sprint(err)))
	}
	return r, nil
}

// Prepare builds the copy, so that Take need not wait for it.
func (p *Program) Prepare() {
	if p == nil || p.failed != nil || p.copied != nil {
		return
	}
	if p.failed = p.build(); p.failed != nil && p.stopped() {
		p.failed = errors.New("there was no time to build the copy of the program that counts lines")
	}
}

// File builds the copy if need be, and returns its file.
func (p *Program) File() (string, error) {
	if p == nil {
		return "", errors.New("line counting is not available: no instrumented copy of the program can be built here")
	}
	p.Prepare()
	return p.file, p.failed
}

// The names of the files of a copy, in a folder of its own.
const (
	programName = "program"
	aboutName   = "about.json"
)

// copyOf returns the file of this program, if it is a copy that counts lines, and the folders of the
// packages whose lines it counts, by import path. It returns an error if this program is no such copy.
func copyOf() (self string, dirs map[string]string, err error) {
	if self, err = os.Executable(); err != nil {
		return "", nil, err
	}
	if filepath.Base(self) != programName {
		return "", nil, fmt.Errorf("the program %s does not count lines: only the copy that macemc builds does", self)
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(self), aboutName))
	if err != nil {
		return "", nil, err
	}
	return self, dirs, json.Unmarshal(text, &dirs)
}

// ask starts the copy, passes it an order, waits for it to end, and returns what it printed. It kills
// the copy if that takes no step of the path within stepMost, or if p is to stop.
func (p *Program) ask(o *order) (said string, err error) {
	text, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(p.file)
	cmd.Env = append(os.Environ(), asked+"="+string(text), "GOCOVERDIR="+filepath.Dir(o.Path))
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for size, still := int64(-1), time.Duration(0); ; still += askEvery {
		select {
		case err := <-ended:
			return out.String(), err
		case <-time.After(askEvery):
		}
		if info, err := os.Stat(o.Answer); err == nil && info.Size() > size {
			size, still = info.Size(), 0
		}
		if still >= stepMost || p.stopped() {
			_ = cmd.Process.Kill()
			return "", cmp.Or(<-ended, fmt.Errorf("the copy that counts lines took no step for %s", stepMost))
		}
	}
}

func (p *Program) stopped() bool { return p.stop != nil && p.stop() }

// until returns a context that ends after the time most, or when p is to stop.
func (p *Program) until(most time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	go func() {
		tick := time.NewTicker(askEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if p.stopped() {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

// build builds the copy, unless there is one for the same program.
func (p *Program) build() error {
	info, ok := debug.ReadBuildInfo()
	if p.Main != "" && ok {
		info.Path = p.Main
	}
	switch {
	case !ok || info.Path == "" || info.Path == "command-line-arguments":
		return errors.New("the program has no build information that names its package main; build it with go build")
	case strings.HasSuffix(info.Path, ".test"):
		return errors.New("this is the program of a test, of which no copy is built")
	}
	if len(p.Packages) == 0 {
		return errors.New("the packages of the service could not be determined, so their lines cannot be counted")
	}
	if self, dirs, err := copyOf(); err == nil {
		p.file, p.copied = self, &order{Main: info.Path, Dirs: dirs}
		return nil
	}
	go_, err := exec.LookPath("go")
	if err != nil {
		return errors.New("there is no go command in PATH, with which a copy of this program that counts its lines could be built")
	}
	folder, err := p.folder(info)
	if err != nil {
		return err
	}
	p.file = filepath.Join(folder, programName)
	about := filepath.Join(folder, aboutName)
	o := &order{Main: info.Path}
	if text, err := os.ReadFile(about); err == nil && json.Unmarshal(text, &o.Dirs) == nil && !o.newer(p.file) {
		p.copied = o
		return nil
	}
	ctx, cancel := p.until(buildMost)
	defer cancel()
	if o.Dirs, err = p.dirs(ctx, go_, info); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(folder, "building-*")
	if err != nil {
		return err
	}
	temporary.Close()
	defer os.Remove(temporary.Name())
	counted := slices.AppendSeq([]string{info.Path}, maps.Keys(o.Dirs)) // Go counts only if the package main is counted, too
	slices.Sort(counted)
	environment := os.Environ()
	args := []string{"build", "-cover", "-covermode=atomic", "-coverpkg=" + strings.Join(counted, ",")}
	link := "-s -w" // without the tables for debuggers, linking takes two thirds of the time
	for _, s := range info.Settings {
		switch {
		case s.Key == "-tags" && s.Value != "":
			args = append(args, "-tags="+s.Value)
		case s.Key == "-ldflags":
			link += " " + s.Value
		}
	}
	args = append(args, "-ldflags="+link)
	if p.Overlay != "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(p.Overlay)
		if err != nil {
			return err
		}
		args = append(args, "-toolexec='"+self+"'")
		environment = append(environment, asTool+"="+string(text))
	}
	args = append(append(args, p.flags()...), "-o", temporary.Name(), info.Path)
	if _, err := p.goCommand(ctx, environment, go_, args...); err != nil {
		return err
	}
	text, err := json.Marshal(o.Dirs)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Rename(temporary.Name(), p.file), os.WriteFile(about, text, 0o600)); err != nil {
		return err
	}
	p.copied = o
	return nil
}

// dirs returns the folders of the packages whose lines are counted: those of the service, and
// the other packages of its module that the program contains.
func (p *Program) dirs(ctx context.Context, go_ string, info *debug.BuildInfo) (map[string]string, error) {
	args := append([]string{"list", "-deps", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{with .Module}}{{.Path}}{{end}}"}, p.flags()...)
	out, err := p.goCommand(ctx, nil, go_, append(args, info.Path)...)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) == 3 && (slices.Contains(p.Packages, f[0]) || f[2] == info.Main.Path && f[2] != p.Not) {
			all[f[0]] = f[1]
		}
	}
	return all, nil
}

// newer reports whether a source file has changed since the copy was built.
func (o *order) newer(file string) bool {
	built, err := os.Stat(file)
	if err != nil {
		return true
	}
	for _, dir := range o.Dirs {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it stands in an overlay, and what is generated is a part of the program
		}
		if err != nil {
			return true
		}
		for _, e := range entries {
			if info, err := e.Info(); filepath.Ext(e.Name()) == ".go" && (err != nil || info.ModTime().After(built.ModTime())) {
				return true
			}
		}
	}
	return false
}

// flags returns the flags with which the go command builds the copy.
func (p *Program) flags() []string {
	if p.Overlay == "" {
		return p.Flags
	}
	return append([]string{"-overlay=" + p.Overlay}, p.Flags...)
}

func (p *Program) goCommand(ctx context.Context, environment []string, go_ string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, go_, args...)
	cmd.Dir, cmd.Env = p.Dir, environment
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s, for a copy that counts lines: %s", args[0], cmp.Or(firstLine(said.String()), err.Error()))
	}
	return out.String(), nil
}

func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// Self returns the SHA-256 of the file of this program.
func Self() (sum hash.Hash, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(self)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum = sha256.New()
	_, err = io.Copy(sum, file)
	return sum, err
}

// folder returns the folder that keeps the copy of exactly this program.
func (p *Program) folder(info *debug.BuildInfo) (string, error) {
	sum, err := Self()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(sum, "%q %q", info.Path, p.Packages)
	folder, err := Kept("lines", sum.Sum(nil))
	if err != nil {
		return "", fmt.Errorf("there is no folder for a copy of the program that counts lines: %w", err)
	}
	return folder, nil
}

// Kept returns a folder that keeps built programs of a kind, under a key, and that only the user can
// read. The folders of a kind that were used last are kept, and others removed.
func Kept(kind string, key []byte) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "macemc", kind+"-"+hex.EncodeToString(key[:12]))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	now := time.Now()
	_ = os.Chtimes(folder, now, now)
	sweep(kind, folder)
	return folder, nil
}

// sweep removes the folders of a kind that were not used for the longest time, but never the folder not.
func sweep(kind, not string) {
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(not), kind+"-*"))
	age := func(name string) time.Time {
		if info, err := os.Stat(name); err == nil {
			return info.ModTime()
		}
		return time.Time{}
	}
	slices.SortFunc(all, func(a, b string) int { return age(b).Compare(age(a)) })
	for i, name := range all {
		if i >= copies && name != not {
			os.RemoveAll(name)
		}
	}
}
