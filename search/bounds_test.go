package search

import (
	"slices"
	"strings"
	"testing"

	"macemc/sim"
)

// For each bound of the table, options are rejected if they lack the option that it needs, have
// one that it excludes, or have a value below its least; and accepted otherwise.
func TestBounds(t *testing.T) {
	check := func(set func(o *Options), asked ...string) string {
		o := Options{Conditions: sim.Conditions{Early: new(0)}}
		for _, name := range asked {
			if name != noWalks {
				b := Bounded(name)
				*b.In(&o) = max(b.Least, 1)
			}
		}
		set(&o)
		if err := o.CheckBounds(func(name string) bool { return slices.Contains(asked, name) }); err != nil {
			return err.Error()
		}
		return ""
	}
	for _, b := range bounds {
		with := []string{b.Name}
		if b.Needs != "" {
			if got := check(func(*Options) {}, with...); !strings.Contains(got, "is for --"+b.Needs) {
				t.Errorf("--%s without --%s: %q", b.Name, b.Needs, got)
			}
			with = append(with, b.Needs)
		}
		if got := check(func(*Options) {}, with...); got != "" {
			t.Errorf("--%s: %s", b.Name, got)
		}
		if got := check(func(o *Options) { *b.In(o) = b.Least - 1 }, with...); !strings.Contains(got, "--"+b.Name+" is ") {
			t.Errorf("--%s %d: %q", b.Name, b.Least-1, got)
		}
		for _, other := range b.Not {
			if got := check(func(*Options) {}, append(with, other)...); !strings.Contains(got, "--"+other+" and --"+b.Name+" exclude each other") {
				t.Errorf("--%s with --%s: %q", b.Name, other, got)
			}
		}
		o := Options{Conditions: sim.Conditions{Early: new(0)}}
		*b.In(&o) = -1
		if _, err := o.filled(); err == nil || !strings.Contains(err.Error(), "--"+b.Name+" is -1") {
			t.Errorf("%s -1 in options: %v", b.Name, err)
		}
	}
}
