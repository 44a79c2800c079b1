package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/term"

	"macemc/internal/lines"
	"macemc/internal/wording"
)

// A command may be given a package: macemc search ./lock. Then a program is built from the
// systems that the package exports, in its module, and gets the command line. The generated
// file is in an overlay, so no file is left behind.

// calledAs is the environment variable by which macemc passes a calling to a program that it has
// built for a package.
const calledAs = "MACEMC_CALLED_AS"

// calling is the way in which the user started this program: the name of macemc as it was typed, and, if the
// program was built for a package, the package as it was typed, and the flags and the folder with which it
// can be built again.
type calling struct {
	Name, Of string
	Overlay  string
	Flags    []string // flags of the go command
	Dir      string   // where the go command runs; "" means the current folder
}

// takesPackages lists the commands that accept a package before their own arguments.
var takesPackages = []string{"list", "search", "resume", "replay", "graph", "mdb", "critical", "shrink", "live", "merge"}

// isPackage reports whether a word names a package, and not the file of a finding. A package is a folder with
// Go files, or an import path that begins with the name of a host. A local name at which there is nothing counts
// as a package too, unless it ends in .path.
func isPackage(word string) bool {
	if isLocal(word) {
		files, _ := filepath.Glob(filepath.Join(word, "*.go"))
		return len(files) > 0 || !exists(word) && !strings.HasSuffix(word, ".path")
	}
	host, _, ok := strings.Cut(word, "/")
	return ok && strings.Contains(host, ".") && !exists(word)
}

// isLocal reports whether a word has the form by which the go command recognizes a local package, as ./lock
// has.
func isLocal(word string) bool {
	return word == "." || word == ".." || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || filepath.IsAbs(word)
}

// ofPackage removes the package from a command line. pkg is "" if the command line names none.
func ofPackage(args []string) (pkg string, rest []string) {
	if len(args) < 2 {
		return "", args
	}
	for _, name := range takesPackages {
		if args[0] == name && isPackage(args[1]) {
			return args[1], append([]string{name}, args[2:]...)
		}
	}
	return "", args
}

// byPackage builds the program of a package, runs it with these arguments, and returns its exit status.
func (t *tool) byPackage(pkg string, args []string) (status int, err error) {
	folder, err := os.MkdirTemp("", "macemc-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	b := &builder{folder: folder, stderr: t.stderr}
	program, err := b.build(pkg)
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal(calling{Name: t.Name, Of: pkg, Overlay: b.overlaid(), Flags: b.flags, Dir: b.dir})
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), calledAs+"="+string(text))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, fileOf(t.stdout), fileOf(t.stderr)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer passOn(cmd.Process)()
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	if status = cmd.ProcessState.ExitCode(); status < 0 {
		return exitStopped, fmt.Errorf("%s was ended: %s", pkg, cmd.ProcessState)
	}
	return status, nil
}

// fileOf returns the file to which w writes, or nil if w is no file.
func fileOf(w io.Writer) *os.File {
	if p, is := w.(*printer); is {
		w = p.to
	}
	file, _ := w.(*os.File)
	return file
}

