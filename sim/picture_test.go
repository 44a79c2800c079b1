package sim

import (
	"errors"
	"testing"
)

// A picture is drawn from all facts of a run, and has a name only if it exists.
func TestPicture(t *testing.T) {
	facts := []Emitted{{addrOf(1), 0, "a"}, {addrOf(0), 1, "c"}}
	wrong := errors.New("no pencil")
	for _, c := range []struct {
		picture []byte
		err     error
		file    string
	}{{[]byte("drawn"), nil, "p.svg"}, {nil, nil, ""}, {nil, wrong, ""}} {
		p := Property{Name: "well"}.Pictured("p.svg", func(given []Emitted) ([]byte, error) {
			if len(given) != 2 || given[0] != facts[0] || given[1] != facts[1] {
				t.Errorf("the facts are %v", given)
			}
			return c.picture, c.err
		})
		if file, picture, err := p.Picture(facts); file != c.file || string(picture) != string(c.picture) || err != c.err {
			t.Errorf("of %q is made %q, %q, %v", c.picture, file, picture, err)
		}
	}
	if file, picture, err := (Property{Name: "plain"}).Picture(facts); file != "" || picture != nil || err != nil {
		t.Errorf("without a picture there is %q, %q, %v", file, picture, err)
	}
}
