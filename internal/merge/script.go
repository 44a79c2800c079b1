package merge

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/choose"
	"macemc/internal/codecs"
	"macemc/internal/record"
	"macemc/internal/setting"
	"macemc/sim"
)

// A path records the requests from outside of the system's script as openings, like
// those of the script: for each life that had some, in the order in which they
// happened and with the rest of the script, as fields of its header:
//
//	opening: NODE LIFE VALUE

// life identifies a life of a node, by the numbers of both.
type life struct{ node, number int }

// openings has the requests of some lives: of those in which a node got a request that its script does not
// have. They are the requests that happened, and then the rest of the script.
type openings map[life][]sim.Signal

// collect adds the requests of one life, given its entries, if one of them was not from the script.
func (o openings) collect(sys *sim.System, p sim.Params, entries []*record.Entry) {
	var happened []sim.Signal
	own := 0
	for _, e := range entries {
		if e.Step != nil && e.Step.Event.Kind == sim.KindScript {
			happened = append(happened, e.Step.Event.Value)
			if !e.Step.Event.Asked {
				own++
			}
		}
	}
	if own == len(happened) {
		return
	}
	at := life{entries[0].Node, entries[0].Begin.Number}
	if sys.Script != nil {
		script := sys.Script(p, p.Addr(at.node), at.number)
		happened = append(happened, script[min(own, len(script)):]...)
	}
	o[at] = happened
}

// of returns a copy of a system whose scripts make these requests.
func (o openings) of(sys *sim.System) *sim.System {
	if len(o) == 0 {
		return sys
	}
	with := *sys
	with.Script = func(p sim.Params, self sim.Addr, number int) []sim.Signal {
		if told, is := o[life{self.Index(), number}]; is {
			return told
		}
		if sys.Script == nil {
			return nil
		}
		return sys.Script(p, self, number)
	}
	return &with
}

// write writes the requests into the header of a path.
func (o openings) write(sys *sim.System, path *choose.Path) error {
	var lives []life
	for at := range o {
		lives = append(lives, at)
	}
	slices.SortFunc(lives, func(a, b life) int { return (a.node-b.node)*1_000_000 + a.number - b.number })
	for _, at := range lives {
		for _, s := range o[at] {
			data, err := codecs.Of(sys).Append(nil, s)
			if err != nil {
				return fmt.Errorf("n%d was asked for a %T, which cannot be written into a path: %w", at.node, s, err)
			}
			path.Add(setting.KeyOpening, fmt.Sprintf("n%d %d %s", at.node, at.number, base64.StdEncoding.EncodeToString(data)))
		}
	}
	return nil
}

// SystemOf returns a copy of sys whose scripts make the requests that the header of a path records.
func SystemOf(sys *sim.System, path *choose.Path) (*sim.System, error) {
	o := openings{}
	for _, line := range path.All(setting.KeyOpening) {
		word := strings.Fields(line)
		if len(word) != 3 {
			return nil, fmt.Errorf("the path's header says opening: %q; it must be a node, the number of its life and a value", line)
		}
		node, errNode := strconv.Atoi(strings.TrimPrefix(word[0], "n"))
		number, errLife := strconv.Atoi(word[1])
		data, err := base64.StdEncoding.DecodeString(word[2])
		if errNode != nil || errLife != nil || err != nil {
			return nil, fmt.Errorf("the path's header says opening: %q; it must be a node, the number of its life and a value", line)
		}
		s, err := codecs.Of(sys).Decode(data)
		if err != nil {
			return nil, fmt.Errorf("the request of n%d in the path cannot be read: %w", node, err)
		}
		at := life{node, number}
		o[at] = append(o[at], s)
	}
	return o.of(sys), nil
}
