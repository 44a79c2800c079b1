package overlay

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Tag is the build tag with which package bubble uses what the overlay adds.
const Tag = "macemc_overlay"

// read lists the releases of Go whose sources were read by a person, and on which CI tries the overlay.
var read = []string{"go1.26", "go1.27"}

//go:embed runtime.go.txt
var added string

// An Overlay is an overlay that was written and can be used for builds.
type Overlay struct {
	JSON string // the file for the flag -overlay of the go command
	Go   string // the toolchain, as "go1.26.8"
	Hash string // the hash of everything that the overlay replaces and adds
	root string // another name of the GOROOT to build with, or "" for the caller's own
}

// Command returns the go command with these arguments, for the overlay's toolchain.
func (o Overlay) Command(args ...string) *exec.Cmd {
	if o.root == "" {
		return exec.Command("go", args...)
	}
	cmd := exec.Command(filepath.Join(o.root, "bin", "go"), args...)
	cmd.Env = append(os.Environ(), "GOROOT="+o.root, "GOTOOLCHAIN=local")
	return cmd
}

// Write writes the overlay for the caller's go command, in the cache folder dir, and returns it. It does not
// write an existing overlay again. Tests name hunks to leave out, to check that their absence is noticed.
func Write(dir string, without ...string) (Overlay, error) {
	root, version, modules, err := toolchain()
	if err != nil {
		return Overlay{}, err
	}
	other := ""
	if strings.HasPrefix(root, modules+string(filepath.Separator)) {
		if other, err = link(dir, root, version); err != nil {
			return Overlay{}, err
		}
		root = other
	}
	rest := slices.DeleteFunc(slices.Clone(hunks), func(h hunk) bool { return slices.Contains(without, h.name) })
	o, err := write(dir, root, version, rest)
	o.root = other
	return o, err
}

// link returns another name, a symbolic link, for a toolchain that the go command has downloaded, since
// -overlay refuses files in the module cache.
func link(dir, root, version string) (string, error) {
	name := filepath.Join(dir, "goroot-"+version)
	if to, err := os.Readlink(name); err == nil && to == root {
		return name, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	os.Remove(name)
	if err := os.Symlink(root, name); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s is in the module cache, whose files an overlay cannot replace, and a link to it cannot be made: %w", root, err)
	}
	return name, nil
}

// Cache returns the folder in which overlays are kept.
func Cache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for the overlay: %v; set XDG_CACHE_HOME to a folder that can be written", err)
	}
	return filepath.Join(dir, "macemc"), nil
}

// toolchain asks the go command for its GOROOT, its release and its module cache.
func toolchain() (root, version, modules string, err error) {
	out, err := exec.Command("go", "env", "GOROOT", "GOVERSION", "GOMODCACHE").Output()
	if err != nil {
		return "", "", "", fmt.Errorf("go env GOROOT GOVERSION GOMODCACHE fails: %v; the overlay needs the go command in PATH", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 {
		return "", "", "", fmt.Errorf("go env GOROOT GOVERSION GOMODCACHE prints %q, not three lines", out)
	}
	return strings.TrimSpace(lines[0]), strings.TrimSpace(lines[1]), strings.TrimSpace(lines[2]), nil
}

// write writes the overlay of the hunks.
func write(dir, root, version string, hunks []hunk) (Overlay, error) {
	files, err := patch(root, version, hunks)
	if err != nil {
		return Overlay{}, err
	}
	files["runtime/macemc_tape.go"] = added
	o := Overlay{Go: version, Hash: hash(version, files)}
	folder := filepath.Join(dir, "overlay-"+o.Hash)
	o.JSON = filepath.Join(folder, "overlay.json")
	if _, err := os.Stat(o.JSON); err == nil {
		return o, nil
	}
	return o, errors.Join(os.MkdirAll(folder, 0o755), save(folder, root, files))
}

// release returns the release of a version, such as go1.26 for go1.26.8.
func release(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// patch returns the patched files by their names below GOROOT/src.
func patch(root, version string, hunks []hunk) (map[string]string, error) {
	if !slices.Contains(read, release(version)) {
		return nil, fmt.Errorf("macemc has no overlay for the sources of %s; use %s",
			version, strings.Join(read, " or "))
	}
	files := map[string]string{}
	for _, h := range hunks {
		if h.in != "" && h.in != release(version) {
			continue
		}
		if _, known := files[h.file]; !known {
			text, err := os.ReadFile(filepath.Join(root, "src", h.file))
			if err != nil {
				return nil, fmt.Errorf("the file of hunk %q cannot be read: %v", h.name, err)
			}
			files[h.file] = string(text)
		}
		text := files[h.file]
		if n := strings.Count(text, h.old); n != 1 {
			return nil, fmt.Errorf("hunk %q does not apply to %s of %s (sha256 %.12s): the text that it replaces is there %d times, not once",
				h.name, h.file, version, sum(text), n)
		}
		files[h.file] = strings.Replace(text, h.old, h.new, 1)
	}
	return formatted(files)
}

// formatted parses and formats the files, so that a hunk that does not fit is noticed before the build.
func formatted(files map[string]string) (map[string]string, error) {
	for name, text := range files {
		out, err := format.Source([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%s is not valid Go after its hunks were applied: %v", name, err)
		}
		files[name] = string(out)
	}
	return files, nil
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func hash(version string, files map[string]string) string {
	all := version
	for _, name := range sorted(files) {
		all += "\n" + name + " " + sum(files[name])
	}
	return sum(all)[:16]
}

func sorted(files map[string]string) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// save writes the files below folder, and the JSON file last: if it exists, all files do.
func save(folder, root string, files map[string]string) error {
	replace := map[string]string{}
	for name, text := range files {
		to := filepath.Join(folder, strings.ReplaceAll(name, "/", "_"))
		if err := place(to, []byte(text)); err != nil {
			return err
		}
		replace[filepath.Join(root, "src", filepath.FromSlash(name))] = to
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	return place(filepath.Join(folder, "overlay.json"), text)
}

// place writes a file so that it exists as a whole or not at all, since other processes may
// write the same file.
func place(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Flags returns the flags with which go build and go test use the overlay. The build also has the given tags.
func (o Overlay) Flags(tags ...string) []string {
	return []string{"-overlay=" + o.JSON, "-tags=" + strings.Join(append(tags, Tag), ",")}
}

// With writes an overlay that combines this one with the overlay in the file other into a
// folder, and returns the new file.
func (o Overlay) With(other, folder string) (string, error) {
	all := map[string]string{}
	for _, file := range []string{o.JSON, other} {
		var one struct{ Replace map[string]string }
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &one)
		}
		if err != nil {
			return "", fmt.Errorf("the overlay %s cannot be read: %w", file, err)
		}
		maps.Copy(all, one.Replace)
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": all}, "", "\t")
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "macemc-overlay.json")
	return file, place(file, text)
}
