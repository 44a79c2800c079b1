package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// object is a JSON object. Its members are written in the order of the list. A nil object
// is written as null.
type object []member

// member is a member of an object. If its name ends in a question mark, the member is left
// out when its value is zero or empty.
type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	between := ""
	b.WriteByte('{')
	for _, m := range o {
		name, optional := strings.CutSuffix(m.name, "?")
		if v := reflect.ValueOf(m.value); optional && (!v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0) {
			continue
		}
		fmt.Fprintf(&b, "%s%q:", between, name)
		between = ","
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// get returns the value of a member, or nil if there is no such member.
func (o object) get(name string) any {
	for _, m := range o {
		if strings.TrimSuffix(m.name, "?") == name {
			return m.value
		}
	}
	return nil
}

// orNull returns a text, or null if it is empty.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// objects returns a list of objects, one for each item.
func objects[T any](all []T, of func(T) object) []object {
	list := []object{}
	for _, one := range all {
		list = append(list, of(one))
	}
	return list
}
