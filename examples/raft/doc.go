// Package raft drives etcd's raft.
package raft
