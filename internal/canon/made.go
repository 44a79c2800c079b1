package canon

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Made describes a field that is left out of the state, and that a function makes again in each copy.
type Made struct {
	Field string // the field, as "pkg.Type.field" or "*.field"
	// Owner is a pointer type, or an interface. Make gets a pointer to the nearest object
	// around the field that is of this type, or whose pointer implements the interface.
	Owner reflect.Type
	Type  reflect.Type // the type of what Make returns
	// Make returns the field's value in a copy. Owner and in, a pointer to the struct with
	// the field, belong to the copy, which is complete except for such fields.
	Make func(owner, in any) (any, error)
}

// parseMade checks the entries of Options.Made, and returns a rule for each of their fields.
func parseMade(all []Made) ([]rule, error) {
	var texts []string
	for _, m := range all {
		if m.Owner == nil || m.Owner.Kind() != reflect.Interface && (m.Owner.Kind() != reflect.Pointer || m.Owner.Elem().Kind() != reflect.Struct) {
			return nil, fmt.Errorf("the function that makes field %q anew for a copied node has a parameter of type %v; it must have a pointer to a struct, such as the node, or an interface", m.Field, m.Owner)
		}
		texts = append(texts, m.Field)
	}
	return parseRules("remade", texts)
}

// madeField returns the Made for a field of t, or nil. It marks all rules that match the field as used.
func (o *omissions) madeField(t reflect.Type, field string) (found *Made) {
	for i := range o.remade {
		if matchField(o.remade[i:i+1], t, field) && found == nil {
			found = &o.made[i]
		}
	}
	return found
}

// misfit returns the reason why m cannot make the field f, or nil.
func (m *Made) misfit(f reflect.StructField) *refusal {
	if m.Type.AssignableTo(f.Type) {
		return nil
	}
	return &refusal{typ: f.Type, firm: true,
		reason: fmt.Sprintf("the function that makes it again returns a %s", m.Type), advice: "have it return the field's type"}
}

// of reports whether Make can take a pointer to a t as its owner.
func (m *Made) of(t reflect.Type) bool {
	if m.Owner.Kind() == reflect.Interface {
		return t.Kind() == reflect.Struct && reflect.PointerTo(t).Implements(m.Owner)
	}
	return m.Owner.Elem() == t
}

// owns reports whether some Made may take a pointer to a t as its owner.
func (o *omissions) owns(t reflect.Type) bool {
	for i := range o.made {
		if o.made[i].of(t) {
			return true
		}
	}
	return false
}

// making is a field that a Made has to make in the copy, once the rest of the copy is complete.
type making struct {
	from, to unsafe.Pointer // the struct with the field, in the original and in the copy
	plan     *copyPlan      // of that struct, with made
	field    uintptr        // the offset of the field in the struct
	owner    owner
}

// owner is an object around the value that is being copied, whose address a Made may need.
type owner struct {
	up   *owner
	typ  reflect.Type
	from unsafe.Pointer
	to   unsafe.Pointer
}

// takenBy returns the innermost object, from o outwards, that m can take as its owner, or nil.
func (o *owner) takenBy(m *Made) *owner {
	for ; o != nil; o = o.up {
		if m.of(o.typ) {
			return o
		}
	}
	return nil
}

// later notes a field that is to be made when the rest of the copy is complete. s is the step for the field,
// from is the struct that has the field, and to is the copy of that struct.
func (c *copies) later(s *copyStep, to, from unsafe.Pointer) {
	if c.second { // the first pass has noted it
		return
	}
	o := c.owner.takenBy(s.plan.made)
	if o == nil {
		c.refused = fmt.Sprintf("%s.%s is made again for a %s, and no such object is around it: hold the object, and what is between it and the field, by pointers", s.plan.typ, fieldAt(s.plan.typ, s.size).Name, s.plan.made.Owner)
		return
	}
	c.makings = append(c.makings, making{from, to, s.plan, s.size, *o})
}

// finish makes the fields that later has noted.
func (c *copies) finish() {
	for i := range c.makings {
		k := &c.makings[i]
		if c.second {
			k.move(c)
		}
		f, made := fieldAt(k.plan.typ, k.field), k.plan.made
		v, err := made.Make(reflect.NewAt(k.owner.typ, k.owner.to).Interface(), reflect.NewAt(k.plan.typ, k.to).Interface())
		if err != nil {
			c.refused = fmt.Sprintf("%s.%s is not made again: %v", k.plan.typ, f.Name, err)
			return
		}
		if v != nil {
			reflect.NewAt(f.Type, unsafe.Add(k.to, k.field)).Elem().Set(reflect.ValueOf(v))
		}
	}
}

// move sets k.to and k.owner to the copies that the second pass made of the struct and of its owner, in place of
// those of the first pass.
func (k *making) move(c *copies) {
	k.to = c.translate(k.from)
	k.owner = owner{typ: k.owner.typ, to: c.translate(k.owner.from)}
}

// fieldAt returns the field of the struct t at an offset. It ignores fields of size zero.
func fieldAt(t reflect.Type, offset uintptr) reflect.StructField {
	for i := range t.NumField() {
		if f := t.Field(i); f.Offset == offset && f.Type.Size() > 0 {
			return f
		}
	}
	panic("macemc bug: canon makes a field that is not there")
}

// byValue returns the error for a value that a map or an interface holds directly, without a pointer, although
// Options.Made has a function that makes one of its fields again. Such a value has no fixed address, so the
// field could not be set later. cp is the plan of the value, and in says what holds it.
func byValue(cp *copyPlan, in string) string {
	return fmt.Sprintf("%s, which a function makes again in part, is held by value in %s; hold a pointer to it", cp.typ, in)
}

// copyOwner copies an object that a Made may take as the owner of a field in it.
func (c *copies) copyOwner(cp *copyPlan, to, from unsafe.Pointer) {
	up := c.owner
	c.owner = &owner{up, cp.typ, from, to}
	c.copySteps(cp, to, from)
	c.owner = up
}
