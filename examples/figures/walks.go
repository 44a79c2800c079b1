package main

import (
	"cmp"
	"fmt"
	"slices"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/sim"
)

// A setting is the system, with its parameters, of which walks are taken.
type setting struct {
	name   string
	system *sim.System
	nodes  int
	params []string
	storm  int // steps in which faults may happen, before the walk is measured; 0: none do
}

// A curve has the results of the walks of one kind in one setting.
type curve struct {
	setting  setting
	weighted bool
	most     int // steps
	taken    int
	live     []search.Success // in the order of their numbers
	failed   int              // walks in which the service failed
}

func (c *curve) name() string {
	if c.weighted {
		return "weighted"
	}
	return "uniform"
}

// take takes count walks of a setting, each until it is live or has taken most steps. Walk i begins
// with the same storm whether weights are used or not.
func take(of setting, weighted bool, count, most int) (*curve, error) {
	params, err := of.system.Configure(of.nodes, of.params, nil)
	if err != nil {
		return nil, err
	}
	path := &choose.Path{Header: search.Describe(of.system, params)}
	if of.storm > 0 {
		path.Add("faults", of.system.Tolerates.String())
	}
	opts := search.Options{Walking: search.WalkUniform}
	if weighted {
		opts.Walking = search.WalkWeighted
	}
	lab, err := search.NewLab(of.system, path, opts)
	if err != nil {
		return nil, err
	}
	defer lab.Close()
	start, err := lab.Take(path)
	if err != nil {
		return nil, err
	}
	got, err := lab.Walk(start, search.Walks{Count: count, Steps: most, Storm: of.storm, All: true})
	if err != nil {
		return nil, err
	}
	return &curve{setting: of, weighted: weighted, most: most, taken: got.Taken, live: got.Success, failed: len(got.Failed)}, nil
}

// A measure is a length of a walk.
type measure struct {
	name string
	of   func(search.Success) int
}

var (
	steps   = measure{"steps", func(s search.Success) int { return s.Steps }}
	choices = measure{"choices", func(s search.Success) int { return s.Choices }}
)

// sorted returns a measure of all walks that became live, in ascending order.
func (c *curve) sorted(m measure) []int {
	var all []int
	for _, s := range c.live {
		all = append(all, m.of(s))
	}
	slices.Sort(all)
	return all
}

// within returns the least number of steps or choices within which a share of all walks became live,
// or "more" if there is none.
func (c *curve) within(m measure, share float64) string {
	all := c.sorted(m)
	at := max(0, int(share*float64(c.taken)+0.5)-1)
	if at >= len(all) {
		return "more"
	}
	return fmt.Sprint(all[at])
}

// byNumber returns the walks that became live, in the order of their numbers.
func (c *curve) byNumber() []search.Success {
	return slices.SortedFunc(slices.Values(c.live), func(a, b search.Success) int { return cmp.Compare(a.Number, b.Number) })
}
