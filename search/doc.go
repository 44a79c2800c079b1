// Package search looks for runs of a system that violate a property, and for states from which
// the system can never recover. It reports honestly how thorough it was.
//
//	res, err := search.Search(lock.System, search.Options{})
//	if err != nil { ... }  // the system or the options are wrong
//	if f := res.Finding; f != nil {
//		fmt.Println(f.Verdict, f.Property, f.Message)
//		f.Path.WriteTo(file) // Replay repeats it
//	}
//	fmt.Println(res.Safety.State, res.Liveness.State, res.Stop) // how thorough the search was, and why it stopped
//
// First comes the exhaustive phase, which visits every state to a depth, or every state if
// there are few. Then come random walks. Each goes on until its state is live, which means that
// all liveness properties hold in it. Before a finding is reported, its run is taken once more to
// confirm it. The result depends on the options alone, and not on the machine.
//
// Tests use package macetest, which searches and reports in one line. A program that shall be the
// command macemc for its own systems, with reports and folders of findings, uses package command.
package search
