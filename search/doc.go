// Package search looks for runs of a system that break a promise, and for states from which
// the system can never recover, and reports honestly how thorough it was.
//
//	res, err := search.Search(lock.System, search.Options{})
//	if err != nil { ... }  // the system or the options are wrong
//	if f := res.Finding; f != nil {
//		fmt.Println(f.Verdict, f.Property, f.Message)
//		f.Path.WriteTo(file) // Replay repeats it
//	}
//	fmt.Println(res.Safety.State, res.Liveness.State, res.Stop) // how far the search got, and why it stopped
//
// First comes the exhaustive phase, which visits every state to a depth, or every state if
// there are few. Then come random walks, each of which goes on until it is live. A finding is
// confirmed by taking its run once more before it is reported. The result depends on the
// options alone, and not on the machine.
//
// Tests use package macetest, which searches and reports in one line. The command, which
// package command is for programs, writes reports and folders of findings.
package search
