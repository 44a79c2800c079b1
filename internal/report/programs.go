package report

import (
	"fmt"

	"macemc/internal/numerals"
	"macemc/internal/search"
	"macemc/internal/wording"
)

// clocks describes how often the clocks of programs may misbehave.
func clocks(of *search.Programs) string {
	if of.Clocks == 0 {
		return ""
	}
	return fmt.Sprintf("; clocks=%d", of.Clocks)
}

// programs writes the block about a search of a system whose nodes are programs with
// goroutines.
func (p *printer) programs(s subject, r *search.Result) {
	of := r.Programs
	p.row(2, labels, "run", s.setting()+environment(r)+clocks(of)+fmt.Sprintf("; seed %d; engine %s", r.Options.Seed, r.Stats.Engine))
	if len(s.Checked) > 0 {
		p.row(2, labels, "checked", "only "+wording.Quoted(s.Checked))
	}
	p.row(2, labels, "taken", numerals.Many(of.Worlds, "run")+" with goroutines; their states are not compared, so no duplicates are known")
	if r.Options.Prefix != nil {
		p.row(2, labels, "prefix", "each run first does what "+r.Options.PrefixName+" says")
	}
	switch {
	case r.Options.Engine == search.EngineReference && of.Whole == 0:
		p.row(2, labels, "whole", "not even all runs that deviate once from the one in which nothing does")
	case r.Options.Engine == search.EngineReference && of.Whole > 0:
		p.row(2, labels, "whole", fmt.Sprintf("all runs that deviate at most %s from the one in which nothing does", numerals.Many(of.Whole, "time")))
	case r.Options.Walking != "" && r.Options.Walking != search.WalkAuto:
		p.row(2, labels, "walks", string(r.Options.Walking))
	}
	p.row(2, labels, "proved", "nothing: a search of programs samples runs")
	if r.Finding != nil {
		exact := "no: two processes took the run in different ways"
		if of.Exact {
			exact = "yes: two processes drew the same"
		}
		p.row(2, labels, "exact", exact)
		if of.Critical != "" {
			p.row(2, labels, "critical", of.Critical)
		}
		for i, d := range of.Turns {
			p.row(2, labels, map[bool]string{true: "in it"}[i == 0], d)
		}
		if of.Exact {
			p.row(2, labels, "draws", fmt.Sprintf("%d of %d deviate, of which %d chose faults, requests and their times; in the run as it was found, %d did (%s made it smaller)", of.Deviate, of.Draws, of.Script, of.First, numerals.Many(of.Shrunk, "run")))
		}
		for i, d := range of.Deviates {
			p.row(2, labels, map[bool]string{true: "deviates"}[i == 0], d)
		}
	}
	if of.Drawn != nil {
		p.row(2, labels, "graph", "none: "+of.Drawn.Error())
	}
	p.row(2, labels, "stopped", stopped(r))
	p.blank()
}
