package worlds

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"macemc/internal/bubble"
	"macemc/internal/overlay"
)

// A Binary is a program that was built with the overlay.
type Binary struct {
	file    string
	overlay overlay.Overlay
}

// built is the binary of this test, which is built once in a process.
var built = sync.OnceValues(build)

// build builds the test of the folder in which it runs, as go test does.
func build() (Binary, error) {
	dir, err := overlay.Cache()
	if err != nil {
		return Binary{}, err
	}
	o, err := overlay.Write(dir)
	if err != nil {
		return Binary{}, err
	}
	here, err := os.Getwd()
	if err != nil {
		return Binary{}, err
	}
	if bubble.Overlaid() {
		file, err := os.Executable()
		return Binary{file, o}, err
	}
	tags, race := settings()
	if race {
		return Binary{}, fmt.Errorf("the race detector schedules by itself: run the test without -race to search it")
	}
	h := fnv.New64a()
	fmt.Fprint(h, here, tags, o.Hash, environment())
	file := filepath.Join(dir, "tests", fmt.Sprintf("%x.test", h.Sum64()))
	args := append([]string{"test", "-c", "-vet=off", "-o", file}, o.Flags(tags...)...)
	out, err := o.Command(append(args, ".")...).CombinedOutput()
	if err != nil {
		return Binary{}, fmt.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return Binary{own(file), o}, nil
}

// environment returns the environment variables with which the go command builds another program from the
// same source.
func environment() (all []string) {
	for _, name := range []string{"GOFLAGS", "GOEXPERIMENT", "CGO_ENABLED", "GOAMD64", "GODEBUG"} {
		all = append(all, os.Getenv(name))
	}
	return all
}

// own returns another name for the program in a file, which only this process uses, since
// another process may build the program again while this one takes worlds. It removes such
// names of processes that have ended.
func own(file string) string {
	all, _ := filepath.Glob(file + "-*")
	for _, name := range all {
		pid, err := strconv.Atoi(name[len(file)+1:])
		if p, _ := os.FindProcess(pid); err == nil && (pid == os.Getpid() || p.Signal(syscall.Signal(0)) != nil) {
			os.Remove(name)
		}
	}
	name := fmt.Sprint(file, "-", os.Getpid())
	if os.Link(file, name) != nil {
		return file
	}
	return name
}

// settings returns the tags with which this test was built, and whether it was built with -race.
func settings() (tags []string, race bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "-tags":
			tags = strings.Split(s.Value, ",")
		case "-race":
			race = s.Value == "true"
		}
	}
	return tags, race
}

// A Source says from what a program is built, so that it can be built again with the overlay.
type Source struct {
	Main    string   // the path of its package main
	Dir     string   // where the go command runs; "" means the current folder
	Overlay string   // the file of an overlay that it needs; "" means none
	Flags   []string // flags of the go command
}

// Build builds the program with the overlay, unless this process is already such a build.
func (src Source) Build() (Binary, error) {
	dir, err := overlay.Cache()
	if err != nil {
		return Binary{}, err
	}
	o, err := overlay.Write(dir)
	if err != nil {
		return Binary{}, err
	}
	if bubble.Overlaid() {
		file, err := os.Executable()
		return Binary{file, o}, err
	}
	tags, _ := settings()
	h := fnv.New64a()
	fmt.Fprint(h, src.Main, src.Dir, tags, o.Hash, environment())
	file := filepath.Join(dir, "programs", fmt.Sprintf("%x", h.Sum64()))
	if src.Overlay != "" {
		if o.JSON, err = o.With(src.Overlay, filepath.Dir(src.Overlay)); err != nil {
			return Binary{}, err
		}
	}
	args := append(append([]string{"build", "-o", file}, o.Flags(tags...)...), src.Flags...)
	cmd := o.Command(append(args, src.Main)...)
	cmd.Dir = src.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return Binary{}, fmt.Errorf("go %s %s: %v\n%s", strings.Join(args, " "), src.Main, err, out)
	}
	return Binary{own(file), o}, nil
}
