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
	"macemc/internal/search"
	"macemc/internal/setting"
	"macemc/sim"
	"macemc/trace"
)

// version is the version of every JSON object written here. It grows when a member changes its meaning or is
// removed, not when one is added.
const version = 1

// ResultJSON writes the result of a search as one JSON object.
func ResultJSON(w io.Writer, r *search.Result, all ...*account.Account) error {
	var ignore []string
	var ignored, prefix any
	for _, i := range r.Options.Ignore {
		ignore, ignored = append(ignore, i.String()), &r.Ignored
	}
	if path := r.Options.Prefix; path != nil {
		prefix = prefixOf(r.Options.PrefixName, path)
	}
	findings := objects(subjects(r, all), findingOf)
	var first object // its members stand beside the others, too
	if len(findings) > 0 {
		first = findings[0]
	}
	return write(w, object{
		{"version", version}, {"system", r.System.Name}, {"bugs", bugs(r.Params)}, {"params", params(r.System, r.Params)},
		{"faults", r.Options.Stated(r.System).String()}, {"crashes", setting.CrashModel(&r.Options.Conditions)}, {"byzantine?", byzantine(r.System, r.Params)},
		{"timers", cmp.Or(keeps(r.System, r.Params, r.Options.FreeTimers), "free")},
		{"disk", map[bool]string{false: "prefix", true: "reorder"}[r.Options.DiskReorder]},
		{"verdict", r.Verdict().String()}, {"property", first.get("property")}, {"message", first.get("message")},
		{"safety", object{{"status", r.Safety.State}, {"depth", r.Safety.Depth}, {"faults?", r.Safety.Faults}}},
		{"liveness", object{
			{"status", r.Liveness.State}, {"walks", r.Liveness.Walks}, {"walk_steps", r.Liveness.WalkSteps}, {"walk_least?", r.Options.WalkLeast},
		}},
		{"stop", r.Stop}, {"cut", orNull(string(r.Cut))},
		{"path", first.get("path")}, {"report", first.get("report")}, {"steps", first.get("steps")}, {"choices", first.get("choices")},
		{"critical", first.get("critical")}, {"avoided", first.get("avoided")}, {"deviates?", first.get("deviates")},
		{"findings", findings},
		{"undecided?", objects(r.Undecided, func(one search.Suspect) object { return fileOf(one.File, one.Path) })},
		{"left_out?", objects(r.LeftAt, func(one search.Prefix) object { return fileOf(one.File, one.Path) })}, {"alike", r.Alike}, {"ignore?", ignore}, {"ignored?", ignored},
		{"prefix", prefix}, {"prefixes", objects(r.Prefixes, func(p search.Prefix) object { return prefixOf(p.File, p.Path) })},
		{"stats", stats(r.Stats)}, {"measured", measured(r)},
		{"never", r.Never}, {"lines?", linesOf(r.Lines)}, {"first_held", heldOf(r.Held)}, {"udp_overflow?", r.Overflow},
		{"repeated?", repeatedOf(r.Repeated)}, {"space", spaceOf(r.Space)}, {"replay", first.get("replay")},
	})
}

func findingOf(s subject) object {
	f, path, place := s.Finding, s.Path(), s.Place
	return object{
		{"verdict", f.Verdict.String()}, {"property", orNull(f.Property)}, {"message", f.Message},
		{"path", orNull(place.Path)}, {"report", orNull(place.Report)}, {"steps", len(path.Steps)}, {"choices", path.Choices()},
		{"critical", criticalOf(s)}, {"avoided", avoidedOf(s)}, {"deviates?", deviatesOf(f.Deviates)},
		{"replay", orNull(place.Replay)}, {"walk?", f.Manner}, {"explaining_ended_after?", f.EndedAt},
	}
}

func fileOf(file string, path *choose.Path) object {
	return object{{"file", file}, {"steps", len(path.Steps)}}
}

func prefixOf(file string, path *choose.Path) object {
	return append(fileOf(file, path), member{"bugs", append([]string{}, path.All("bug")...)})
}

func deviatesOf(d *search.Deviates) object {
	if d == nil {
		return nil
	}
	return object{
		{"step", d.Step}, {"event", d.Event}, {"without?", d.Without}, {"walks_kept?", d.Kept}, {"walks_broke?", d.Broke},
		{"broke_did?", d.Did}, {"walk_steps?", d.WalkSteps}, {"harmless?", d.Harmless},
	}
}

