module macemc/tools/mutants

go 1.26.0
