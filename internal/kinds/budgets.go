package kinds

// Budgets has the names of the fields of sim.Faults, in their order, as the flag --faults has them.
// Two of the fields, rare and disk, are not the budget of any kind of event.
var Budgets = []string{"crash", "down", "reset", "loss", "dup", "reorder", "partition", "oneway", "rare", "pause", "disk", "wipe"}
