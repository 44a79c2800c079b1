package simfs

import "fmt"

// A node mounts its file system in Init. A crash loses what was not synced; here host and
// disk stand for the simulator.
func ExampleFS() {
	files, node := mounted(nil)
	for _, name := range []string{"kept", "lost"} {
		file, err := files.Create(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Fprintf(file, "the contents of %s", name)
		if name == "kept" {
			file.Sync()
			files.SyncDir("/")
		}
	}
	outcomes := node.disk.Outcomes(false)
	files, _ = mounted(node.disk.Survive(outcomes[len(outcomes)-1])) // everything that can be lost is lost
	fmt.Println(files.List("/"))
	// Output:
	// [kept] <nil>
}
