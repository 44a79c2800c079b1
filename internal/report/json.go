package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"strings"
	"unicode/utf16"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/search"
	"macemc/sim"
	"macemc/trace"
)

// version is that of every JSON object written here. It grows when a member
// changes its meaning or goes, not when one is added.
const version = 1

// The members of a search. Unknown members, and those without a value, are null or empty.
type resultJSON struct {
	Version   int            `json:"version"`
	System    string         `json:"system"`
	Bugs      []string       `json:"bugs"`
	Params    map[string]any `json:"params"`
	Faults    string         `json:"faults"`
	Crashes   string         `json:"crashes"` // explicit, within or implicit
	Byzantine []string       `json:"byzantine,omitempty"`
	Timers    string         `json:"timers"` // free, or what they keep to
	Disk      string         `json:"disk"`   // which unsynced writes a crash leaves: prefix, or reorder
	Verdict   string         `json:"verdict"`
	Property  *string        `json:"property"`
	Message   *string        `json:"message"`
	Safety    safetyJSON     `json:"safety"`
	Liveness  livenessJSON   `json:"liveness"`
	Stop      string         `json:"stop"`
	Cut       *string        `json:"cut"` // null if the search came to its bound, or to the wanted number of findings
	Path      *string        `json:"path"`
	Report    *string        `json:"report"`
	Steps     *int           `json:"steps"`
	Choices   *int           `json:"choices"`
	Critical  *criticalJSON  `json:"critical"`
	Avoided   *avoidedJSON   `json:"avoided"`
	Deviates  *deviatesJSON  `json:"deviates,omitempty"`
	Findings  []findingJSON  `json:"findings"`            // the first one's members stand above, too
	Undecided []suspectJSON  `json:"undecided,omitempty"` // runs that may be dead
	LeftOut   []suspectJSON  `json:"left_out,omitempty"`  // runs to states that ended the processes which visited them
	Alike     int            `json:"alike"`
	Ignore    []string       `json:"ignore,omitempty"`  // the findings to leave out
	Ignored   *int           `json:"ignored,omitempty"` // runs that ended so
	Prefix    *prefixJSON    `json:"prefix"`            // that the search begins with; null: none
	Prefixes  []prefixJSON   `json:"prefixes"`          // that were asked for
	Stats     statsJSON      `json:"stats"`
	Measured  measuredJSON   `json:"measured"`
	Never     []string       `json:"never"` // null: not known
	Lines     *linesJSON     `json:"lines,omitempty"`
	Held      []heldJSON     `json:"first_held"`
	Overflow  int            `json:"udp_overflow,omitempty"`
	Repeated  *repeatedJSON  `json:"repeated,omitempty"`
	Space     *spaceJSON     `json:"space"`
	Replay    *string        `json:"replay"`
}

type prefixJSON struct {
	File  string   `json:"file"`
	Steps int      `json:"steps"`
	Bugs  []string `json:"bugs"`
}

type suspectJSON struct {
	File  string `json:"file"`
	Steps int    `json:"steps"`
}

type findingJSON struct {
	Verdict  string        `json:"verdict"`
	Property *string       `json:"property"`
	Message  *string       `json:"message"`
	Path     *string       `json:"path"`
	Report   *string       `json:"report"`
	Steps    int           `json:"steps"`
	Choices  int           `json:"choices"`
	Critical *criticalJSON `json:"critical"`
	Avoided  *avoidedJSON  `json:"avoided"`
	Deviates *deviatesJSON `json:"deviates,omitempty"`
	Replay   *string       `json:"replay"`
	Walk     string        `json:"walk,omitempty"`
	EndedAt  int           `json:"explaining_ended_after,omitempty"` // steps and states
}

type deviatesJSON struct {
	Step      int         `json:"step"`
	Event     string      `json:"event"`
	Without   []sim.BugID `json:"without,omitempty"`
	Kept      int         `json:"walks_kept,omitempty"`
	Broke     int         `json:"walks_broke,omitempty"`
	Did       int         `json:"broke_did,omitempty"`
	WalkSteps int         `json:"walk_steps,omitempty"`
	Harmless  bool        `json:"harmless,omitempty"`
}

type safetyJSON struct {
	Status string `json:"status"`
	Depth  int    `json:"depth"`
	Faults int    `json:"faults,omitempty"`
}

type livenessJSON struct {
	Status    string `json:"status"`
	Walks     int    `json:"walks"`
	WalkSteps int    `json:"walk_steps"`
	WalkLeast int    `json:"walk_least,omitempty"`
}

type criticalJSON struct {
	Step      int      `json:"step"`
	Event     string   `json:"event"`
	Exact     bool     `json:"exact"`
	Walks     *int     `json:"walks"`
	WalkSteps *int     `json:"walk_steps"`
	Escape95  *float64 `json:"escape_upper_95"`
	LivePath  *string  `json:"live_path"`
}

