package lines

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/coverage"
)

// This file reads the output of runtime/coverage. Go documents the format in
// internal/coverage/defs.go. Another version of it is an error.

const formatVersion = 1

var (
	metaMagic    = [4]byte{0, 'c', 'v', 'm'}
	counterMagic = [4]byte{0, 'c', 'w', 'm'}

	errForm = errors.New("the coverage data of this Go release has a form that macemc does not know")
)

// covered is a function with the pieces of its code that have counters.
type covered struct {
	pkg  int // the number of the package, in the order of the coverage meta-data
	path string
	file string // the path of its package, and the file's name
	name string
	unit []Piece
}

// functions returns the functions of this program that have counters.
func functions() (all []covered, err error) {
	var b bytes.Buffer
	if err := coverage.WriteMeta(&b); err != nil {
		return nil, err
	}
	defer func() {
		if recover() != nil { // the data ended too early
			all, err = nil, errForm
		}
	}()
	text := b.Bytes()
	var head struct {
		Magic       [4]byte
		Version     uint32
		_, Packages uint64
		_           [16]byte
		_, _        uint32
		_           [8]byte
	}
	n, err := binary.Decode(text, binary.LittleEndian, &head)
	if err != nil || head.Magic != metaMagic || head.Version != formatVersion {
		return nil, errForm
	}
	number := func(i int) int { return int(binary.LittleEndian.Uint64(text[n+8*i:])) }
	packages := int(head.Packages)
	for i := range packages {
		from, long := number(i), number(packages+i)
		all = append(all, functionsOf(i, text[from:from+long])...)
	}
	return all, nil
}

// functionsOf returns the functions in blob, the coverage meta-data of one package.
func functionsOf(pkg int, blob []byte) (all []covered) {
	var head struct {
		_, Name, Path, Module uint32
		_                     [20]byte
		Files, Funcs          uint32
	}
	n, err := binary.Decode(blob, binary.LittleEndian, &head)
	if err != nil {
		panic(errForm)
	}
	r := reader{blob[n+4*int(head.Funcs):]}
	words := r.words()
	for i := range int(head.Funcs) {
		f := reader{blob[binary.LittleEndian.Uint32(blob[n+4*i:]):]}
		units := f.number()
		one := covered{pkg: pkg, path: words[head.Path], name: words[f.number()], file: words[f.number()]}
		for range units {
			p := Piece{Line: f.number(), Column: f.number(), EndLine: f.number(), EndColumn: f.number()}
			f.number() // the number of statements, which is not used
			one.unit = append(one.unit, p)
		}
		all = append(all, one)
	}
	return all
}

// reader reads numbers and texts from coverage meta-data. It panics if it reads beyond the end.
type reader struct{ text []byte }

func (r *reader) number() int {
	v, n := binary.Uvarint(r.text)
	if n <= 0 {
		panic(errForm)
	}
	r.text = r.text[n:]
	return int(v)
}

func (r *reader) words() (all []string) {
	for range r.number() {
		n := r.number()
		all = append(all, string(r.text[:n]))
		r.text = r.text[n:]
	}
	return all
}

// count calls ran for each piece of code that has run since the counters were cleared, with the numbers of
// its package, of its function in the package, and of the piece in the function. b is scratch memory.
func count(b *bytes.Buffer, ran func(pkg, function, piece int)) (err error) {
	b.Reset()
	if err := coverage.WriteCounters(b); err != nil {
		return err
	}
	defer func() {
		if recover() != nil {
			err = errForm
		}
	}()
	var head struct {
		Magic   [4]byte
		Version uint32
		_       [16]byte
		Flavour uint8
		_       [7]byte
		Funcs   uint64
		Words   uint32
		Args    uint32
	}
	text := b.Bytes()
	n, err := binary.Decode(text, binary.LittleEndian, &head)
	if err != nil || head.Magic != counterMagic || head.Version != formatVersion || head.Flavour != 2 {
		return errForm
	}
	n += int(head.Words) + int(head.Args)
	r := reader{text[(n+3)&^3:]}
	for range int(head.Funcs) {
		counters, pkg, function := r.number(), r.number(), r.number()
		for i := range counters {
			if r.number() > 0 {
				ran(pkg, function, i)
			}
		}
	}
	return nil
}

// clearCounts sets all coverage counters of this program to zero.
func clearCounts() error {
	if err := coverage.ClearCounters(); err != nil {
		return fmt.Errorf("the copy of the program cannot count lines: %w", err)
	}
	return nil
}
