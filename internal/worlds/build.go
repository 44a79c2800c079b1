package worlds

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"macemc/internal/bubble"
	"macemc/internal/overlay"
)

// A binary is a test that was built with the overlay.
type binary struct {
	file    string
	overlay overlay.Overlay
}

// built is the binary of this test, which is built once in a process.
var built = sync.OnceValues(build)

// build builds the test of the folder in which it runs, as go test does.
func build() (binary, error) {
	dir, err := overlay.Cache()
	if err != nil {
		return binary{}, err
	}
	o, err := overlay.Write(dir)
	if err != nil {
		return binary{}, err
	}
	here, err := os.Getwd()
	if err != nil {
		return binary{}, err
	}
	if bubble.Overlaid() {
		file, err := os.Executable()
		return binary{file, o}, err
	}
	tags, race := settings()
	if race {
		return binary{}, fmt.Errorf("the race detector schedules by itself: run the test without -race to search it")
	}
	h := fnv.New64a()
	fmt.Fprint(h, here, tags, o.Hash)
	file := filepath.Join(dir, "tests", fmt.Sprintf("%x.test", h.Sum64()))
	args := append([]string{"test", "-c", "-vet=off", "-o", file}, o.Flags(tags...)...)
	out, err := o.Command(append(args, ".")...).CombinedOutput()
	if err != nil {
		return binary{}, fmt.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return binary{file, o}, nil
}

// settings returns the tags that this test was built with, and whether it is by -race.
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
