module macemc/examples/raft/core

go 1.26.0

require go.etcd.io/etcd v0.5.0-alpha.5.0.20200910180754-dd1b699fc489

require (
	github.com/gogo/protobuf v1.2.1 // indirect
	github.com/golang/protobuf v1.3.2 // indirect
)
