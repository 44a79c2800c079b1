// Package older shows, without macemc, that bugs which macemc found are in old versions of raft.
package older
