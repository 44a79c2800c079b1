package report

import (
	"fmt"
	"io"
	"strings"

	"macemc/internal/account"
	"macemc/internal/numerals"
	"macemc/internal/search"
)

// GitHub writes each finding as an annotation of GitHub's workflows, which is a line of the
// log that marks a line of the source. root is the folder of the module within the
// repository; "" means that they are the same. A search that ended before it reached its
// bounds gets a warning.
func GitHub(w io.Writer, r *search.Result, root string, all ...*account.Account) error {
	if r.Cut != "" || len(r.Undecided) > 0 {
		s := about(r)
		found := "nothing found"
		if n := len(r.Findings); n > 0 {
			found = numerals.Many(n, "finding")
		}
		if _, err := fmt.Fprintf(w, "::warning title=%s::%s\n", commandProperty("macemc: "+s.Name()),
			commandText(found+" "+within(r.Cut)+suspects(r)+"; stopped: "+stopped(r))); err != nil {
			return err
		}
	}
	for _, s := range subjects(r, all) {
		command := "::error "
		if at := s.At(); at.Line > 0 {
			command += fmt.Sprintf("file=%s,line=%d,", commandProperty(below(root, at.File)), at.Line)
		}
		command += "title=" + commandProperty("macemc: "+s.Name()) + "::" + commandText(strings.Join(s.brief(), "\n"))
		if _, err := io.WriteString(w, command+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// below returns the path of a file in a folder, with slashes.
func below(root, file string) string {
	if root == "" || strings.HasPrefix(file, "/") {
		return file
	}
	return strings.TrimSuffix(root, "/") + "/" + file
}

// brief describes the finding in a few lines, of which the last has the command that
// replays it.
func (s subject) brief() []string {
	lines := []string{s.gist()}
	if m := s.Finding.Message; m != "" {
		lines = append(lines, shortened(m))
	}
	if s.Finding.Critical != nil && (s.Dead() || s.Hot()) {
		lines = append(lines, "critical: "+s.critical())
	}
	if s.Place.Replay != "" {
		lines = append(lines, "replay: "+s.Place.Replay)
	}
	for i := range lines {
		lines[i] = cutTo(textMost, Plain(lines[i]))
	}
	return lines
}

var (
	commandTexts      = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperties = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// commandText and commandProperty escape a text as GitHub's runner expects it: a line break
// would begin another command, and a comma another property.
func commandText(text string) string     { return commandTexts.Replace(Plain(text)) }
func commandProperty(text string) string { return commandProperties.Replace(Plain(text)) }