type avoidedJSON struct {
	Step      int      `json:"step"`
	Event     string   `json:"event"`
	Walks     int      `json:"walks"`
	WalkSteps int      `json:"walk_steps"`
	Before    int      `json:"before"`
	After     *int     `json:"after"`
	Chance    *float64 `json:"chance"`
	Clear     bool     `json:"clear"`
	LivePath  *string  `json:"live_path"`
}

type statsJSON struct {
	Engine      string         `json:"engine"`
	Uncopied    string         `json:"uncopied,omitempty"`
	Cloned      bool           `json:"cloned,omitempty"`
	Paths       int            `json:"paths"`
	Steps       int            `json:"steps"`
	Judging     int            `json:"judging,omitempty"`
	Transitions int            `json:"transitions"`
	Executed    int            `json:"executed"`
	States      int            `json:"states"`
	Duplicates  int            `json:"duplicates"`
	Walks       int            `json:"walks"`
	Manners     map[string]int `json:"manners,omitempty"`
	Healed      int            `json:"healed,omitempty"`
	Ended       int            `json:"ended,omitempty"`
	Restarted   int            `json:"restarted,omitempty"`
	Kept        int            `json:"kept,omitempty"`
	Depth       int            `json:"depth"`
	Periphery   peripheryJSON  `json:"periphery"`
	Suspects    int            `json:"suspects"`
	HandlerRuns *int           `json:"handler_runs"`
	Unlooked    []string       `json:"not_looked_up,omitempty"`
	Unpacked    string         `json:"not_packed,omitempty"`
	Reduction   *reductionJSON `json:"reduction,omitempty"`
	Unreduced   string         `json:"not_reduced,omitempty"`
	Traces      int            `json:"traces,omitempty"`
	Asleep      int            `json:"asleep,omitempty"`
	Symmetry    *symmetryJSON  `json:"symmetry,omitempty"`
	Asymmetric  string         `json:"not_symmetric,omitempty"`
	Spilled     int            `json:"states_on_disk,omitempty"`
	SpilledTo   int64          `json:"bytes_on_disk,omitempty"`
	Collision   *float64       `json:"collision_probability"`
}

type symmetryJSON struct {
	Nodes    string `json:"nodes"`
	Compared int    `json:"compared"`
}

type reductionJSON struct {
	Whole    int `json:"whole"`
	Parted   int `json:"parted"`
	Voided   int `json:"voided"`
	Cycles   int `json:"cycles"`
	Commuted int `json:"commuted"`
}

type repeatedJSON struct {
	Steps  int     `json:"steps"`
	Times  int     `json:"times"`
	Escape float64 `json:"escape"`
}

func repeatedOf(d search.Repeated) *repeatedJSON {
	if d.Steps == 0 || d.Times == 0 {
		return nil
	}
	return &repeatedJSON{d.Steps, d.Times, d.Escape()}
}

type peripheryJSON struct {
	States int `json:"states"`
	Walked int `json:"walked"`
	Steps  int `json:"steps"`
}

type measuredJSON struct {
	Seconds    float64  `json:"seconds"`
	StatesRate float64  `json:"states_per_second"`
	Memory     uint64   `json:"memory_bytes"`
	CPUSeconds *float64 `json:"cpu_seconds"`
	Slower     string   `json:"slower,omitempty"` // why it was slower than it could be
}

