module github.com/quic-go/quic-go/bridge

go 1.26.0

require github.com/quic-go/quic-go v0.50.1

require (
	golang.org/x/exp v0.0.0-20240506185415-9bf2ced13842 // indirect
	golang.org/x/mod v0.18.0 // indirect
	golang.org/x/tools v0.22.0 // indirect
)
