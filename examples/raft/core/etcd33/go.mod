module macemc/examples/raft/core

go 1.26.0

require github.com/coreos/etcd v3.3.27+incompatible

require (
	github.com/gogo/protobuf v1.3.2 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	google.golang.org/protobuf v1.33.0 // indirect
)
