package search

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"macemc/sim"
)

// For each bound of the table, options are rejected if they lack the bound that it needs, set one
// that excludes it, or have a value below its least one. Otherwise they are accepted.
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
			if got := check(func(*Options) {}, with...); got != b.Field+" has no effect without "+fieldOf(b.Needs)+"; add that, or leave this out" {
				t.Errorf("--%s without --%s: %q", b.Name, b.Needs, got)
			}
			with = append(with, b.Needs)
		}
		if got := check(func(*Options) {}, with...); got != "" {
			t.Errorf("--%s: %s", b.Name, got)
		}
		if got := check(func(o *Options) { *b.In(o) = b.Least - 1 }, with...); !strings.HasPrefix(got, b.Field+" is ") {
			t.Errorf("--%s %d: %q", b.Name, b.Least-1, got)
		}
		for _, other := range b.Not {
			if got := check(func(*Options) {}, append(with, other)...); !strings.Contains(got, fieldOf(other)+" and "+b.Field+" exclude each other") {
				t.Errorf("--%s with --%s: %q", b.Name, other, got)
			}
		}
		o := Options{Conditions: sim.Conditions{Early: new(0)}}
		*b.In(&o) = -1
		if _, err := o.filled(); err == nil || !strings.HasPrefix(err.Error(), b.Field+" is -1") {
			t.Errorf("%s -1 in options: %v", b.Name, err)
		}
	}
}

// Bound.Field names the field that Bound.In returns.
func TestFieldsOfBounds(t *testing.T) {
	o := Options{Conditions: sim.Conditions{Early: new(int)}}
	for _, b := range bounds {
		of, name, _ := strings.Cut(b.Field, ".")
		v := reflect.ValueOf(&o).Elem()
		if of == "Params" {
			v = v.FieldByName(of)
		}
		if v = v.FieldByName(name); v.Kind() != reflect.Pointer {
			v = v.Addr()
		}
		if v.Interface() != any(b.In(&o)) {
			t.Errorf("%s is not the field of --%s", b.Field, b.Name)
		}
	}
}
