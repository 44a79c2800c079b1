// Package search is the room of strategies: it decides which runs of a system
// are worth taking, and says honestly what they showed.
//
// # Start here
//
// A program that searches needs these names and hardly another. (Tests have package
// macetest, and who wants reports and folders package command.)
//
//	res, err := search.Search(lock.System, search.Options{})
//	if err != nil { ... }  // the system or the options cannot be
//	if f := res.Finding; f != nil {
//		fmt.Println(f.Verdict, f.Property, f.Message)
//		f.Path.WriteTo(file) // Replay takes it again
//	}
//	fmt.Println(res.Safety.State, res.Liveness.State, res.Stop) // how far it came, and why no further
//
// # Strategies
//
// A strategy only supplies answers. One loop, in search/internal/run, evaluates
// every state that a run reaches. There are two kinds of strategies: the reference
// engine enumerates all runs to a bound by re-executing each from its start,
// slow and simple, the oracle for every faster engine; the walk takes long
// random runs in place, through storms of faults where there are any
// (search/internal/walk).
//
// The other two engines take no runs: they take each step of each state once, level
// by level (search/internal/explore); several hands expand a level together
// (team.go). What is dead in a space that was exhausted is decided exactly
// (search/internal/closure). What they find is confirmed by runs.
//
// A [Lab] takes runs that begin in the middle of others, for rooms above that look
// into a finding, and says what exhausting tells of its states.
//
// # Where is it decided that a run is dead
//
// Not here. A state that is at rest and not live is dead, as the loop sees; of any other,
// internal/decide says so (judge.go has it asked, in a lab), but where the whole space was
// exhausted: there a closure has the answer already (liveness.go). So a new reason to call
// something dead belongs into decide, and a new way to try whether it is into the [Lab].
//
// # Where does a new engine go
//
// One that takes each step of each state once is a Stepper of search/internal/explore;
// what it does with what it meets is a Visitor there. One that takes runs is a Strategy of
// search/internal/run, as reference.go is. Both are chosen in exhaustLocal and search, by
// Options.Engine; engines_test.go holds any engine to the reference. A way of walking is
// no engine: it is a Strategy of search/internal/walk.
//
// # What may a line change
//
// A runner is a search: it adds up what its phases return (outcome.go), and fold alone says
// why the search stopped and what is known of safety and of liveness. A hand takes runs
// and belongs to one goroutine at a time; what it counted is returned by counted, and does
// not count if nobody adds it. Several hands share units of work in a pool
// (search/internal/work): the members of a team, the scouts, and the hands of a lab. What an
// option means is said in options.go, and nothing writes options on the way but hand.go says
// so. A finding begins in newFinding and nowhere else; whether it is kept,
// findings.go decides, and the header of its path is written in confirm.go alone. What a
// line of the world may touch, internal/world/doc.go says by its nouns.
//
// A Result says what was found, or within what bound nothing was, and why the
// search stopped. Every finding has been confirmed by plain re-execution
// before it is reported.
package search