// ResultJSON writes what a search came to, as one JSON object.
func ResultJSON(w io.Writer, r *search.Result, all ...*account.Account) error {
	out := resultJSON{
		Version: version, System: r.System.Name, Bugs: bugs(r.Params), Params: params(r.System, r.Params),
		Faults: r.Options.Stated(r.System).String(), Crashes: r.Options.Crashes.String(), Byzantine: byzantine(r.System, r.Params),
		Timers:   cmp.Or(keeps(r.System, r.Params, r.Options.FreeTimers), "free"),
		Disk:     map[bool]string{false: "prefix", true: "reorder"}[r.Options.DiskReorder],
		Verdict:  r.Verdict().String(),
		Safety:   safetyJSON{string(r.Safety.State), r.Safety.Depth, r.Safety.Faults},
		Liveness: livenessJSON{string(r.Liveness.State), r.Liveness.Walks, r.Liveness.WalkSteps, r.Options.WalkLeast},
		Stop:     string(r.Stop), Cut: orNull(string(r.Cut)),
		Prefixes: []prefixJSON{},
		Findings: []findingJSON{}, Alike: r.Alike,
		Stats:    stats(r.Stats),
		Measured: measured(r),
		Never:    r.Never, Lines: linesOf(r.Lines), Held: heldOf(r.Held), Overflow: r.Overflow, Repeated: repeatedOf(r.Repeated), Space: spaceOf(r.Space),
	}
	for _, one := range r.Undecided {
		out.Undecided = append(out.Undecided, suspectJSON{one.File, len(one.Steps)})
	}
	for _, one := range r.LeftAt {
		out.LeftOut = append(out.LeftOut, suspectJSON{one.File, len(one.Steps)})
	}
	for _, i := range r.Options.Ignore {
		out.Ignore, out.Ignored = append(out.Ignore, i.String()), &r.Ignored
	}
	if path := r.Options.Prefix; path != nil {
		one := prefixOf(r.Options.PrefixName, path)
		out.Prefix = &one
	}
	for _, one := range r.Prefixes {
		out.Prefixes = append(out.Prefixes, prefixOf(one.File, one.Path))
	}
	for _, s := range subjects(r, all) {
		out.Findings = append(out.Findings, findingOf(s))
	}
	if len(out.Findings) > 0 {
		f := &out.Findings[0]
		out.Property, out.Message, out.Critical, out.Avoided, out.Deviates = f.Property, f.Message, f.Critical, f.Avoided, f.Deviates
		out.Path, out.Report, out.Replay = f.Path, f.Report, f.Replay
		out.Steps, out.Choices = &f.Steps, &f.Choices
	}
	return write(w, out)
}

func findingOf(s subject) findingJSON {
	f, path, place := s.Finding, s.Path(), s.Place
	return findingJSON{
		Verdict: f.Verdict.String(), Property: orNull(f.Property), Message: &f.Message,
		Path: orNull(place.Path), Report: orNull(place.Report), Replay: orNull(place.Replay),
		Steps: len(path.Steps), Choices: path.Choices(), Critical: criticalOf(s), Avoided: avoidedOf(s), Deviates: (*deviatesJSON)(f.Deviates),
		Walk: f.Manner, EndedAt: f.EndedAt,
	}
}

func prefixOf(file string, path *choose.Path) prefixJSON {
	return prefixJSON{File: file, Steps: len(path.Steps), Bugs: append([]string{}, path.All("bug")...)}
}

// orNull returns null for an empty text.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// bugs returns the known bugs that were switched on.
func bugs(p sim.Params) []string {
	out := []string{}
	for _, b := range p.Bugs() {
		out = append(out, string(b))
	}
	return out
}

// params returns all parameters in force, with the number of nodes.
func params(sys *sim.System, p sim.Params) map[string]any {
	out := map[string]any{"nodes": p.Nodes}
	for _, q := range sys.Params {
		if len(q.Words) > 0 {
			out[q.Name] = p.Word(q)
		} else {
			out[q.Name] = p.Int(q)
		}
	}
	return out
}

func criticalOf(s subject) *criticalJSON {
	f := s.Finding
	if f.Critical == nil {
		return nil
	}
	out := &criticalJSON{Step: f.Critical.Step, Event: f.Critical.Event, Exact: f.Critical.Exact, LivePath: orNull(s.Place.Live)}
	if e := f.Evidence; e != nil {
		out.Walks, out.WalkSteps, out.Escape95 = &e.Walks, &e.WalkSteps, &e.Escape95
	}
	return out
}

func avoidedOf(s subject) *avoidedJSON {
	a := s.Finding.Avoided
	if a == nil {
		return nil
	}
	out := &avoidedJSON{Step: a.Step, Event: a.Event, Walks: a.Walks, WalkSteps: a.WalkSteps, Before: a.Before, Clear: a.Clear, LivePath: orNull(s.Place.Live)}
	if a.Step > 0 {
		out.After, out.Chance = &a.After, &a.Chance
	}
	return out
}

func stats(s search.Stats) statsJSON {
	out := statsJSON{
		Engine: s.Engine, Uncopied: s.Uncopied, Cloned: s.Cloned, Paths: s.Paths, Steps: s.Steps, Judging: s.Judging + s.Settled, Transitions: s.Transitions, Executed: s.Executed,
		States: s.States, Duplicates: s.Duplicates, Walks: s.Walks, Healed: s.Healed, Ended: s.Ended, Restarted: s.Restarted, Kept: s.Kept, Depth: s.Depth,
		Periphery: peripheryJSON(s.Periphery), Suspects: s.Suspects,
	}
	out.Unpacked, out.Unreduced, out.Asymmetric = s.Unpacked, s.Unreduced, s.Asymmetric
	if s.Symmetric != "" {
		out.Symmetry = &symmetryJSON{s.Symmetric, s.Renamed}
	}
	out.Spilled, out.SpilledTo = s.Spilled, s.SpilledTo
	out.Traces, out.Asleep = s.Traces, s.Asleep
	if s.Reduced && s.Traces+s.Asleep == 0 {
		out.Reduction = &reductionJSON{s.Whole, s.Parted, s.Voided, s.Cycles, s.Commuted}
	}
	if s.Manners != (search.Manners{}) {
		out.Manners = maps.Collect(s.Manners.All())
	}
	if s.Engine == string(search.EngineMemo) {
		out.HandlerRuns, out.Unlooked = &s.HandlerRuns, dearNodes(s.Dear)
	}
	if s.Engine != string(search.EngineReference) {
		out.Collision = &s.Collision
	}
	return out
}