// passOn forwards to process p the signals that ask this process to end, until end is called. It leaves out
// those of the keyboard, which p gets itself.
func passOn(p *os.Process) (end func()) {
	signals, done := make(chan os.Signal, 4), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	keyboard := term.IsTerminal(int(os.Stdin.Fd()))
	go func() {
		for {
			select {
			case s := <-signals:
				if s != os.Interrupt || !keyboard {
					_ = p.Signal(s)
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// builder builds the programs of packages by the go command.
type builder struct {
	folder string // for temporary files
	stderr io.Writer
	flags  []string // flags of the go command
	link   []string // flags of go build that leave out the debug information, unless GOFLAGS has flags for the linker
	dir    string   // where the go command runs: the folder of the package, whose module may be another one; "" means the current folder
}

// listed is the output of go list for a package.
type listed struct {
	ImportPath, Dir, Name, Export string
	Standard                      bool
	DepOnly                       bool
	Module                        *struct{ GoMod, Path string }
}

// generated is the name of the folder of the main package that macemc writes for a program. The folder is
// below the user's package, so that main may import internal packages. It is not on disk: only the overlay,
// a file that the go command reads, says that it exists.
const generated = "macemc_program"

func (b *builder) build(pkg string) (program string, err error) {
	name := pkg
	if at, err := os.Stat(pkg); err == nil && at.IsDir() {
		if b.dir, err = filepath.Abs(pkg); err != nil {
			return "", err
		}
		name = "."
	} else if isLocal(pkg) && !strings.Contains(pkg, "...") {
		return "", fmt.Errorf("there is no folder %s; name the folder of a package, a path file or the folder of a finding", pkg)
	}
	if err := b.modules(); err != nil {
		return "", err
	}
	out, err := b.run("list", "-export", "-deps", "-json=ImportPath,Dir,Name,Export,Standard,DepOnly,Module", name)
	if err != nil {
		return "", err
	}
	exports := map[string]string{}
	var of *listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var one listed
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", err
		}
		exports[one.ImportPath] = one.Export
		if one.DepOnly {
			continue
		}
		if of != nil {
			return "", fmt.Errorf("%s are several packages; name one", pkg)
		}
		of = &one
	}
	switch {
	case of == nil:
		return "", fmt.Errorf("go list finds no package %s; name a folder such as ./lock, or the path of a package of this module", pkg)
	case of.Name == "main":
		return "", fmt.Errorf("%s is a program, which no other one can import; if it calls command.Main, go run %[1]s is this command with its systems", pkg)
	}
	names, err := systemsOf(of.ImportPath, exports)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", fmt.Errorf("%s exports no system: a variable with a name in upper case that is a *sim.System", pkg)
	}
	if err := b.overlay(of, names); err != nil {
		return "", err
	}
	program = filepath.Join(b.folder, "program")
	kept := keptProgram(of)
	if kept != "" {
		_ = copyFile(program, kept) // if it is up to date, it is not linked again
	}
	if _, err = b.run("build", append(b.link, "-overlay", b.overlaid(), "-o", program, of.ImportPath+"/"+generated)...); err == nil && kept != "" {
		_ = copyFile(kept, program)
	}
	return program, err
}

// keptProgram returns the file in which the program of a package is kept for later commands, or "" if it is
// not kept.
func keptProgram(of *listed) string {
	key := sha256.Sum256(fmt.Appendf(nil, "%q %q", of.ImportPath, of.Dir))
	folder, err := lines.Kept("program", key[:])
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "program")
}

// copyFile copies a file. A process that reads the target meanwhile sees either the old or the new contents.
func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return replaceWith(to, 0o700, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// overlaid returns the name of the overlay file, which maps the generated main package to its place on disk.
func (b *builder) overlaid() string { return filepath.Join(b.folder, "overlay.json") }

// modules copies go.mod and go.sum. The go command adds to the copies the modules that the program needs and
// the user's module does not. In a workspace there is nothing to copy, and without a module it is an error.
// modules also sets b.link.
func (b *builder) modules() error {
	out, err := b.run("env", "GOMOD", "GOWORK", "GOFLAGS")
	if err != nil {
		return err
	}
	mod, rest, _ := strings.Cut(string(out), "\n")
	work, flags, _ := strings.Cut(rest, "\n")
	if !strings.Contains(flags, "-ldflags") {
		b.link = []string{"-ldflags=-s -w"}
	}
	if mod == "" || mod == os.DevNull {
		return fmt.Errorf("there is no go.mod here or above; a package is taken from its module: go into it, or make one by go mod init")
	}
	if work != "" && work != "off" {
		return nil
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(mod), name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(b.folder, name), text, 0o666)
		}
		if err != nil {
			return err
		}
	}
	b.flags = []string{"-mod=mod", "-modfile=" + filepath.Join(b.folder, "go.mod")}
	return nil
}

