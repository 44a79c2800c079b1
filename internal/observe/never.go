package observe

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"macemc/internal/contract"
	"macemc/internal/guard"
	"macemc/internal/sight"
	"macemc/sim"
)

// Never returns a sentence for each thing that was possible or asked for and never happened. Their
// order does not depend on the run.
func (c *Coverage) Never() []string {
	never := []string{}
	for _, part := range [][]string{
		c.neverBugs(), c.neverFaults(), c.neverOpened(), c.neverValues(), c.neverNoticed(), c.neverHandlers(), c.neverKinds(), c.neverPairs(), c.neverCoins(), c.neverProperties(), c.Slack(),
	} {
		never = append(never, part...)
	}
	return never
}

func (c *Coverage) neverBugs() (never []string) {
	for i, id := range c.params.Bugs() {
		if !c.bugs[i].Load() {
			never = append(never, fmt.Sprintf("bug %s is switched on, and its line was never reached", id))
		}
	}
	return never
}

func (c *Coverage) neverFaults() (never []string) {
	for i, name := range contract.FaultNames() {
		happened := map[string]int{"rare": c.rare, "disk": c.disk}[name] // the counts of faults that are not events of their own
		for _, kind := range contract.Kinds() {
			if contract.RowOf(kind).Budget == name {
				happened = c.kinds[kind].happened
			}
		}
		if n := *c.allowed.Budget(i); n != 0 && happened == 0 {
			var f sim.Faults
			*f.Budget(i) = n
			never = append(never, fmt.Sprintf("fault %s never happened", f))
		}
	}
	return never
}

// neverValues returns sentences about the service's own signals and messages, by type.
func (c *Coverage) neverValues() (never []string) {
	names := typeNames(c.types)
	for _, k := range []struct {
		kind   sim.Kind
		phrase string
	}{
		{sim.KindScript, "is in a script and was never begun"}, {sim.KindAction, "was offered %s and never taken"},
		{sim.KindTask, "was posted %s and never run"}, {sim.KindMessage, "was sent %s and never delivered"},
		{sim.KindTimer, "was scheduled %s and never fired"},
	} {
		var some []string
		for i, t := range c.types {
			if n := t.of[k.kind]; n.possible > 0 && n.happened == 0 {
				some = append(some, fmt.Sprintf("%s %s %s", k.kind, names[i], strings.Replace(k.phrase, "%s", times(n.possible), 1)))
			}
		}
		slices.Sort(some)
		never = append(never, some...)
	}
	return never
}

// idleLeast is the number of deliveries of a message that must have been examined before a report
// says that they did nothing.
const idleLeast = 10

// neverNoticed returns sentences about messages that were delivered and did nothing.
func (c *Coverage) neverNoticed() (never []string) {
	names := typeNames(c.types)
	for i, t := range c.types {
		if t.audited >= idleLeast && !t.noticed {
			never = append(never, fmt.Sprintf("message %s did nothing when it was delivered, and changed nothing (looked at %s)", names[i], times(t.audited)))
		}
	}
	slices.Sort(never)
	return never
}

// neverOpened returns a sentence if the scripts of a service make no requests.
func (c *Coverage) neverOpened() []string {
	switch {
	case len(c.types) == 0:
		return []string{"nothing can happen but faults: no Init sets a timer, posts or sends, and the Script of every node is empty"}
	case c.sys.Script != nil && !slices.ContainsFunc(c.types, func(t *typeTally) bool { return t.of[sim.KindScript].possible > 0 }):
		return []string{"the Script of every node is empty: the application asks nothing of the service"}
	}
	return nil
}

// neverHandlers returns sentences about handlers whose message or signal never came. neverValues covers those
// whose value was sent or scheduled.
func (c *Coverage) neverHandlers() (never []string) {
	var messages, signals []string
	for _, h := range c.listed {
		k := slices.IndexFunc(c.types, func(t *typeTally) bool { return t.typ == h.Of })
		name := packages.ReplaceAllString(h.Of.String(), "")
		switch message := h.Kind != sight.HandlerSignal; {
		case message && (k < 0 || c.types[k].of[sim.KindMessage].possible == 0):
			messages = append(messages, name)
		case !message && (k < 0 || !c.types[k].signalled()):
			signals = append(signals, name)
		}
	}
	add := func(what string, names []string) {
		if slices.Sort(names); len(names) > 0 {
			never = append(never, fmt.Sprintf("never %s, though there are handlers: %s", what, strings.Join(names, ", ")))
		}
	}
	add("sent", messages)
	add("in a script, offered, posted or scheduled", signals)
	return never
}

