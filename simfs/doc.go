// Package simfs is a file system over the stable storage of a simulated node, in the
// shape that storage libraries expect.
//
// # Use
//
// An FS is a field of the node. The node calls Mount in Init and Use at the beginning of
// every other handler, and hands the FS to the library:
//
//	func (n *node) Init(env sim.Env)            { n.fs.Mount(env); n.open() }
//	func (n *node) put(env sim.Env, _ put)      { n.fs.Use(env); n.wal.Append(...) }
//
// An FS has the methods of package os as far as storage libraries use them, and is an
// fs.FS, fs.ReadDirFS, fs.ReadFileFS and fs.StatFS. A File has those of *os.File. The
// interfaces of libraries (raft-wal's types.VFS, pebble's vfs.FS) are a few lines over
// them: see examples/rawal.
//
// # What a crash leaves
//
// A node that stores may crash between any two writes and syncs of a handler, and the
// search takes every outcome:
//
//   - A file is written by sectors, of 512 bytes unless Sector says otherwise: each sector
//     that WriteAt touches is one write, and what was on it before stays part of it. Sync
//     makes the writes of its file durable. Of the others the first few survive, or any
//     of them with --disk reorder, and one sector may be torn in its middle.
//   - A change of length is a write, too.
//   - Create, Mkdir, Link, Rename and Remove are writes of a directory, whole or not at
//     all. Sync of a directory, by OpenDir or SyncDir, makes them durable. The changes of
//     one directory survive in their order, and a rename within a directory is atomic.
//     Syncing a file does not make its name durable.
//   - Removed content is gone once the directories were synced.
//
// Disks that fail (--faults disk=N) make Sync and writes return an error that wraps
// sim.ErrDisk.
//
// # Known limits
//
// Syncing one directory syncs the names in all of them. A rename between directories is
// two writes, the new name first. Modes and times are not kept: every time is zero. A
// handle of a removed file is valid until the directories are synced.
package simfs
