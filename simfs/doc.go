// Package simfs is a file system over the stable storage of a simulated node, with the
// methods that storage libraries expect.
//
// # Use
//
// An FS is a field of the node. The node calls Mount in Init, calls Use at the beginning of
// every other handler, and passes the FS to the library:
//
//	func (n *node) Init(env sim.Env)            { n.fs.Mount(env); n.open() }
//	func (n *node) put(env sim.Env, _ put)      { n.fs.Use(env); n.wal.Append(...) }
//
// An FS has the functions of package os that storage libraries use, as methods. It
// implements fs.FS, fs.ReadDirFS, fs.ReadFileFS and fs.StatFS, and a File has the methods
// of *os.File. The interfaces of libraries (raft-wal's types.VFS, pebble's vfs.FS) need
// only a few lines more: see examples/rawal.
//
// # What a crash leaves
//
// A node that stores may crash between any two writes and syncs of a handler. The search
// takes every outcome:
//
//   - A file is written by sectors, of 512 bytes unless FS.Sector says otherwise. Each sector that WriteAt
//     touches is one write, which includes the sector's old contents around the new bytes. Sync makes
//     the writes of its file durable. After a crash the first few of the other writes survive, or
//     any subset of them if disks may reorder writes, and one sector may be torn in its middle.
//   - A change of length is a write, too.
//   - Create, Mkdir, Link, Rename and Remove are writes of a directory, and are atomic.
//     Syncing a directory, with OpenDir or SyncDir, makes them durable. The changes of
//     one directory survive in their order, and a rename within a directory is atomic.
//     Syncing a file does not make its name durable.
//   - The contents of a removed file are gone once the directories were synced.
//
// On disks that fail (--faults disk=N), Sync and writes return an error that wraps
// sim.ErrDisk.
//
// # Known limits
//
// Syncing one directory syncs the names in all directories. A rename between directories is
// two writes, the new name first. Modes and times are not kept; every time is zero. A
// handle of a removed file is valid until the directories are synced.
package simfs
