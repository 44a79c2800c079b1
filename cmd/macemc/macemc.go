package main

import (
	"macemc/command"
	"macemc/internal/catalog"
)

func main() {
	command.Program{Systems: catalog.Systems(), Parts: []command.Part{catalog.Bugs()}, Elsewhere: catalog.Elsewhere}.Main()
}
