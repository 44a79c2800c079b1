// Package older confirms, without macemc, what was found in old versions of raft.
package older