func measured(r *search.Result) measuredJSON {
	m := measuredJSON{Seconds: r.Measured.Elapsed.Seconds(), Memory: r.Measured.Memory, Slower: slower(r)}
	if cpu := r.Measured.CPU.Seconds(); cpu > 0 {
		m.CPUSeconds = &cpu
	}
	if searched := (r.Measured.Elapsed - r.Measured.Looked).Seconds(); searched > 0 {
		m.StatesRate = math.Round(float64(r.Stats.States) / searched)
	}
	return m
}

type replayedJSON struct {
	Version    int        `json:"version"`
	System     string     `json:"system"`
	Recorded   string     `json:"recorded"`
	Reproduced bool       `json:"reproduced"`
	Verdict    string     `json:"verdict"`
	Property   *string    `json:"property"`
	Message    *string    `json:"message"`
	Steps      int        `json:"steps"`
	Run        []stepJSON `json:"run"`
}

// ReplayedJSON writes what came of taking a recorded path again, as one JSON
// object, with all steps.
func ReplayedJSON(w io.Writer, path *choose.Path, r *search.Replayed) error {
	f := r.Finding
	out := replayedJSON{
		Version: version, System: r.System.Name, Recorded: r.Recorded.String(), Reproduced: r.Reproduced,
		Verdict: f.Verdict.String(), Property: orNull(f.Property), Steps: f.Step,
		Run: runOf(replayed(path, r)),
	}
	if f.Verdict != trace.VerdictNone {
		out.Message = &f.Message
	}
	return write(w, out)
}

type systemsJSON struct {
	Version int          `json:"version"`
	Systems []systemJSON `json:"systems"`
}

type systemJSON struct {
	Name       string         `json:"name"`
	Doc        string         `json:"doc"`
	Nodes      rangeJSON      `json:"nodes"`
	Params     []paramJSON    `json:"params"`
	Properties []propertyJSON `json:"properties"`
	Bugs       []bugJSON      `json:"bugs"`
}

type rangeJSON struct {
	Default int `json:"default"`
	Least   int `json:"least"`
	Most    int `json:"most"`
}

type paramJSON struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Default any      `json:"default"`
	Least   *int     `json:"least"` // null for words
	Most    *int     `json:"most"`
	Words   []string `json:"words"` // empty for numbers
}

type propertyJSON struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type bugJSON struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Story string `json:"story"`
}

// SystemsJSON writes a list of systems, as one JSON object.
func SystemsJSON(w io.Writer, systems []*sim.System) error {
	out := systemsJSON{Version: version, Systems: []systemJSON{}}
	for _, sys := range systems {
		r := sys.NodeRange(sim.Params{})
		one := systemJSON{
			Name: sys.Name, Doc: sys.Doc, Nodes: rangeJSON{r.Default, r.Least, r.Most},
			Params: []paramJSON{}, Properties: []propertyJSON{}, Bugs: []bugJSON{},
		}
		for _, q := range sys.Params {
			one.Params = append(one.Params, param(q))
		}
		for _, p := range sys.Properties {
			one.Properties = append(one.Properties, propertyJSON{p.Name, p.Kind()})
		}
		for _, b := range sys.Bugs {
			one.Bugs = append(one.Bugs, bugJSON{string(b.ID), Sentence(b.Story), b.Story})
		}
		out.Systems = append(out.Systems, one)
	}
	return write(w, out)
}

func param(q *sim.Param) paramJSON {
	if len(q.Words) > 0 {
		return paramJSON{Name: q.Name, Doc: q.Doc, Default: q.Words[0], Words: q.Words}
	}
	return paramJSON{
		Name: q.Name, Doc: q.Doc, Default: q.Range.Default,
		Least: &q.Range.Least, Most: &q.Range.Most, Words: []string{},
	}
}

func write(w io.Writer, v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, PlainJSON(b.String()))
	return err
}

// PlainJSON returns the same JSON, in which no terminal and no machine finds a command:
// what they could take for one can only stand in strings.
func PlainJSON(text string) string {
	if isPlain(text) && !strings.Contains(text, "##[") {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if harmless(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return strings.ReplaceAll(b.String(), "##[", `#\u0023[`)
}
