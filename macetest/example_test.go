package macetest_test

import (
	"fmt"
	"testing"

	"macemc/internal/toy"
	"macemc/macetest"
)

// t stands for the *testing.T of a test, which an example does not have.
type t struct{ testing.TB }

func (t) Helper()             {}
func (t) Name() string        { return "TestRoad" }
func (t) Log(...any)          {}
func (t) Logf(string, ...any) {}

// A test of one line searches a system, and fails with a report if the search finds a
// failure: func TestRoad(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }
func ExampleRun() {
	System := toy.MustParse("start: home\nhome -> road\nroad -> home\nlive: home")
	macetest.Run(t{}, System, macetest.Options{Walks: 1})
	fmt.Println("no failure")
	// Output:
	// no failure
}
