// Command macemc is the command of module macemc, with its catalogue, and with the commands coordinator
// and worker, by which several machines search together.
package main

import (
	"macemc/cluster"
	"macemc/command"
	"macemc/internal/catalog"
)

func main() {
	command.Program{Systems: catalog.Systems(), Parts: []command.Part{catalog.Bugs(), cluster.Commands()}}.Main()
}
