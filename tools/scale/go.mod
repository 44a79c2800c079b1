module macemc/tools/scale

go 1.26.0