func repeatedOf(d search.Repeated) object {
	if d.Steps == 0 || d.Times == 0 {
		return nil
	}
	return object{{"steps", d.Steps}, {"times", d.Times}, {"escape", d.Escape()}}
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

func criticalOf(s subject) object {
	c := s.Finding.Critical
	if c == nil {
		return nil
	}
	var walks, steps, escape any
	if e := s.Finding.Evidence; e != nil {
		walks, steps, escape = e.Walks, e.WalkSteps, e.Escape95
	}
	return object{
		{"step", c.Step}, {"event", c.Event}, {"exact", c.Exact}, {"walks", walks}, {"walk_steps", steps}, {"escape_upper_95", escape},
		{"live_path", orNull(s.Place.Live)},
	}
}

func avoidedOf(s subject) object {
	a := s.Finding.Avoided
	if a == nil {
		return nil
	}
	var after, chance any
	if a.Step > 0 {
		after, chance = a.After, a.Chance
	}
	return object{
		{"step", a.Step}, {"event", a.Event}, {"walks", a.Walks}, {"walk_steps", a.WalkSteps}, {"before", a.Before}, {"after", after},
		{"chance", chance}, {"clear", a.Clear}, {"live_path", orNull(s.Place.Live)},
	}
}

func stats(s search.Stats) object {
	var manners, runs, dear, reduction, symmetry, collision any
	if s.Manners != (search.Manners{}) {
		manners = maps.Collect(s.Manners.All())
	}
	if s.Engine == string(search.EngineMemo) {
		runs, dear = s.HandlerRuns, dearNodes(s.Dear)
	}
	if s.Reduced && s.Traces+s.Asleep == 0 {
		reduction = object{{"whole", s.Whole}, {"parted", s.Parted}, {"entire", s.Entire}, {"hindered?", s.Hindered}, {"hindrance?", s.Hindrance}, {"voided", s.Voided}, {"cycles", s.Cycles}, {"commuted", s.Commuted}}
	}
	if s.Symmetric != "" {
		symmetry = object{{"nodes", s.Symmetric}, {"compared", s.Renamed}}
	}
	if s.Engine != string(search.EngineReference) {
		collision = s.Collision
	}
	return object{
		{"engine", s.Engine}, {"uncopied?", s.Uncopied}, {"cloned?", s.Cloned}, {"paths", s.Paths}, {"steps", s.Steps}, {"judging?", s.Judging + s.Settled},
		{"transitions", s.Transitions}, {"executed", s.Executed}, {"states", s.States}, {"duplicates", s.Duplicates},
		{"walks", s.Walks}, {"manners?", manners}, {"healed?", s.Healed}, {"ended?", s.Ended}, {"masked?", s.Masked}, {"detours?", s.Detours}, {"restarted?", s.Restarted}, {"kept?", s.Kept},
		{"depth", s.Depth}, {"periphery", object{{"states", s.Periphery.States}, {"walked", s.Periphery.Walked}, {"steps", s.Periphery.Steps}}},
		{"suspects", s.Suspects}, {"handler_runs", runs}, {"not_looked_up?", dear}, {"not_packed?", s.Unpacked},
		{"reduction?", reduction}, {"not_reduced?", s.Unreduced}, {"traces?", s.Traces}, {"asleep?", s.Asleep}, {"slept?", s.Slept}, {"woken?", s.Woken},
		{"symmetry?", symmetry}, {"not_symmetric?", s.Asymmetric}, {"states_on_disk?", s.Spilled}, {"bytes_on_disk?", s.SpilledTo},
		{"collision_probability", collision},
	}
}

func measured(r *search.Result) object {
	rate, used := 0.0, any(nil)
	if cpu := r.Measured.CPU.Seconds(); cpu > 0 {
		used = cpu
	}
	if searched := (r.Measured.Elapsed - r.Measured.Looked).Seconds(); searched > 0 {
		rate = math.Round(float64(r.Stats.States) / searched)
	}
	return object{
		{"seconds", r.Measured.Elapsed.Seconds()}, {"states_per_second", rate}, {"memory_bytes", r.Measured.Memory}, {"cpu_seconds", used},
		{"slower?", slower(r)},
	}
}

// ReplayedJSON writes the result of replaying a recorded path as one JSON object, with all
// steps of the run.
func ReplayedJSON(w io.Writer, path *choose.Path, r *search.Replayed) error {
	f, message := r.Finding, any(nil)
	if f.Verdict != trace.VerdictNone {
		message = f.Message
	}
	return write(w, object{
		{"version", version}, {"system", r.System.Name}, {"recorded", r.Recorded.String()}, {"reproduced", r.Reproduced},
		{"verdict", f.Verdict.String()}, {"property", orNull(f.Property)}, {"message", message}, {"steps", f.Step},
		{"run", runOf(replayed(path, r))},
	})
}

// SystemsJSON writes a list of systems, as one JSON object.
func SystemsJSON(w io.Writer, systems []*sim.System) error {
	return write(w, object{{"version", version}, {"systems", objects(systems, systemOf)}})
}

func systemOf(sys *sim.System) object {
	r := sys.NodeRange(sim.Params{})
	return object{
		{"name", sys.Name}, {"doc", sys.Doc}, {"nodes", object{{"default", r.Default}, {"least", r.Least}, {"most", r.Most}}},
		{"params", objects(sys.Params, func(q *sim.Param) object {
			first, least, most := any(q.Range.Default), any(q.Range.Least), any(q.Range.Most)
			if len(q.Words) > 0 {
				first, least, most = q.Words[0], nil, nil
			}
			return object{
				{"name", q.Name}, {"doc", q.Doc}, {"default", first}, {"least", least}, {"most", most}, {"words", append([]string{}, q.Words...)},
			}
		})},
		{"properties", objects(sys.Properties, func(p sim.Property) object { return object{{"name", p.Name}, {"kind", p.Kind()}} })},
		{"bugs", objects(sys.Bugs, func(b sim.Bug) object {
			return object{{"id", b.ID}, {"title", Sentence(b.Story)}, {"story", b.Story}}
		})},
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

// PlainJSON returns equivalent JSON text without characters that a terminal or a machine could take for a
// command. Such characters occur only in strings, where they are escaped.
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
