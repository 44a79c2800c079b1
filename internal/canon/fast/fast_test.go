package fast

import (
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"
	"weak"
)

func TestFault(t *testing.T) {
	if !Known {
		if got := Fault(); !strings.HasPrefix(got, "the maps, functions and interfaces of go") || !strings.HasSuffix(got, " are not known") {
			t.Errorf("fault is %q", got)
		}
		return
	}
	if got := Fault(); got != "" {
		t.Errorf("fault is %q; want none", got)
	}
}

// TestSelfTestFails checks that the self-test sees the differences that it is there to find.
func TestSelfTestFails(t *testing.T) {
	if !Known {
		t.Skip("what the self-test looks at is not known here")
	}
	try := func(test func()) (fault string) {
		defer failed(&fault)
		test()
		return ""
	}
	for _, c := range []struct {
		test func()
		want string
	}{
		{func() { testMaps(func(i int) (int, int) { return i, i }) }, ""},
		{func() { testTables(&Map{dirLen: 1, dir: unsafe.Pointer(&[]*table{{mask: 1}}[0])}) },
			" failed: the table of a map is not as expected: {used:0 capacity:0 growth:0 depth:0 index:0 groups:<nil> mask:1}"},
		{func() {
			testTables(&Map{used: 1, dirLen: 1, dir: unsafe.Pointer(&[]*table{{capacity: 8}}[0])})
		}, " failed: the tables of a map are not as expected: {"},
		{func() { // values that differ from themselves are not found where they are
			testMap(map[int]float64{1: math.NaN()}, func(i int) (int, float64) { return i, 0 })
		}, " failed: the entries of a map[int]float64 are not where they were looked for"},
		{func() { testWords(1, true) }, " failed: a int is not held as expected"},
		{func() {
			m := map[int]int{1: 1}
			testCopy(m, m, func(i int) (int, int) { return i, -i })
		}, " failed: a map[int]int and its copy have entries in common"},
	} {
		got := try(c.test)
		if _, why, _ := strings.Cut(got, "interfaces"); !strings.HasPrefix(why, c.want) || (c.want == "") != (got == "") {
			t.Errorf("fault is %q; want %q", got, c.want)
		}
	}
}

// A copy of a map keeps what it leads to alive: the collector sees its pointers.
func TestCopyKeepsAlive(t *testing.T) {
	if !Known {
		t.Skip("maps are not known here")
	}
	m := map[int]*[4]int{}
	var led []weak.Pointer[[4]int]
	for i := range 20 {
		m[i] = &[4]int{i}
		led = append(led, weak.Make(m[i]))
	}
	l := LayoutOf(reflect.TypeOf(m))
	c := copyOf[int, *[4]int](*(**Map)(unsafe.Pointer(&m)), &l, false)
	clear(m)
	runtime.GC()
	for i := range led {
		if p := led[i].Value(); p == nil || c[i] != p || p[0] != i {
			t.Errorf("element %d of the copy is %v, and was let go", i, p)
		}
	}
	runtime.KeepAlive(c)
}

func BenchmarkSelfTest(b *testing.B) {
	for b.Loop() {
		if fault := selfTest(); fault != "" {
			b.Fatal(fault)
		}
	}
}