// run runs the go command and returns its output. If that fails, run prints the errors of the go command
// unchanged.
func (b *builder) run(verb string, args ...string) ([]byte, error) {
	line := []string{verb}
	if verb != "env" {
		line = append(line, b.flags...)
	}
	cmd := exec.Command("go", append(line, args...)...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.dir, &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		_, _ = b.stderr.Write(errs.Bytes())
		return nil, fmt.Errorf("go %s failed; its errors are above", verb)
	}
	if err != nil {
		return nil, fmt.Errorf("the go command, which builds the program of a package, cannot be run: %w", err)
	}
	return out.Bytes(), nil
}

// systemsOf returns the names of the variables of a package that are systems, which it finds in the export
// data of the compiler.
func systemsOf(path string, exports map[string]string) (names []string, err error) {
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file, ok := exports[path]
		if !ok || file == "" {
			return nil, fmt.Errorf("%s was not compiled", path)
		}
		return os.Open(file)
	})
	pkg, err := from.Import(path)
	if err != nil {
		return nil, fmt.Errorf("what %s exports cannot be read: %w", path, err)
	}
	for _, name := range pkg.Scope().Names() {
		v, is := pkg.Scope().Lookup(name).(*types.Var)
		if !is || !v.Exported() {
			continue
		}
		p, is := types.Unalias(v.Type()).(*types.Pointer)
		if !is {
			continue
		}
		n, is := types.Unalias(p.Elem()).(*types.Named)
		if is && n.Obj().Name() == "System" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == module+"/sim" {
			names = append(names, name)
		}
	}
	return names, nil
}

// overlay writes the main package of a program with the systems in the variables names, and the overlay
// file that makes the go command see this package.
func (b *builder) overlay(of *listed, names []string) error {
	var main strings.Builder
	fmt.Fprintf(&main, "package main\n\nimport (\n\t%q\n\n\tof %q\n)\n\nfunc main() {\n\tcommand.Main(", module+"/command", of.ImportPath)
	for i, name := range names {
		if i > 0 {
			main.WriteString(", ")
		}
		main.WriteString("of." + name)
	}
	main.WriteString(")\n}\n")
	file := filepath.Join(b.folder, "main.go")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(of.Dir, generated, "main.go"): file}})
	if err == nil {
		err = os.WriteFile(file, []byte(main.String()), 0o666)
	}
	if err == nil {
		err = os.WriteFile(b.overlaid(), text, 0o666)
	}
	return err
}

// called returns the calling of this program if it was built for a package.
func called() (c calling, ok bool) {
	text := os.Getenv(calledAs)
	if text == "" || json.Unmarshal([]byte(text), &c) != nil {
		return c, false
	}
	return c, true
}

// line returns a command line that a user can type. It consists of the name of this program, the name of a
// command, the package if the program was built for one, and the arguments.
func (c *calling) line(name string, args ...string) string {
	words := []string{c.Name, name}
	if c.Of != "" {
		words = append(words, wording.Typed(c.Of))
	}
	for _, arg := range args {
		words = append(words, wording.Typed(arg))
	}
	return strings.Join(words, " ")
}

// shellWords returns a word as it must be typed in a shell, with a blank after it, or "" for "".
func shellWords(word string) string {
	if word == "" {
		return ""
	}
	return wording.Typed(word) + " "
}

// one returns the only argument, or the name of the only system if there are no arguments. Otherwise it
// returns an error that begins with sentence.
func (p Program) one(args []string, sentence string) (string, error) {
	switch {
	case len(args) == 1:
		return args[0], nil
	case len(args) == 0 && len(p.Systems) == 1:
		return p.Systems[0].Name, nil
	}
	return "", usagef("%s; got %s", sentence, strconv.Itoa(len(args))+" arguments")
}
