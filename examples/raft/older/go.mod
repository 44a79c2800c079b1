module macemc/examples/raft/older

go 1.26.0

require github.com/coreos/etcd v3.2.32+incompatible

require (
	github.com/golang/protobuf v1.5.4 // indirect
	golang.org/x/net v0.0.0-20201021035429-f5854403a974 // indirect
	golang.org/x/xerrors v0.0.0-20200804184101-5ec99f83aff1 // indirect
	google.golang.org/protobuf v1.33.0 // indirect
)