// signalled reports whether a signal of the type was possible at least once.
func (t *typeTally) signalled() bool {
	return t.of[sim.KindScript].possible+t.of[sim.KindAction].possible+t.of[sim.KindTask].possible+t.of[sim.KindTimer].possible > 0
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

var packages = regexp.MustCompile(`[^\[\],*(){} ]+\.`)

// typeNames returns the names of types, without packages unless two names would be equal.
func typeNames(types []*typeTally) []string {
	names := make([]string, len(types))
	count := map[string]int{}
	for i, t := range types {
		names[i] = packages.ReplaceAllString(t.typ.String(), "")
		count[names[i]]++
	}
	for i, t := range types {
		if count[names[i]] > 1 && t.typ.Name() != "" {
			names[i] = t.typ.PkgPath() + "." + t.typ.Name()
		}
		if t.typ.Kind() == reflect.Struct && t.typ.Name() != "" {
			if t.typ.NumField() == 0 {
				names[i] += "{}"
			} else {
				names[i] += "{...}"
			}
		}
	}
	return names
}

// neverKinds returns sentences about events of the environment that were requested, or had a cause, and never
// happened.
func (c *Coverage) neverKinds() (never []string) {
	add := func(format string, args ...any) { never = append(never, fmt.Sprintf(format, args...)) }
	if n := c.kinds[sim.KindClear]; n.possible > 0 {
		if n.happened == 0 {
			add("clear to send was requested %s and never came", times(n.possible))
		}
		if c.refused == 0 {
			add("no send was ever refused, though room was requested %s", times(n.possible))
		}
	}
	if n := c.kinds[sim.KindFlushed]; n.possible > 0 && n.happened == 0 {
		add("flushed was requested %s and never came", times(n.possible))
	}
	for _, k := range []sim.Kind{sim.KindError, sim.KindRefused, sim.KindBreak, sim.KindMend, sim.KindRestart, sim.KindResume} {
		if n := c.kinds[k]; n.possible > 0 && n.happened == 0 {
			add("%s was possible and never happened", k)
		}
	}
	return never
}

func (c *Coverage) neverCoins() (never []string) {
	for _, t := range c.coins {
		var missing []string
		for i, s := range t.sides {
			if s.possible && s.given == 0 {
				missing = append(missing, strconv.Itoa(i))
			}
		}
		const most = 5
		was := "answer %s of 0 to %d was never given"
		if len(missing) > 1 {
			was = "answers %s of 0 to %d were never given"
		}
		if n := len(missing); n > most {
			missing = append(missing[:most-1], fmt.Sprintf("and %d more", n-most+1))
		}
		if len(missing) > 0 {
			never = append(never, fmt.Sprintf("coin %q: "+was, t.why, strings.Join(missing, ", "), len(t.sides)-1))
		}
		if t.wide > 0 {
			never = append(never, fmt.Sprintf("coin %q has %d answers, which are too many to count those that were never given", t.why, t.wide))
		}
	}
	slices.Sort(never)
	if c.uncounted {
		never = append(never, fmt.Sprintf("coins of more than %d different purposes were asked; the others were not counted", coinsMost))
	}
	return never
}

func (c *Coverage) neverProperties() (never []string) {
	add := func(format string, args ...any) { never = append(never, fmt.Sprintf(format, args...)) }
	for _, p := range c.eventually {
		switch all := p.yes + p.no; {
		case all == 0:
			add("property %q was never looked at", p.name)
		case p.yes == 0:
			add("property %q held in none of the states in which it was looked at (%s)", p.name, times(all))
		case p.no == 0 && (p.first == 1 || p.onward == 1):
			add("property %q held from the start, in all states in which it was looked at (%s)", p.name, times(all))
		case p.no == 0:
			add("property %q held in all states in which it was looked at (%s)", p.name, times(all))
		}
		if p.empty > 0 {
			add("property %q held while all nodes that it is about were down: it says nothing there (%s)", p.name, times(p.empty))
		}
	}
	for _, p := range c.sometimes {
		if p.yes == 0 {
			nearest := ""
			if p.near {
				nearest = fmt.Sprintf("; the nearest was %d away", p.far)
			}
			add("property %q was to hold sometimes, and no such state was met%s", p.name, nearest)
		}
	}
	if c.facts == 0 {
		for _, name := range c.monitors {
			add("monitor %q was never told a fact", name)
		}
	}
	return never
}

// dropped returns a sentence about each piece of code whose send was refused and that
// ignores the result of Send.
func (c *Coverage) dropped() (never []string) {
	at := map[string]bool{}
	for code := range c.senders {
		if place, drops := guard.Dropped(code, "Send"); drops {
			at[place] = true
		}
	}
	for _, place := range sim.Keys(at) {
		never = append(never, fmt.Sprintf("the result of Send at %s is ignored, and a send there was refused", place))
	}
	return never
}

// Slack returns those sentences of Never that are harmless for the search: about constraints that held in every
// state, so that they excluded none, and about refused sends whose result the service ignores.
func (c *Coverage) Slack() (slack []string) {
	for _, k := range []struct {
		name string
		in   stateTally
	}{{c.sys.Within.Name, c.within}, {c.sys.Assume.Name, c.assume}} {
		if k.name != "" && k.in.yes > 0 && k.in.no == 0 {
			slack = append(slack, fmt.Sprintf("constraint %q held in all states in which it was looked at (%s)", k.name, times(k.in.yes)))
		}
	}
	return append(slack, c.dropped()...)
}
