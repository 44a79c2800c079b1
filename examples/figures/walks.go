package main

import (
	"cmp"
	"fmt"
	"slices"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/sim"
)

// A setting is a system with parameters, of which walks are taken.
type setting struct {
	name   string
	system *sim.System
	nodes  int
	params []string
	storm  int // the number of steps with faults before the part of a walk that is measured; 0 means no faults
}

// A curve has the results of the walks of one setting, with or without weights.
type curve struct {
	setting  setting
	weighted bool
	most     int // the largest number of steps of a walk
	taken    int
	live     []search.Success // the walks that became live
	failed   int              // walks in which the service failed
}

func (c *curve) name() string {
	if c.weighted {
		return "weighted"
	}
	return "uniform"
}

// take takes count walks of a setting, each until it is live or has taken most steps. Walk i begins
// with the same steps with faults whether weights are used or not.
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

// A measure is a way to measure the length of a walk that became live, in steps or in choices.
type measure struct {
	name string
	of   func(search.Success) int
}

var (
	steps   = measure{"steps", func(s search.Success) int { return s.Steps }}
	choices = measure{"choices", func(s search.Success) int { return s.Choices }}
)

// sorted returns the lengths of all walks that became live, by measure m, in ascending order.
func (c *curve) sorted(m measure) []int {
	var all []int
	for _, s := range c.live {
		all = append(all, m.of(s))
	}
	slices.Sort(all)
	return all
}

// within returns the least length, by measure m, such that this share of all walks became live
// within it. It returns "more" if a smaller share became live at all.
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
