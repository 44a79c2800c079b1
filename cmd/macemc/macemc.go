package main

import (
	"macemc/command"
	"macemc/internal/catalog"
)

func main() {
	command.Program{Systems: catalog.Systems(), Bugs: catalog.Bugs(), Elsewhere: catalog.Elsewhere}.Main()
}
