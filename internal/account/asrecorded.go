package account

import (
	"os"
	"path/filepath"
	"strings"
)

// AsRecorded returns a sentence for a path that cannot be replayed any more: it names the files beside the
// path that show its run as it was recorded. It returns "" if there are no such files.
func AsRecorded(file string) string {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, PathFile)
	}
	var there []string
	if filepath.Base(file) == PathFile {
		for _, name := range []string{"graph.html", ReportFile} {
			beside := filepath.Join(filepath.Dir(file), name)
			if _, err := os.Stat(beside); err == nil {
				there = append(there, beside)
			}
		}
	}
	switch len(there) {
	case 0:
		return ""
	case 1:
		return there[0] + " shows the run as it was"
	default:
		return strings.Join(there, " and ") + " show the run as it was"
	}
}
